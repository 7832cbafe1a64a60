// What fresh seeds of the simulation found, each as a few steps. Whole texts.

#include "server/sync/sync_engine.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_seeds_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;

ReplaceRange range(std::uint32_t begin_line, std::uint32_t begin_column, std::uint32_t end_line,
                   std::uint32_t end_column, std::string text) {
  return {{{begin_line, begin_column}, {end_line, end_column}}, std::move(text)};
}

TEST_CASE(
    "all of a reply is undone in two steps, then the document is reopened as it was saved: the "
    "reply goes on behind it (30003212)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.did_save();
  const std::string saved = client.text;
  client.replace("one", "");
  client.replace("\n## A\n\n\n\n## U\n", "");
  CHECK(client.engine.region_state(region) == RegionState::Detached);
  client.engine.append(region, " two");
  client.engine.did_close();
  client.text = saved;
  client.version = 1;
  client.engine.did_open(1, saved);
  client.engine.resume_region(region);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
}

TEST_CASE(
    "a program writes back what it read before this reply began: the reply has no place there "
    "(30002817)") {
  StrictClient client("ask\n");
  const RegionId first = client.open_region_with("one two three");
  client.engine.finish_region(first);
  const std::string read = client.text;
  client.change({0, client.text.size(), ""});
  const RegionId other = client.engine.open_region(0, Frame{"\n## B\n\n", "\n\n## U\n"});
  client.drain();
  client.change({0, client.text.size(), read});
  client.engine.append(other, "four");
  CHECK(client.sends_nothing());
  CHECK(client.engine.region_state(other) == RegionState::Detached);
  CHECK(client.text == read);
}

TEST_CASE(
    "a deletion across the end of the reply is undone: the reply goes on behind it (30070806)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\n");
  client.engine.did_change(++client.version, {range(4, 0, 7, 0, "")});
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.did_change(++client.version, {range(4, 0, 4, 0, "one\n\n\n")});
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.engine.append(region, "two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\ntwo\n\n## U\n");
}

TEST_CASE(
    "the undo of a frame is told from inside its heading into the heading below, which begins "
    "alike (30030684)") {
  StrictClient client("## Q\nask\n");
  const RegionId region = client.engine.open_region(0, Frame{"## A\n", "\n"});
  client.drain();
  REQUIRE(client.text == "## A\n\n## Q\nask\n");
  client.engine.did_change(++client.version, {range(0, 3, 2, 3, "")});  // "A\n\n## "
  CHECK(client.engine.shadow().text() == "## Q\nask\n");
  client.engine.append(region, "one");
  CHECK(client.sends_nothing());
  CHECK(client.engine.region_state(region) == RegionState::Detached);
}

TEST_CASE("a line that is deleted below stale text leaves the reply's own line end (30030521)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\ntwo");
  client.engine.replace_from(region, 4, "three");
  client.replace("two\n", "");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\nthree\n## U\n");
}

TEST_CASE(
    "an edit is told for itself beside a paste that holds the same: it is not looked for in the "
    "paste (30000431)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "a");
  client.sent();
  client.engine.answered(Answer::Applied);
  // The client puts it behind what was pasted at the same place.
  client.text.replace(client.text.find("\n\n## U"), 0, "\nXa\na");
  client.engine.did_change(++client.version, {range(4, 0, 4, 0, "\nXa\n"), range(6, 0, 6, 0, "a")});
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "b");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\nXa\nab\n\n## U\n");
}

TEST_CASE(
    "changes told as one: some of what we inserted was deleted, and the rest proves it (783)") {
  StrictClient client("");
  const RegionId region =
      client.engine.open_region(0, Frame{"\n\n## Agent A0\n\n", "\n\n## User\n\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  client.change({0, 0, "\n\n## Agent A0\n\n\n\n##r\n\n"});
  client.engine.echo_is_overdue();
  client.engine.append(region, "one");
  client.drain();
  CHECK(client.text == "\n\n## Agent A0\n\none\n\n##r\n\n");
  CHECK(client.notices().empty());
}

TEST_CASE("changes told as one: an equal line end was typed before our text (30011820)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "one two three four");
  client.sent();
  client.engine.answered(Answer::Applied);
  const std::size_t at = client.text.find("\n\n## U");
  client.change({at + 1, at + 1, "one two three four\n"});  // "\n" typed at the begin of the reply
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, " five");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\none two three four five\n\n## U\n");
}

TEST_CASE(
    "an opening region that was stopped does not begin to write at the top of the document "
    "(30000000)") {
  StrictClient client("ask\n");
  const RegionId region =
      client.engine.open_region(4, Frame{"\n## Assistant\n\n", "\n\n## User\n"});
  client.engine.append(region, "a reply of some length");
  for (int edits = 0;
       const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything); ++edits) {
    REQUIRE(edits < 2);
    client.change({0, 0, edit->edit.replacement});
    client.engine.answered(Answer::Applied);
    client.engine.echo_is_overdue();
  }
  const std::string stopped = client.text;
  client.insert_before("ask", "X");
  CHECK(client.sends_nothing());
  CHECK(client.text.size() == stopped.size() + 1);
}

