// What people and clients do to a document while a reply is written into it: each case that
// ARCHITECTURE promises, as whole texts.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_engine_cases_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;

TEST_CASE("typing above, inside, below and at the borders of a growing reply") {
  struct Case {
    const char* name;
    std::size_t at;
    std::string result;
  };
  // "ask\n\n## A\n\none\n\n## U\n": the reply is [11, 14), the frame [4, 21).
  const std::vector<Case> cases = {
      {"above", 0, "Xask\n\n## A\n\none two\n\n## U\n"},
      {"at the frame's begin", 4, "ask\nX\n## A\n\none two\n\n## U\n"},
      {"at the reply's begin", 11, "ask\n\n## A\n\nXone two\n\n## U\n"},
      {"inside", 12, "ask\n\n## A\n\noXne two\n\n## U\n"},
      {"exactly at the insertion point", 14, "ask\n\n## A\n\none twoX\n\n## U\n"},
      {"in the tail", 15, "ask\n\n## A\n\none two\nX\n## U\n"},
      {"below", 21, "ask\n\n## A\n\none two\n\n## U\nX"},
  };
  for (const Case& c : cases) {
    for (const bool in_flight : {false, true}) {
      CAPTURE(c.name);
      CAPTURE(in_flight);
      StrictClient client("ask\n");
      const RegionId region = client.open_region_with("one");
      client.engine.append(region, " two");
      if (in_flight) client.sent();
      client.change({c.at, c.at, "X"});
      if (in_flight) client.engine.answered(Answer::Refused);
      client.drain();
      CHECK(client.text == c.result);
      CHECK(client.notices().empty());
    }
  }
}

TEST_CASE("deleting in the reply leaves the rest where it is") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two three");
  client.replace(" two", "");
  client.engine.append(region, " four");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none three four\n\n## U\n");
}

TEST_CASE("the region or its heading is deleted: nothing more is written") {
  for (const std::string deleted : {"## A", "\n## A\n\none\n\n## U\n"}) {
    CAPTURE(deleted);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one");
    client.replace(deleted, "");
    CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
    CHECK(client.engine.region_state(region) == RegionState::Detached);
    CHECK_FALSE(client.engine.region_extent(region));
    client.engine.append(region, " two");
    CHECK(client.sends_nothing());
  }
}

TEST_CASE(
    "what is typed right before the heading is no part of it: the heading is gone when the rest of "
    "it is") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.insert_before("## A", "mine ");
  client.replace("## A", "");
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.append(region, " two");
  client.drain();
  CHECK(client.text == "ask\n\nmine \n\none\n\n## U\n");
}

TEST_CASE("a reply never goes on in the line of its heading") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.replace("## A\n\n", "## A");
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.append(region, " two");
  CHECK(client.sends_nothing());
}

TEST_CASE("undo pauses the reply, and redo lets it go on") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  client.drain();
  client.replace(" two", "");
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.append(region, " three");
  CHECK(client.sends_nothing());
  client.insert_before("\n\n## U", " two");
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE("what was undone is not written again when the person lets the reply go on") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(" two", "");
  client.engine.append(region, " three");
  client.engine.resume_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none three\n\n## U\n");
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
}

TEST_CASE("a person who types where text was undone does not write for us") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(" two", "");
  client.insert_before("\n\n## U", " t");
  client.engine.resume_region(region);
  client.engine.replace_from(region, 0, "four");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nfour t\n\n## U\n");
}

TEST_CASE("undo while an edit is in the air") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  const OutgoingEdit refused = client.sent();
  client.replace("one", "");  // undone before the edit arrived
  CHECK(client.notices().empty());
  client.engine.answered(Answer::Refused);
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.resume_region(region);
  const OutgoingEdit landed = client.sent();
  CHECK(landed.edit.replacement == refused.edit.replacement);
  client.change(landed.edit);
  client.replace(" two", "");  // undone before the answer was sent
  client.engine.answered(Answer::Applied);
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.append(region, " three");
  CHECK(client.sends_nothing());
  CHECK(client.text == "ask\n\n## A\n\n\n\n## U\n");
}

