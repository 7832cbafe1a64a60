// How an edit is sent, proven, refused and replaced. What people and clients do to the text is in
// sync_engine_cases_test.cpp.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_engine_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;

std::string applied(std::string text, const text::Edit& edit) {
  return text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
}

TEST_CASE("a reply grows inside its frame") {
  StrictClient client("ask\n");
  const RegionId region = client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U\n"});
  CHECK(client.engine.region_state(region) == RegionState::Opening);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\n\n## U\n");
  CHECK(client.engine.region_state(region) == RegionState::Growing);
  client.engine.append(region, "one ");
  client.drain();
  client.engine.append(region, "two");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
  CHECK(client.engine.region_extent(region)->begin == 11);
  CHECK(client.engine.region_extent(region)->end == 18);
  client.engine.finish_region(region);
  CHECK(client.engine.region_state(region) == RegionState::Settled);
  CHECK_FALSE(client.engine.wants_to_write());
}

TEST_CASE("text that is there when the frame leaves goes with it") {
  StrictClient client("");
  const RegionId region = client.engine.open_region(0, Frame{"[", "]"});
  client.engine.append(region, "reply");
  CHECK(client.sent().edit == text::Edit{0, 0, "[reply]"});
}

TEST_CASE("one edit is in flight, and what comes meanwhile goes in one") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "a");
  const OutgoingEdit first = client.sent();
  client.engine.append(region, "b");
  client.engine.append(region, "c");
  CHECK(client.sends_nothing());
  client.apply(first);
  CHECK(client.sent().edit.replacement == "bc");
}

TEST_CASE("an edit has landed when the text shows it, whether the answer comes after or before") {
  for (const bool answer_first : {false, true}) {
    CAPTURE(answer_first);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, "a");
    const OutgoingEdit edit = client.sent();
    if (answer_first) client.engine.answered(Answer::Applied);
    CHECK(client.engine.in_flight());
    client.change(edit.edit);
    if (!answer_first) client.engine.answered(Answer::Applied);
    CHECK_FALSE(client.engine.in_flight());
    CHECK(client.sends_nothing());
    CHECK(client.text == "ask\n\n## A\n\na\n\n## U\n");
  }
}

TEST_CASE("a refused edit is made again for the text of now") {
  for (const Answer answer : {Answer::Refused, Answer::Failed}) {
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, "reply");
    client.sent();
    client.insert_before("ask", "I ");
    client.engine.answered(answer);
    CHECK(client.sent().edit == text::Edit{13, 13, "reply"});
  }
}

TEST_CASE("applied without effect: a while after newer texts without it, it counts as dropped") {
  for (const bool goes_on_typing : {true, false}) {
    CAPTURE(goes_on_typing);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, "reply");
    client.sent();
    client.engine.answered(Answer::Applied);
    client.engine.echo_is_overdue();  // nothing newer was told: it may still come
    CHECK(client.sends_nothing());
    client.insert_before("ask", "I");
    CHECK(client.sends_nothing());
    for (int key = 0; key < (goes_on_typing ? 20 : 0); ++key) {
      client.insert_before("ask", " ");
      CHECK(client.sends_nothing());
    }
    client.engine.echo_is_overdue();
    const std::size_t at = goes_on_typing ? 32 : 12;
    CHECK(client.sent().edit == text::Edit{at, at, "reply"});
  }
}

TEST_CASE("several keys are told at once, and ours is among them") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "reply");
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  client.text = applied(client.text, edit.edit);
  const text::Edit first{0, 0, "x"};
  const text::Edit second{client.text.size() + 1, client.text.size() + 1, "y"};
  client.text = applied(applied(client.text, first), second);
  client.engine.did_change(++client.version, {edit.edit, first, second});
  CHECK(client.text == "xask\n\n## A\n\nreply\n\n## U\ny");
  CHECK(client.sends_nothing());
  client.engine.append(region, "!");
  client.drain();
  CHECK(client.text == "xask\n\n## A\n\nreply!\n\n## U\ny");
}