TEST_CASE("a client says that it made an edit and nothing changes: it is not asked without end") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.replace_from(region, 4, "");
  int edits = 0;
  while (const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything)) {
    REQUIRE(++edits < 50);
    client.engine.answered(Answer::Applied);
    client.engine.did_change(++client.version, {});
    client.engine.echo_is_overdue();
  }
  CHECK(edits == kMaxSuspicion);
  CHECK(client.notices() == Notices{NoticeKind::ClientRewrites});
}

TEST_CASE(
    "an honest client and a person who undoes in the text that an edit replaces: no rewriting "
    "(30004199)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two three");
  client.engine.replace_from(region, 0, "six");
  client.sent();
  client.replace("ne two thr", "");  // as many bytes as the edit takes out, inside what it replaces
  client.engine.answered(Answer::Applied);
  client.engine.echo_is_overdue();
  for (const NoticeKind notice : client.notices()) CHECK(notice != NoticeKind::ClientRewrites);
  client.engine.resume_region(region);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nsix\n\n## U\n");
}

TEST_CASE("undone and redone in one notification: everything stands where it stood (30056977)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::string text =
      client.text;  // the blank lines below the heading go, all goes, all comes back
  client.engine.did_change(++client.version,
                           {range(2, 4, 4, 0, ""), range(2, 4, 2, 4, "\n\n"), range(1, 0, 7, 0, ""),
                            range(1, 0, 1, 0, text.substr(4))});
  REQUIRE(client.engine.shadow().text() == text);
  client.engine.append(region, "one");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\n\n## U\n");
}

TEST_CASE(
    "an undo takes text of the reply, and what was no longer wanted behind it: it pauses the reply "
    "until the redo (46016496)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.replace_from(region, 4, "");
  client.engine.did_change(++client.version, {range(4, 0, 4, 7, "")});
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.did_change(++client.version, {range(4, 0, 4, 0, "one two")});
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none \n\n## U\n");
}

TEST_CASE(
    "blank lines above a reply that has no text yet are tidied and brought back: they are not "
    "there twice (46008576)") {
  struct Case {
    const char* name;
    std::string typed;
    std::string text;
  };
  const std::vector<Case> cases = {{"nothing else", "", "ask\n\n## A\n\none\n\n## U\n"},
                                   {"a key between them", "x", "ask\n\n## A\n\nonex\n\n## U\n"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.engine.did_change(++client.version, {range(2, 4, 4, 0, "")});
    client.engine.did_change(++client.version, {range(2, 4, 2, 4, "\n\n")});
    client.engine.did_change(++client.version, {range(4, 0, 4, 0, c.typed)});
    client.text = client.engine.shadow().text();
    client.engine.append(region, "one");
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == c.text);
  }
}

TEST_CASE(
    "what follows the reply is deleted and comes back piece by piece, line ends first: its heading "
    "begins a line (51009813)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const std::size_t end = client.engine.region_extent(region)->end;
  client.change({end, client.text.size(), ""});
  client.change({end, end, "\n\n"});
  client.change({end, end, "## U"});
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\n\n## U\n\n");
}

TEST_CASE(
    "a reply is undone, then its heading, and both are pasted: the reply goes on behind what it "
    "was (46016496)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  const std::string block = client.text.substr(4);
  client.engine.did_change(++client.version, {range(4, 0, 4, 3, "")});
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.engine.did_change(++client.version, {range(1, 0, 7, 0, "")});
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.did_change(++client.version, {range(0, 0, 0, 0, block)});
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.text = client.engine.shadow().text();
  client.engine.append(region, " two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "\n## A\n\none two\n\n## U\nask\n");
}

TEST_CASE(
    "what is deleted around the place of a frame is brought back before the frame lands: it is "
    "where it belongs (49003984)") {
  StrictClient client("a\nask\nb\n", 0);
  const RegionId region = client.engine.open_region(5, Frame{"\n## A\n\n", "\n\n## U"});
  const OutgoingEdit edit = client.sent();
  client.engine.did_change(++client.version, {range(1, 1, 2, 1, "")});
  client.engine.did_change(++client.version, {range(1, 1, 1, 1, "sk\nb")});
  client.apply(edit);
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "a\nask\n## A\n\none\n\n## U\nb\n");
  CHECK(client.notices().empty());
}