TEST_CASE("letting the reply go on while an edit of something else is in the air") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(" two", "");
  client.engine.propose([](const text::TextBuffer& text) -> std::optional<text::Edit> {
    if (text.text().front() == '-') return std::nullopt;
    return text::Edit{0, 0, "-"};
  });
  const OutgoingEdit edit = client.sent();
  client.engine.resume_region(region);
  client.engine.append(region, "!");
  client.apply(edit);
  client.drain();
  CHECK(client.text == "-ask\n\n## A\n\none!\n\n## U\n");
}

TEST_CASE(
    "a formatter, a reload, a full-text client: the whole text is told, and the anchors survive") {
  const std::string before = "# Doc\n\nask\n\n## A\n\none\ntwo\n\n## U\n";
  const std::string after = "# Doc\n\n  ask\n\n## A\n\n- one\n- two\n\n## U\n\nmore\n";
  const std::vector<std::vector<ContentChange>> reports = {
      {ReplaceAll{after}},
      {ReplaceRange{{{0, 0}, {10, 0}}, after}},
      {text::Edit{0, before.size(), after}},
  };
  for (const std::vector<ContentChange>& report : reports) {
    StrictClient client("# Doc\n\nask\n");
    const RegionId region = client.open_region_with("one\ntwo");
    CHECK(client.text == before);
    client.text = after;
    client.engine.did_change(++client.version, report);
    client.engine.append(region, " three");
    client.drain();
    CHECK(client.text == "# Doc\n\n  ask\n\n## A\n\n- one\n- two three\n\n## U\n\nmore\n");
    CHECK(client.notices().empty());
  }
}

TEST_CASE("a full-text client tells our edit and what was typed inside it at once") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "the answer is 42");
  client.sent();
  client.text = "I ask\n\n## A\n\nthe real answer is 42\n\n## U\n";
  client.engine.answered(Answer::Applied);
  client.engine.did_change(++client.version, {ReplaceAll{client.text}});
  client.engine.append(region, "!");
  client.drain();
  CHECK(client.text == "I ask\n\n## A\n\nthe real answer is 42!\n\n## U\n");
}

TEST_CASE("both explanations of a whole text are kept until the client has answered") {
  for (const Answer answer : {Answer::Refused, Answer::Applied}) {
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, "aaab");
    client.sent();
    // Typed by the person, or ours with a line before it: the text is the same.
    client.text = "ask\n\n## A\n\nx\naaab\n\n## U\n";
    client.engine.did_change(++client.version, {ReplaceAll{client.text}});
    client.engine.answered(answer);
    client.drain();
    const bool landed = answer == Answer::Applied;
    CHECK(client.text ==
          (landed ? "ask\n\n## A\n\nx\naaab\n\n## U\n" : "ask\n\n## A\n\naaabx\naaab\n\n## U\n"));
  }
}

TEST_CASE("closed in mid-turn and opened again: the region is found by what changed") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.did_close();
  client.engine.append(region, " two");
  CHECK_FALSE(client.engine.is_open());
  CHECK(client.sends_nothing());
  client.text = "I ask\n\n## A\n\none\n\n## U\nmore\n";
  client.version = 1;
  client.engine.did_open(client.version, client.text);
  client.drain();
  CHECK(client.text == "I ask\n\n## A\n\none two\n\n## U\nmore\n");
}

TEST_CASE("closed with what was not saved thrown away: the reply is not written again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.did_close();
  client.text = "ask\n";
  client.version = 1;
  client.engine.did_open(client.version, client.text);
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.append(region, " two");
  CHECK(client.sends_nothing());
}