TEST_CASE("an echo is known by the text, not by its shape") {
  struct Case {
    const char* name;
    std::vector<ContentChange> changes;
  };
  // "line1\n" was inserted before "line2\n" at offset 11 of "ask\n\n## A\n\nline2\n\n## U\n".
  const std::vector<Case> cases = {
      {"as it was sent", {text::Edit{11, 11, "line1\n"}}},
      {"as changed lines", {ReplaceRange{{{4, 4}, {4, 5}}, "1\nline2"}}},
      {"in two pieces", {text::Edit{11, 11, "line"}, text::Edit{15, 15, "1\n"}}},
      {"as the whole text", {ReplaceAll{"ask\n\n## A\n\nline1\nline2\n\n## U\n"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.insert_before("\n\n## U", "line2");
    client.engine.append(region, "line1\n");
    CHECK(client.sent().edit == text::Edit{11, 11, "line1\n"});
    client.engine.did_change(++client.version, c.changes);
    client.engine.answered(Answer::Applied);
    CHECK(client.engine.shadow().text() == "ask\n\n## A\n\nline1\nline2\n\n## U\n");
    CHECK(client.sends_nothing());
    CHECK(client.engine.region_extent(region)->end == 17);
  }
}

TEST_CASE("a few bytes that were refused may have been typed by the person") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "a");
  client.sent();
  client.change({11, 11, "a"});
  client.engine.answered(Answer::Refused);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\naa\n\n## U\n");
}

TEST_CASE("nothing is sent again to a client that may still apply it") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "reply");
  const OutgoingEdit edit = client.sent();
  for (int i = 0; i < kMaxRefusalsAtOneVersion; ++i) {
    CHECK(client.notices().empty());
    client.engine.answered(Answer::TimedOut);
    client.engine.allow_retry();
    CHECK(client.sends_nothing());
  }
  client.engine.answered(Answer::TimedOut);
  CHECK(client.notices() == Notices{NoticeKind::ClientKeepsRefusing});
  client.change(edit.edit);  // the person has closed the dialog that the client waited for
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nreply\n\n## U\n");
}

TEST_CASE("no answer, and a newer text without the edit: it is made again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "reply");
  client.sent();
  client.insert_before("ask", "I ");
  client.engine.answered(Answer::TimedOut);
  client.drain();
  CHECK(client.text == "I ask\n\n## A\n\nreply\n\n## U\n");
}

TEST_CASE("a refusal that no change explains waits for a retry, and is told after five") {
  StrictClient client("ask\n");
  client.engine.open_region(4, Frame{"[", "]"});
  for (int i = 0; i < kMaxRefusalsAtOneVersion; ++i) {
    CHECK(client.notices().empty());
    client.sent();
    client.engine.answered(Answer::Refused);
    CHECK(client.engine.waits_for_retry());
    CHECK(client.sends_nothing());
    client.engine.allow_retry();
  }
  CHECK(client.notices() == Notices{NoticeKind::ClientKeepsRefusing});
  CHECK(client.sends_nothing());
  client.insert_before("ask", "I ");
  client.drain();
  CHECK(client.text == "I ask\n[]");
}

TEST_CASE("an edit of version 0 is looked for at its literal position") {
  StrictClient client("ask\n", 0);
  const RegionId region = client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U\n"});
  const OutgoingEdit frame = client.sent();
  CHECK(frame.base_version == 0);
  client.text = "ask\n!";
  client.engine.did_change(
      1, {text::Edit{4, 4, "!"}});  // typed at the very place, so the frame belongs below it
  client.text = "ask\n\n## A\n\n\n\n## U\n!";
  client.engine.did_change(2, {text::Edit{4, 4, frame.edit.replacement}});
  client.version = 2;
  client.engine.answered(Answer::Applied);
  client.drain();
  CHECK(client.text == "ask\n!\n## A\n\n\n\n## U\n");
  CHECK(client.engine.region_state(region) == RegionState::Growing);
  CHECK(client.notices().empty());
}

TEST_CASE("a client that ignores versions is found out, and what landed wrong is repaired") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "a reply of some length");
  const OutgoingEdit edit = client.sent();
  client.insert_before("ask", "I\n");  // so what was line 4 is line 5 now
  client.change({12, 12, edit.edit.replacement});
  CHECK(client.text == "I\nask\n\n## A\na reply of some length\n\n\n## U\n");
  client.engine.answered(Answer::Applied);
  CHECK(client.notices() == Notices{NoticeKind::ClientIgnoresVersions});
  client.drain();
  CHECK(client.text == "I\nask\n\n## A\n\na reply of some length\n\n## U\n");
}