TEST_CASE(
    "a block is pasted whose heading begins as one that is gone: it is not that one's place "
    "(50122026)") {
  StrictClient client("## A1\n\nask\n");
  const RegionId region = client.engine.open_region(client.text.size(), Frame{"\n## A\n", "\n"});
  client.drain();
  client.engine.did_change(++client.version, {range(4, 4, 6, 0, "")});
  client.engine.did_change(++client.version, {range(4, 0, 4, 4, "")});
  client.engine.did_change(++client.version, {range(0, 0, 1, 0, "")});
  client.engine.did_change(++client.version, {range(0, 0, 0, 0, "## A1\n")});
  client.text = client.engine.shadow().text();
  client.engine.append(region, "one");
  client.drain();
  CHECK(client.engine.region_state(region) == RegionState::Detached);
  CHECK(client.text == "## A1\n\nask\n\n");
}

TEST_CASE(
    "what is typed over a selection ends as the edit that is told beside it: that one is ours "
    "(64001637, 67001696)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\n");
  client.engine.append(region, "- item\n");
  REQUIRE(client.engine.poll(Release::Everything));
  client.engine.answered(Answer::Applied);
  client.engine.did_change(++client.version,
                           {range(5, 0, 7, 2, "reply - item\n"), range(5, 0, 5, 0, "- item\n")});
  client.text = client.engine.shadow().text();
  client.engine.replace_from(region, 4, "");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\nreply - item\n U\n");

  StrictClient other("ask\n");
  const RegionId corrected = other.open_region_with("one\ntwo\n");
  other.engine.replace_from(corrected, 1, "x\ny\nz\n");
  const OutgoingEdit edit = other.sent();
  const std::string& sent = edit.edit.replacement;
  other.engine.answered(Answer::Applied);
  const text::Position begin =
      other.engine.shadow().position_of(edit.edit.begin, text::PositionEncoding::Utf8);
  const text::Position end =
      other.engine.shadow().position_of(edit.edit.end, text::PositionEncoding::Utf8);
  other.engine.did_change(++other.version,
                          {range(0, 0, 0, 0, "**b** "), ReplaceRange{{begin, end}, sent}});
  other.text = other.engine.shadow().text();
  other.engine.finish_region(corrected);
  other.drain();
  CHECK(other.text == "**b** ask\n\n## A\n\nox\ny\nz\n\n\n## U\n");
}

TEST_CASE(
    "a key that makes the text what it was once is no text that came back: it is not taken for the "
    "reply's (49008742)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("aaaaaaaaa");
  client.engine.did_change(++client.version, {range(4, 2, 4, 7, "")});
  client.engine.did_change(++client.version, {range(4, 4, 4, 4, "aaaa")});
  client.engine.append(region, "aaaa");
  REQUIRE(client.engine.poll(Release::Everything));
  client.engine.did_change(++client.version, {range(4, 8, 4, 8, "a")});
  client.engine.answered(Answer::Refused);
  client.text = client.engine.shadow().text();
  client.engine.replace_from(region, 0, "");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\naaaaa\n\n## U\n");
}

TEST_CASE(
    "an edit of one line end among others is told together with a key some line ends further: it "
    "is not made again (62001538)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "\n");
  REQUIRE(client.engine.poll(Release::Everything));
  client.engine.answered(Answer::Applied);
  client.engine.did_change(++client.version, {range(6, 0, 6, 4, "\n## U2")});
  client.engine.echo_is_overdue();
  client.text = client.engine.shadow().text();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\n\n\n## U2\n");
}

TEST_CASE(
    "the undo of a frame is told together with the next one, which begins and ends alike: it is "
    "not made again (61002398)") {
  StrictClient client("ask\n");
  client.engine.retract_region(client.open_region());
  const RegionId region =
      client.engine.open_region(client.text.size(), Frame{"\n## B\n\n", "\n\n## U\n"});
  client.engine.append(region, "words");
  const OutgoingEdit edit = client.sent();
  REQUIRE(edit.kind == FlightKind::Frame);
  client.engine.answered(Answer::Applied);
  client.engine.did_change(++client.version, {range(2, 3, 4, 0, "B\n\nwords")});
  client.engine.echo_is_overdue();
  CHECK(client.engine.region_state(region) == RegionState::Growing);
  client.text = client.engine.shadow().text();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## B\n\nwords\n\n## U\n");
}

}  // namespace sync_seeds_test_internal

}  // namespace agent_doc::sync
