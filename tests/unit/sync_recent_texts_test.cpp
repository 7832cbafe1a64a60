// What a text was once it may be again: by an undo that a client tells as its whole text, by
// another program that writes back what it had read, by closing without saving. Then the reply
// stands where it stood then. Each case by the run of the simulation that found it.

#include "server/sync/recent_texts.hpp"
#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_recent_texts_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;

void reopen(StrictClient& client, const std::string& text) {
  client.engine.did_close();
  client.text = text;
  client.version = 1;
  client.engine.did_open(client.version, client.text);
}

/// The client tells what its text became, not how.
void become(StrictClient& client, const std::string& text) {
  client.text = text;
  client.engine.did_change(++client.version, {ReplaceAll{client.text}});
}

void go_on(StrictClient& client, RegionId region, const std::string& more) {
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.append(region, more);
  CHECK(client.sends_nothing());
  client.engine.resume_region(region);
  client.drain();
}

const Frame kFrame{"\n\n## Agent\n\n", "\n\n## User\n\n"};

RegionId opened(StrictClient& client, const std::string& reply) {
  const RegionId region = client.engine.open_region(client.text.size(), kFrame);
  client.engine.append(region, reply);
  client.drain();
  return region;
}

TEST_CASE(
    "closed without saving: the reply goes on behind what is left of it, not before it (9303912)") {
  StrictClient client("");
  const RegionId region = opened(client, "**b** the reply ");
  client.insert_before("**b**", "- item\n");
  client.engine.did_save();
  const std::string saved = client.text;
  client.insert_before("", "- item\n");
  client.engine.append(region, "yythe **b** **b** 1");
  client.drain();
  client.insert_before("- item\n**b**", "**b** 1");
  client.insert_before("**b** the", "  ");
  reopen(client, saved);
  go_on(client, region, "on \nz- item\n**b** ");
  CHECK(client.text ==
        "\n\n## Agent\n\n- item\n**b** the reply on \nz- item\n**b** \n\n## User\n\n");
}

TEST_CASE("closed without saving: the reply does not go on under the next heading (9231452)") {
  StrictClient client("");
  const RegionId region = opened(client, "");
  client.replace("\n\n\n\n", "\n\n");
  client.engine.did_save();
  const std::string saved = client.text;
  client.engine.append(region, "z- item\n\n");
  client.drain();
  client.insert_before("## User", "reply ");
  client.insert_before("", "\nreply . on y");
  reopen(client, saved);
  go_on(client, region, "**b** y");
  CHECK(client.text == "\n\n## Agent\n\n**b** y\n\n## User\n\n");
}

TEST_CASE(
    "closed without saving what was deleted: the reply does not go on above its heading "
    "(9322709)") {
  StrictClient client("a\u00E9");
  const RegionId region = opened(client, "");
  client.insert_before("\n\n## User", "e");
  client.engine.did_save();
  const std::string saved = client.text;
  client.insert_before("\n\n## User", "f");
  client.replace("\u00E9\n\n## Ag", "");
  reopen(client, saved);
  client.engine.append(region, "z\n\ng");
  client.drain();
  CHECK(client.text == "a\u00E9\n\n## Agent\n\nz\n\nge\n\n## User\n\n");
}

TEST_CASE(
    "opened again as it was before, though nobody told that it was saved: the reply does not go on "
    "above its heading") {
  StrictClient client("a\u00E9");
  const RegionId region = opened(client, "");
  client.insert_before("\n\n## User", "e");
  const std::string earlier = client.text;
  client.insert_before("\n\n## User", "f");
  client.replace("\u00E9\n\n## Ag", "");
  reopen(client, earlier);
  client.engine.append(region, "z\n\ng");
  client.drain();
  CHECK(client.text == "a\u00E9\n\n## Agent\n\nz\n\nge\n\n## User\n\n");
}

TEST_CASE(
    "an undo told as the whole text, of a correction: the reply goes on at its end (9227136)") {
  StrictClient client("Us");
  const RegionId region = client.open_region();
  client.insert_before("\n\n## U", "g");
  client.engine.append(region, "mama");
  client.drain();
  client.engine.append(region, "ggz");
  client.drain();
  const std::string before = client.text;
  client.engine.replace_from(region, 3, "ez\n");
  client.drain();
  become(client, before);
  go_on(client, region, "za\naz");
  CHECK(client.text == "Us\n## A\n\nmamaggzza\nazg\n\n## U\n");
}