TEST_CASE("replace_from: all of it is ours, so it is one minimal replacement") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("the first round");
  client.engine.replace_from(region, 0, "the last round");
  CHECK(client.sent().edit == text::Edit{15, 18, "la"});
}

TEST_CASE("replace_from: what is said again is not written again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.replace_from(region, 0, "one two three");
  CHECK(client.sent().edit == text::Edit{18, 18, " three"});
  StrictClient same("ask\n");
  const RegionId other = same.open_region_with("one two");
  same.engine.replace_from(other, 3, " two");
  CHECK(same.sends_nothing());
}

TEST_CASE("replace_from: what a person typed inside stays where it is") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two three");
  client.insert_before(" two", "MINE");
  client.engine.replace_from(region, 0, "four");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nMINEfour\n\n## U\n");
  client.engine.append(region, "!");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nMINEfour!\n\n## U\n");
}

TEST_CASE("replace_from while an edit is in the air") {
  struct Case {
    const char* name;
    std::size_t offset;
    std::string bytes;
    std::string reply;
  };
  const std::vector<Case> cases = {
      {"before it", 1, "X", "oX"},         {"at its begin", 3, "X", "oneX"},
      {"inside it", 5, "X", "one tX"},     {"at its end", 7, "X", "one twoX"},
      {"behind it", 9, "X", "one two tX"}, {"by nothing", 5, "", "one t"},
  };
  for (const Case& c : cases) {
    for (const bool lands : {true, false}) {
      CAPTURE(c.name);
      CAPTURE(lands);
      StrictClient client("ask\n");
      const RegionId region = client.open_region_with("one");
      client.engine.append(region, " two");
      const OutgoingEdit edit = client.sent();
      client.engine.append(region, " three");
      client.engine.replace_from(region, c.offset, c.bytes);
      if (lands) {
        client.apply(edit);
      } else {
        client.insert_before("ask", "I ");
        client.engine.answered(Answer::Refused);
      }
      client.drain();
      CHECK(client.text ==
            (lands ? "ask" : "I ask") + std::string("\n\n## A\n\n") + c.reply + "\n\n## U\n");
    }
  }
}

TEST_CASE("replace_from after the echo and before the answer") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  client.change(client.sent().edit);
  client.engine.replace_from(region, 1, "X");
  client.engine.answered(Answer::Applied);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\noX\n\n## U\n");
}

TEST_CASE("replace_from while an edit of something else is in the air") {
  StrictClient client("---\nkey: old\n---\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.propose([](const text::TextBuffer& text) -> std::optional<text::Edit> {
    const std::size_t at = text.text().find("old");
    return at == std::string::npos ? std::nullopt : std::optional(text::Edit{at, at + 3, "new"});
  });
  const OutgoingEdit edit = client.sent();
  client.engine.replace_from(region, 3, "!");
  client.apply(edit);
  client.drain();
  CHECK(client.text == "---\nkey: new\n---\n\n## A\n\none!\n\n## U\n");
}

TEST_CASE("retract takes a frame back that nobody has written into") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.retract_region(region);
  client.drain();
  CHECK(client.text == "ask\n");
  CHECK(client.engine.region_state(region) == RegionState::Settled);
}

TEST_CASE("retract leaves a frame that somebody has written into") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.insert_before("\n\n## U", "note");
  client.engine.retract_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nnote\n\n## U\n");
  CHECK(client.engine.region_state(region) == RegionState::Settled);
}

TEST_CASE("retract before the frame has left, and while it is in the air") {
  StrictClient client("ask\n");
  client.engine.retract_region(client.engine.open_region(4, Frame{"[", "]"}));
  CHECK(client.sends_nothing());
  const RegionId region = client.engine.open_region(4, Frame{"[", "]"});
  const OutgoingEdit frame = client.sent();
  client.engine.retract_region(region);
  client.apply(frame);
  client.drain();
  CHECK(client.text == "ask\n");

  const RegionId refused = client.engine.open_region(4, Frame{"[", "]"});
  client.sent();
  client.engine.retract_region(refused);
  client.insert_before("ask", "I ");
  client.engine.answered(Answer::Refused);
  CHECK(client.sends_nothing());
  CHECK(client.engine.region_state(refused) == RegionState::Settled);
}