TEST_CASE("closed with an edit in the air") {
  struct Case {
    const char* name;
    std::string reopened;
    std::vector<Answer> before_open;
  };
  const std::vector<Case> cases = {
      {"it had landed and was saved", "ask\n\n## A\n\none two\n\n## U\n", {Answer::Applied}},
      {"it had landed, the answer never comes", "ask\n\n## A\n\none two\n\n## U\n", {}},
      {"it was refused", "ask\n\n## A\n\none\n\n## U\n", {Answer::Refused}},
      {"it had landed and was thrown away", "ask\n\n## A\n\none\n\n## U\n", {Answer::Applied}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one");
    client.engine.append(region, " two");
    client.sent();
    client.engine.did_close();
    for (const Answer answer : c.before_open) client.engine.answered(answer);
    client.text = c.reopened;
    client.version = 1;
    client.engine.did_open(client.version, client.text);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
  }
}

TEST_CASE("an edit that was sent before the text was closed lands after it was opened again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  const OutgoingEdit edit = client.sent();
  client.engine.did_close();
  client.version = edit.base_version;  // versions count anew, so the old one fits again
  client.engine.did_open(client.version, client.text);
  CHECK(client.sends_nothing());
  client.insert_before("ask", "I\n");
  client.change({16, 16, edit.edit.replacement});
  client.engine.answered(Answer::Applied);
  client.drain();
  CHECK(client.text == "I\nask\n\n## A\n\none two\n\n## U\n");
}

TEST_CASE("changes that do not fit the text: nothing is written until it is opened again") {
  struct Case {
    const char* name;
    Version version;
    ContentChange change;
  };
  const std::vector<Case> cases = {
      {"the version goes backwards", 0, text::Edit{0, 0, "x"}},
      {"a range outside of the text", 9, ReplaceRange{{{0, 0}, {99, 0}}, "x"}},
      {"a range that ends before it begins", 9, ReplaceRange{{{1, 0}, {0, 0}}, "x"}},
      {"bytes outside of the text", 9, text::Edit{0, 9999, "x"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one");
    client.engine.did_change(c.version, {c.change});
    CHECK(client.notices() == Notices{NoticeKind::ShadowLost});
    client.engine.append(region, " two");
    CHECK(client.sends_nothing());
    client.engine.did_open(client.version, client.text);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
  }
}

TEST_CASE("the shadow is lost with an edit in the air that lands") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  const OutgoingEdit edit = client.sent();
  client.engine.did_change(0, {text::Edit{0, 0, "x"}});
  client.text.insert(edit.edit.begin, edit.edit.replacement);
  client.engine.answered(Answer::Applied);
  client.engine.did_open(client.version + 1, client.text);
  client.version += 1;
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
}

TEST_CASE("two replies in one document take turns, one edit in flight for both") {
  StrictClient client("one\ntwo\n");
  const RegionId first = client.engine.open_region(4, Frame{"[", "]\n"});
  const RegionId second = client.engine.open_region(8, Frame{"(", ")\n"});
  client.engine.append(first, "a");
  client.engine.append(second, "b");
  client.drain();
  client.engine.append(second, "B");
  client.sent();
  client.engine.append(first, "A");
  client.insert_before("one", ">");
  client.engine.answered(Answer::Refused);
  client.drain();
  CHECK(client.text == ">one\n[aA]\ntwo\n(bB)\n");
  client.engine.finish_region(first);
  client.engine.finish_region(second);
  CHECK_FALSE(client.engine.wants_to_write());
}

TEST_CASE("a region that is opened while an edit is in the air") {
  for (const bool lands : {true, false}) {
    CAPTURE(lands);
    StrictClient client("one\ntwo\n");
    const RegionId first = client.engine.open_region(4, Frame{"[", "]\n"});
    client.drain();
    client.engine.append(first, "reply");
    const OutgoingEdit edit = client.sent();
    client.engine.open_region(client.text.size(), Frame{"(", ")\n"});
    if (lands) {
      client.apply(edit);
    } else {
      client.insert_before("one", ">");
      client.engine.answered(Answer::Refused);
    }
    client.drain();
    CHECK(client.text == (lands ? "" : ">") + std::string("one\n[reply]\ntwo\n()\n"));
  }
}

TEST_CASE(
    "a region that is opened while an edit is in the air to a client that counts no versions") {
  StrictClient client("one\ntwo\n", 0);
  const RegionId first = client.engine.open_region(4, Frame{"[", "]\n"});
  const OutgoingEdit frame = client.sent();
  client.engine.did_change(0, {text::Edit{0, 0, "x"}});
  client.engine.open_region(9, Frame{"(", ")\n"});
  client.engine.did_change(0, {text::Edit{0, 1, ""}, frame.edit});
  client.engine.answered(Answer::Applied);
  client.text = "one\n[]\ntwo\n";
  CHECK(client.engine.shadow().text() == client.text);
  CHECK(client.engine.region_state(first) == RegionState::Growing);
  CHECK(client.sent().edit == text::Edit{11, 11, "()\n"});
}

TEST_CASE("text that is typed at a frame's place before it lands stays above it") {
  StrictClient client("ask\n");
  client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U\n"});
  client.sent();
  client.replace("", "more\n");
  client.engine.answered(Answer::Refused);
  client.drain();
  CHECK(client.text == "ask\nmore\n\n## A\n\n\n\n## U\n");
}

TEST_CASE("a document with CRLF: an edit never begins or ends inside a line end") {
  StrictClient client("ask\r\n");
  const RegionId region =
      client.engine.open_region(5, Frame{"\r\n## A\r\n\r\n", "\r\n\r\n## U\r\n"});
  client.engine.append(region, "one\r\ntwo");
  client.drain();
  client.engine.replace_from(region, 3, "\r\nthree");
  client.drain();
  CHECK(client.text == "ask\r\n\r\n## A\r\n\r\none\r\nthree\r\n\r\n## U\r\n");
  // A program that knows no line ends leaves the insertion point between "\r" and "\n": it moves to
  // where the protocol has a position.
  const std::size_t end = client.engine.region_extent(region)->end;
  client.change({end, end + 1, ""});
  client.change({end - 1, end, "\r"});
  client.engine.append(region, "!");
  const OutgoingEdit edit = client.sent();
  CHECK(client.engine.shadow().position_of(edit.edit.begin, text::PositionEncoding::Utf8) ==
        client.engine.shadow().position_of(end - 1, text::PositionEncoding::Utf8));
  CHECK(edit.edit.begin == end - 1);
}

TEST_CASE("positions are counted in the client's encoding") {
  struct Case {
    text::PositionEncoding encoding;
    std::uint32_t column;  ///< behind "a", an emoji and an accented letter
  };
  const std::vector<Case> cases = {{text::PositionEncoding::Utf8, 7},
                                   {text::PositionEncoding::Utf16, 4},
                                   {text::PositionEncoding::Utf32, 3}};
  for (const Case& c : cases) {
    SyncEngine engine(c.encoding);
    engine.did_open(1, "a\U0001F600\u00E9x\n");
    engine.did_change(2, {ReplaceRange{{{0, c.column}, {0, c.column}}, "!"}});
    CHECK(engine.shadow().text() == "a\U0001F600\u00E9!x\n");
  }
}

TEST_CASE("a finished region is forgotten when a new one is opened") {
  StrictClient client("ask\n");
  const RegionId first = client.open_region_with("one");
  client.engine.finish_region(first);
  const RegionId second = client.open_region_with("two");
  CHECK(client.engine.region_state(first) == RegionState::Settled);
  CHECK_FALSE(client.engine.region_extent(first));
  CHECK(client.engine.region_state(second) == RegionState::Growing);
  CHECK(client.text == "ask\n\n## A\n\none\n\n## U\n\n## A\n\ntwo\n\n## U\n");
}

}  // namespace sync_engine_cases_test_internal
}  // namespace agent_doc::sync
