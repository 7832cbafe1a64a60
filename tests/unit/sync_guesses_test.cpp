// What may be believed of an edit in flight when its place has moved, or when others wrote much the
// same. Whole texts; what fresh seeds of the simulation found, each as a few steps.

#include "server/sync/sync_engine.hpp"
#include "server/text/line_ends.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_guesses_test_internal {

using test::StrictClient;

/// What a client tells of `edit` of its text.
ReplaceRange told(const StrictClient& client, std::size_t begin, std::size_t end,
                  std::string text) {
  const text::TextBuffer buffer(client.text);
  return {{buffer.position_of(begin, text::PositionEncoding::Utf8),
           buffer.position_of(end, text::PositionEncoding::Utf8)},
          std::move(text)};
}

/// The client makes `edits`, one after the other, and tells them at once.
void tell(StrictClient& client, const std::vector<text::Edit>& edits) {
  std::vector<ContentChange> changes;
  for (const text::Edit& edit : edits) {
    changes.emplace_back(told(client, edit.begin, edit.end, edit.replacement));
    client.text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
  }
  client.engine.did_change(++client.version, changes);
  CHECK(client.engine.shadow().text() == client.text);
}

void tell(StrictClient& client, const text::Edit& edit) {
  tell(client, std::vector<text::Edit>{edit});
}