TEST_CASE("a program writes back what it had read: the reply goes on where it was then (9200552)") {
  StrictClient client("");
  const RegionId region = client.open_region();
  const std::string read = client.text;
  client.replace("## A\n\n\n\n", "## A\n\n\n");
  client.insert_before("\n\n## U", "y- item\n");
  client.engine.append(region, "the ");
  client.drain();
  client.text = read;
  client.engine.did_change(++client.version, {text::Edit{0, client.engine.shadow().size(), read}});
  go_on(client, region, "z");
  CHECK(client.text == "\n## A\n\nz\n\n## U\n");
}

TEST_CASE("said again after a correction, saved before: nothing was taken back (21000102)") {
  StrictClient client("");
  const RegionId region = client.open_region_with("one two three");
  client.engine.did_save();
  const std::string saved = client.text;
  client.engine.replace_from(region, 4, "two three four");
  client.sent();
  client.engine.answered(Answer::Refused);
  client.text += "typed";
  client.engine.did_change(++client.version, {text::Edit{saved.size(), saved.size(), "typed"}});
  reopen(client, saved);
  CHECK(client.notices().empty());
  client.drain();
  CHECK(client.text == "\n## A\n\none two three four\n\n## U\n");
}

TEST_CASE(
    "saved and opened again while the answer to the last edit is still to come: nothing was taken "
    "back (22000550)") {
  StrictClient client("");
  const RegionId region = client.open_region();
  client.engine.append(region, "one");
  client.change(client.sent().edit);
  client.engine.append(region, " two");
  client.engine.did_save();
  reopen(client, client.text);
  CHECK(client.notices().empty());
  client.drain();
  CHECK(client.text == "\n## A\n\none two\n\n## U\n");
}

TEST_CASE("two changes told as one replacement: what stands in both texts stayed (9304248)") {
  StrictClient client("");
  const RegionId region = client.open_region_with("one long word");
  client.text = "\n## A\n\nso one long word# U\n";
  client.engine.did_change(++client.version, {text::Edit{7, 23, "so one long word"}});
  REQUIRE(client.engine.shadow().text() == client.text);
  client.engine.append(region, "!");
  client.drain();
  CHECK(client.text == "\n## A\n\nso one long word!\n\n# U\n");
}

TEST_CASE(
    "an edit that was given up for an opening lands after all: the reply stands there once "
    "(9312925)") {
  StrictClient client("ask\n", 9);
  const RegionId region =
      client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U, the person\n"});
  const OutgoingEdit late = client.sent();
  reopen(client, client.text);
  client.engine.answered(Answer::TimedOut);
  client.engine.answered(Answer::TimedOut);
  client.engine.allow_retry();
  client.engine.append(region, "one");
  const OutgoingEdit again = client.sent();
  for (const OutgoingEdit& edit : {late, again}) {
    client.text.insert(edit.edit.begin, edit.edit.replacement);
    client.engine.did_change(++client.version, {edit.edit});
  }
  client.engine.answered(Answer::Applied);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\n\n## U, the person\n");
}

TEST_CASE("a redo of just our text is no landing of what was refused (21012180)") {
  StrictClient client("ask\n");
  const RegionId region =
      client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U, the person\n"});
  const OutgoingEdit edit = client.sent();
  client.insert_before("ask", "I ");
  client.change({4, 4, edit.edit.replacement});
  client.engine.answered(Answer::Refused);
  CHECK(client.notices().empty());
  CHECK(client.engine.region_state(region) == RegionState::Opening);
}

TEST_CASE("texts are remembered up to a limit, and each is found again") {
  RecentTexts texts;
  std::string text;
  for (std::size_t i = 0; i < kMaxRecentTexts + 10; ++i) {
    RegionsThen regions(1);
    regions.front().landed = i;
    texts.remember(std::move(regions), text.size());
    texts.changed({0, 0, "x"}, "");
    text.insert(0, "x");
  }
  const std::string oldest(10, 'x');
  const auto find = [&texts, &text](std::size_t size) {
    RecentTexts now = texts;  // the text becomes one of the earlier ones
    now.remember({}, text.size());
    now.changed({size, text.size(), ""}, std::string_view(text).substr(size));
    const RegionsThen* found = now.find(std::string(size, 'x'));
    return found == nullptr ? std::string::npos : found->front().landed;
  };
  CHECK(find(text.size() - 1) == text.size() - 1);
  CHECK(find(100) == 100);
  CHECK(find(oldest.size() + 1) == 11);
  CHECK(find(oldest.size()) == std::string::npos);
}

}  // namespace sync_recent_texts_test_internal

}  // namespace agent_doc::sync
