// A client that answers first, and tells each key of its person before it tells of the edit.
// Recorded from kakoune-lsp.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

namespace sync_late_echo_test_internal {

using test::StrictClient;

/// The client makes `edits`, one after the other, and tells them at once, by lines and columns.
void tell(StrictClient& client, const std::vector<text::Edit>& edits) {
  std::vector<ContentChange> changes;
  for (const text::Edit& edit : edits) {
    const text::TextBuffer buffer(client.text);
    changes.emplace_back(ReplaceRange{{buffer.position_of(edit.begin, text::PositionEncoding::Utf8),
                                       buffer.position_of(edit.end, text::PositionEncoding::Utf8)},
                                      edit.replacement});
    client.text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
  client.engine.did_change(++client.version, changes);
  CHECK(client.engine.shadow().text() == client.text);
}

/// `sent` is in the air, answered and not told, at the end of an empty reply. Returns that place.
std::size_t put_in_the_air(StrictClient& client, RegionId region, const std::string& sent) {
  client.engine.append(region, sent);
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  return edit.edit.begin;
}

TEST_CASE("the echo comes with the third key after the answer: the text stands there once") {
  StrictClient client("Notes:\n\nask\n");
  const RegionId region = client.open_region_with("First line.\n");
  client.engine.append(region, "I am the tour: a small program.");
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  const auto type = [&](std::string_view key) {
    client.text.insert(client.text.find("\n\nask"), key);
  };
  const auto tell = [&] { client.engine.did_change(++client.version, {ReplaceAll{client.text}}); };
  type("k");
  tell();
  type("0");
  tell();
  client.text.insert(edit.edit.begin + 2, edit.edit.replacement);  // two keys further
  type("1");
  tell();
  client.engine.append(region, " It needs no network.");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text ==
        "Notes:k01\n\nask\n\n## A\n\nFirst line.\nI am the tour: a small program. It needs no "
        "network.\n\n## U\n");
}

TEST_CASE(
    "the echo comes when the edit was given up and sent once more: the text stands there once") {
  StrictClient client("Notes:\n\nask\n");
  const RegionId region = client.open_region_with("First line.\n");
  const auto type = [&](std::string_view key) {
    client.text.insert(client.text.find("\n\nask"), key);
  };
  const auto tell = [&] { client.engine.did_change(++client.version, {ReplaceAll{client.text}}); };
  client.engine.append(region, "w1 w2\nw3 w4\n");
  const OutgoingEdit first = client.sent();
  client.engine.answered(Answer::Applied);
  type("k");
  tell();
  type("0");
  tell();
  client.engine.append(region, "w5 w6\nw7 w8");
  if (const auto second = client.engine.poll(Release::Everything)) {
    client.engine.answered(Answer::Applied);
    client.text.insert(first.edit.begin + 2, first.edit.replacement);
    tell();
    client.text.insert(second->edit.begin, second->edit.replacement);
    tell();
  } else {  // it waits for the echo
    client.text.insert(first.edit.begin + 2, first.edit.replacement);
    tell();
  }
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text ==
        "Notes:k0\n\nask\n\n## A\n\nFirst line.\nw1 w2\nw3 w4\nw5 w6\nw7 w8\n\n## U\n");
}

TEST_CASE(
    "the person types what is in the air, and more or less of it, before it is told: the edit "
    "itself is the reply's") {
  struct Case {
    const char* name;
    std::string sent;
    std::string typed;
  };
  const std::vector<Case> cases = {
      {"pasted, with more around it (51019610)", "e\u0301", "\u4E2D\ne\u0301\u4E2D\n"},
      {"all but its line end (51009401)", "reply \n", "reply "},
      {"most of it, and something else (72042627)", "one two three abc four\n",
       "one two three Y four\n"},
      {"one letter of a paste (51015544)", "y", "xthe xy\n- item\nreply "}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    const std::size_t place = put_in_the_air(client, region, c.sent);
    tell(client, {{place, place, c.typed}});
    CHECK(client.engine.awaits_echo());
    CHECK(client.sends_nothing());
    const std::size_t behind = place + c.typed.size();
    tell(client, {{behind, behind, c.sent}});
    CHECK_FALSE(client.engine.in_flight());
    client.engine.append(region, "more");
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\n" + c.typed + c.sent + "more\n\n## U\n");
  }
}