TEST_CASE(
    "a client that is silent for long, and a person who typed much like what it was sent: it is "
    "written (30076093, 40000577)") {
  struct Case {
    const char* name;
    std::string sent;
    std::string typed;
  };
  const std::vector<Case> cases = {{"it holds what was sent", "one two", "one two!"},
                                   {"it is the begin of it", "goes on ", "goes "}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, c.sent);
    client.sent();
    client.text.insert(client.text.find("\n\n## U"), c.typed);
    client.engine.did_change(++client.version, {ReplaceAll{client.text}});
    client.engine.answered(Answer::TimedOut);
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\n" + c.sent + c.typed + "\n\n## U\n");
    CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE(
    "a client that is silent for long, and told our text together with a key: it is not written "
    "again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "one two three four five");
  client.sent();
  client.text.insert(client.text.find("\n\n## U"), "Xone two three four five");
  client.engine.did_change(++client.version, {ReplaceAll{client.text}});
  client.engine.answered(Answer::TimedOut);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nXone two three four five\n\n## U\n");
}

TEST_CASE(
    "a block much like the frame in the air is pasted, and the document is reopened: the answer "
    "decides (30065032)") {
  const std::string like = "\n\n## Agent A2\n\nX\n\n## User\n\n";
  const Frame frame{"\n\n## Agent A2\n\n", "\n\n## User\n\n"};
  const std::string ours = frame.head + "one" + frame.tail;
  struct Case {
    const char* name;
    Answer answer;
    std::string text;
  };
  const std::vector<Case> cases = {{"it was refused", Answer::Refused, "ask\n" + like + ours},
                                   {"it was made, and somebody wrote into it", Answer::Applied,
                                    "ask\n\n\n## Agent A2\n\noneX\n\n## User\n\n"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.engine.open_region(4, frame);
    client.sent();
    client.text += like;
    client.engine.did_change(++client.version, {ReplaceAll{client.text}});
    client.engine.did_close();
    client.version = 1;
    client.engine.did_open(client.version, client.text);
    CHECK(client.sends_nothing());
    client.engine.answered(c.answer);
    client.engine.append(region, "one");
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == c.text);
  }
}

TEST_CASE(
    "a person types before equal text, and that holds what is in the air: what was told stays "
    "where it was told (30068537)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("aaaaa");
  client.engine.append(region, "aaaaa");
  client.sent();
  const std::size_t begin = client.engine.region_extent(region)->begin;
  tell(client, {begin, begin, "aaaaaB"});
  client.engine.answered(Answer::Refused);
  client.engine.replace_from(region, 0, "c");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\naaaaaBc\n\n## U\n");
}

TEST_CASE(
    "a key right before the text that an edit replaces, told with the edit after the answer: it is "
    "not written again (46011134)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.replace_from(region, 4, "six and seven");
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  tell(client, {{edit.edit.begin, edit.edit.begin, "2"},
                {edit.edit.begin + 1, edit.edit.end + 1, edit.edit.replacement}});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none 2six and seven\n\n## U\n");
}

TEST_CASE(
    "a person takes some of the text that an edit replaces before it lands: it is not written "
    "again") {
  struct Case {
    const char* name;
    std::string gone;
  };
  const std::vector<Case> cases = {{"its begin", "two "},
                                   {"its end", " three"},
                                   {"its middle", "o th"},
                                   {"all of it", "two three"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one two three");
    client.engine.replace_from(region, 4, "SIX");
    const OutgoingEdit edit = client.sent();
    REQUIRE(edit.edit.replacement == "SIX");
    client.engine.answered(Answer::Applied);
    const std::size_t gone = client.text.find(c.gone);
    tell(client, {{gone, gone + c.gone.size(), ""}, {0, 0, "I"}});
    tell(client, {edit.edit.begin + 1, edit.edit.end + 1 - c.gone.size(), "SIX"});
    CHECK_FALSE(client.engine.in_flight());
    client.engine.resume_region(region);
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == "Iask\n\n## A\n\none SIX\n\n## U\n");
  }
}

TEST_CASE(
    "what is typed between an edit and the stale text that stays behind it is the person's "
    "(46016414)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("\n");
  client.engine.replace_from(region, 0, "- item\n2");
  const OutgoingEdit edit = client.sent(Release::WholeLines);
  REQUIRE(edit.edit.replacement == "- item");  // the "\n" stays
  tell(client, {edit.edit.begin, edit.edit.begin, "on "});
  tell(client, {edit.edit.begin, edit.edit.begin, "- item"});
  client.engine.answered(Answer::Applied);
  client.engine.replace_from(region, 3, "XY");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n- ion XY\n\n## U\n");
}

TEST_CASE(
    "cut and brought back while an edit of it is in the air, to a client that checks no versions "
    "(46006325)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("a\n\n");
  client.engine.replace_from(region, 0, "\none two three four five");
  client.engine.did_close();
  client.version = 0;
  client.engine.did_open(0, client.text);
  const OutgoingEdit edit = client.sent();
  REQUIRE(edit.base_version == 0);
  const std::string block = client.text.substr(4);
  tell(client, {4, client.text.size(), ""});
  tell(client, {4, 4, block});
  tell(client, edit.edit);
  client.engine.answered(Answer::Applied);
  CHECK_FALSE(client.engine.in_flight());
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\none two three four five\n\n## U\n");
}

TEST_CASE(
    "an edit lands where its block was before it was cut: the reply is whole where it is pasted "
    "(46009857)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("reply ");
  client.engine.did_close();
  client.version = 0;
  client.engine.did_open(0, client.text);
  client.engine.replace_from(region, 0, "**b** reply ");
  const OutgoingEdit edit = client.sent();
  REQUIRE(edit.edit.replacement == "**b** ");  // the rest stays
  const std::string block = client.text.substr(4);
  tell(client, {{4, client.text.size(), ""}, {4, 4, "**b** "}, {10, 10, block}});
  client.engine.answered(Answer::Applied);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n**b** \n## A\n\n**b** reply \n\n## U\n");
}

TEST_CASE(
    "a frame, and behind it a word that stands before it, too, told as one replacement: it has "
    "landed (30021965)") {
  StrictClient client("  ask\nnow");
  const RegionId region = client.engine.open_region(
      client.text.size(), Frame{"\n\n## Agent A1\n\n", "\n\n## User\n\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  // "  " went and came in the first lines, "\nnow" was typed behind: what is told ends before the
  // first "\nnow".
  const std::string after = "ask\n  now\n\n## Agent A1\n\n\n\n## User\n\nnow";
  tell(client, {0, 5, after.substr(0, after.size() - 4)});
  REQUIRE(client.text == after);
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n  now\n\n## Agent A1\n\none\n\n## User\n\nnow");
}

TEST_CASE(
    "a frame, and behind it what begins as its end is deleted, told as one replacement before it: "
    "it has landed (51106999)") {
  StrictClient client("x\n\n## User\n\nask\n");
  const RegionId region =
      client.engine.open_region(4, Frame{"\n\n## Agent A0\n\n", "\n\n## User\n\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  // "more " came at the begin, the frame behind the first "#", and "# User\n\n" went.
  tell(client, {0, 1, "more x\n\n#\n\n## Agent A0\n\n"});
  REQUIRE(client.text == "more x\n\n#\n\n## Agent A0\n\n\n\n## User\n\nask\n");
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "more x\n\n#\n\n## Agent A0\n\none\n\n## User\n\nask\n");
}

TEST_CASE(
    "an edit that was given up lands late, with other line ends: what stands twice is taken back "
    "(42004161)") {
  StrictClient client("ask\r\n");
  const RegionId region =
      client.engine.open_region(5, Frame{"\r\n## Agent A0\r\n\r\n", "\r\n\r\n## User\r\n"});
  client.engine.did_close();
  client.engine.did_open(0, client.text);
  client.version = 0;
  const OutgoingEdit first = client.sent();
  const text::Position place =
      client.engine.shadow().position_of(first.edit.begin, text::PositionEncoding::Utf8);
  client.engine.answered(Answer::TimedOut);
  tell(client, {0, 0, "I\r\n"});
  client.engine.answered(Answer::TimedOut);  // newer text came without it
  client.engine.allow_retry();
  const OutgoingEdit second = client.sent();
  const std::size_t late = client.engine.shadow().offset_of(place, text::PositionEncoding::Utf8);
  const std::string written = text::with_line_ends(first.edit.replacement, "\n");
  tell(client, {late, late, written});
  const std::size_t begin = second.edit.begin + written.size();
  tell(client, {begin, begin, text::with_line_ends(second.edit.replacement, "\n")});
  client.engine.answered(Answer::Applied);
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "I\r\nask\r\n\n## Agent A0\n\none\n\n## User\n");
}

TEST_CASE(
    "changes told as one after the answer: a little of our text is gone, or equal text stands "
    "beside it: it is not written again") {
  struct Case {
    const char* name;
    std::string before;  ///< typed at the reply's place
    std::string sent;
    std::string told;  ///< inserted so many bytes behind the place
    std::size_t at;
    std::string reply;
  };
  const std::vector<Case> cases = {
      {"its white space was trimmed (46200177)", "", "one two ", "one two", 0, "one two"},
      {"it begins as what stands behind it, and a key was typed there (46200099)", "a", "aa\naX",
       "a\naXaX", 1, "aa\naXaX"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    const std::size_t place = client.engine.region_extent(region)->end;
    if (!c.before.empty()) tell(client, {place, place, c.before});
    client.engine.append(region, c.sent);
    client.sent();
    client.engine.answered(Answer::Applied);
    tell(client, {place + c.at, place + c.at, c.told});
    client.engine.echo_is_overdue();
    CHECK_FALSE(client.engine.in_flight());
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\n" + c.reply + "\n\n## U\n");
  }
}

TEST_CASE(
    "some of a heading is deleted before its frame was told: the frame is not written again "
    "(46201201)") {
  StrictClient client("ask\n");
  client.engine.open_region(4, Frame{"\n\n## Agent A0\n\n", "\n\n## User\n\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  tell(client, {4, 4, "\n\n## Agen\n\n## User\n\n"});
  client.engine.echo_is_overdue();
  CHECK_FALSE(client.engine.in_flight());
  client.drain();
  CHECK(client.text == "ask\n\n\n## Agen\n\n## User\n\n");
}

TEST_CASE(
    "a block that is cut and brought back holds what is in the air, which was dropped: it is "
    "written (46033672)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("a hello world");
  client.engine.append(region, " hello world");
  client.sent();
  client.engine.answered(Answer::Applied);
  const std::string block = client.text.substr(4);
  tell(client, {4, client.text.size(), ""});
  tell(client, {4, 4, block});
  client.engine.echo_is_overdue();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\na hello world hello world\n\n## U\n");
}

}  // namespace sync_guesses_test_internal

}  // namespace agent_doc::sync