TEST_CASE("retract of a reply that has text, also while it is paused, writes the rest") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.replace("one", "");
  CHECK(client.engine.region_state(region) == RegionState::Paused);
  client.engine.append(region, " two");
  client.engine.retract_region(region);
  client.engine.resume_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n two\n\n## U\n");
  CHECK_FALSE(client.engine.wants_to_write());
}

TEST_CASE("a proposal is asked until the text is as it wants, and given up when it never is") {
  StrictClient client("x\n");
  int asked = 0;
  client.engine.propose([&asked](const text::TextBuffer& text) -> std::optional<text::Edit> {
    ++asked;
    if (text.size() >= 6) return std::nullopt;
    return text::Edit{0, 0, "ab"};
  });
  client.drain();
  CHECK(client.text == "ababx\n");
  CHECK(asked == 3);
  client.engine.propose([](const text::TextBuffer& text) {
    return std::optional(text::Edit{text.size(), text.size(), "!"});
  });
  client.drain();
  CHECK(client.text.size() < 40);
  CHECK_FALSE(client.engine.wants_to_write());
}

TEST_CASE(
    "a key and our edit that are told as one replacement of all between them: the edit has landed, "
    "and is not sent again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("### Stopping\n\n");
  client.engine.append(region, "| where | how |\n|:--|:--|\n\n");
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  const std::size_t typed_at = client.text.find("Stopping") + 8;
  client.change(
      {typed_at, edit.edit.begin,
       "!" + client.text.substr(typed_at, edit.edit.begin - typed_at) + edit.edit.replacement});
  CHECK(client.sends_nothing());
  client.engine.append(region, "More.");
  client.drain();
  CHECK(client.text ==
        "ask\n\n## A\n\n### Stopping!\n\n| where | how |\n|:--|:--|\n\nMore.\n\n## U\n");
}

TEST_CASE("the first text of a reply goes before a proposal, what follows behind it") {
  StrictClient client("key: old\n");
  const RegionId region = client.open_region();
  client.engine.propose([](const text::TextBuffer& text) -> std::optional<text::Edit> {
    const std::size_t at = text.text().find("old");
    return at == std::string::npos ? std::nullopt : std::optional(text::Edit{at, at + 3, "new"});
  });
  client.engine.append(region, "one");
  const OutgoingEdit first = client.sent();
  CHECK(first.edit.replacement == "one");
  client.engine.append(region, " two");
  client.apply(first);
  const OutgoingEdit second = client.sent();
  CHECK(second.edit.replacement == "new");
  client.apply(second);
  CHECK(client.sent().edit.replacement == " two");
}

TEST_CASE("how much of a growing reply leaves") {
  struct Case {
    std::string pending;
    Release release;
    std::string sent;
  };
  const std::vector<Case> cases = {
      {"abc", Release::Everything, "abc"},
      {"abc", Release::HoldLastGrapheme, "abc"},
      {"\U0001F600", Release::HoldLastGrapheme, ""},
      {"ae\u0301", Release::HoldLastGrapheme, "a"},
      {"a\U0001F468\u200D", Release::HoldLastGrapheme, "a"},
      {"ab\r", Release::HoldLastGrapheme, "ab"},
      {"one\ntwo", Release::WholeLines, "one\n"},
      {"one\r\ntwo\r", Release::WholeLines, "one\r\n"},
      {"one two", Release::WholeLines, "one two"},
      {"one tw\u00F6", Release::WholeLines, "one tw"},
      {"one\n", Release::WholeLines, "one\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.pending);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.append(region, c.pending);
    const std::optional<OutgoingEdit> edit = client.engine.poll(c.release);
    CHECK((edit ? edit->edit.replacement : "") == c.sent);
    if (edit) client.apply(*edit);
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\n" + c.pending + "\n\n## U\n");
  }
}

}  // namespace sync_engine_test_internal
}  // namespace agent_doc::sync