TEST_CASE(
    "an edit that deletes is told behind what was typed just like it: that stays (74020268)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("\none two");
  const std::size_t begin = client.engine.region_extent(region)->begin;
  tell(client, {{begin + 7, begin + 7, "P"}});
  client.engine.replace_from(region, 0, "Z");
  const OutgoingEdit edit = client.sent();
  REQUIRE(edit.edit == text::Edit{begin, begin + 7, ""});
  client.engine.answered(Answer::Applied);
  tell(client, {{begin, begin, "one tw"}});
  tell(client, {{begin + 6, begin + 13, ""}});
  client.engine.echo_is_overdue();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none twPZ\n\n## U\n");
}

TEST_CASE(
    "the person types key by key what the edit in the air ends with: the edit, told behind it, is "
    "the reply's (72021192)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "\nab\n");
  tell(client, {{place, place, "a"}});
  tell(client, {{place + 1, place + 1, "b"}});
  tell(client, {{place + 2, place + 2, "\n"}});
  tell(client, {{place + 3, place + 3, "\nab\n"}});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "more");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nab\n\nab\nmore\n\n## U\n");
}

TEST_CASE(
    "a few bytes told together with a key: when no echo comes they have landed, and then the next "
    "ones at once") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "one ");
  tell(client, {{place, place, "Xone Y"}});
  CHECK(client.engine.awaits_echo());
  client.engine.echo_is_overdue();
  CHECK_FALSE(client.engine.in_flight());
  CHECK(put_in_the_air(client, region, "two ") == place + 5);
  tell(client, {{place + 5, place + 5, "two Z"}});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nXone two ZY\n\n## U\n");
}

TEST_CASE("the document is closed while a guess waits for its echo: it has landed") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "one ");
  tell(client, {{place, place, "Xone Y"}});
  client.engine.did_close();
  client.engine.did_open(client.version, client.text);
  client.engine.append(region, "two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nXone twoY\n\n## U\n");
}

TEST_CASE("the edit lands inside of what was typed at its place (51120605)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "one two");
  tell(client, {{place, place, "- item"}});
  tell(client, {{place, place, "y"}});
  tell(client, {{place + 1, place + 1, "one two"}});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, " more");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nyone two more- item\n\n## U\n");
}

TEST_CASE(
    "a key is told, and behind it the edit, which begins alike: the reply goes on behind the edit "
    "(51005883)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "yy");
  tell(client, {{place, place, "y"}, {place + 1, place + 1, "yy"}});
  client.engine.append(region, "more");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nyyymore\n\n## U\n");
}

TEST_CASE(
    "an edit that was dropped, and keys that look like it and like one that went: it is written "
    "(70034898)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t place = put_in_the_air(client, region, "e\u0301a");
  tell(client, {{0, 0, "\n"}});
  tell(client, {{place + 1, place + 1, "e\u0301"}});
  tell(client, {{place + 4, place + 4, "a"}});
  tell(client, {{place + 5, place + 5, "e\u0301"}});
  client.engine.echo_is_overdue();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "\nask\n\n## A\n\ne\u0301ae\u0301ae\u0301\n\n## U\n");
}

TEST_CASE(
    "what is typed makes just our text of what stood before it: the edit itself is the reply's "
    "(70019556)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("the reply goes on\nx");
  const std::size_t place = put_in_the_air(client, region, "the reply goes on and on");
  const std::size_t line_end = client.text.find("\nx");
  tell(client, {{line_end, line_end, " and on"}});
  tell(client, {{place + 7, place + 7, "the reply goes on and on"}});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, " more");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text ==
        "ask\n\n## A\n\nthe reply goes on and on\nxthe reply goes on and on more\n\n## U\n");
}

}  // namespace sync_late_echo_test_internal

}  // namespace agent_doc::sync
