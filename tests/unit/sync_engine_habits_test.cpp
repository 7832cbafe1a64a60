// What people and their editors do beside typing while a reply is written: white space trimmed on
// save, blank lines tidied, a whole reply undone and redone, cut and pasted. Whole texts.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_engine_habits_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;

TEST_CASE("white space trimmed at the reply's end is no undo: it comes back before the next text") {
  struct Case {
    std::string reply;
    std::string trimmed;
    std::string next;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"one ", " ", "two", "one two"},          {"one \t ", " \t ", "two", "one \t two"},
      {"one\n\n", "\n\n", "two", "one\n\ntwo"}, {"one \n", "\n", "two", "one \ntwo"},
      {"- a\n  ", "  ", "- b", "- a\n  - b"},   {"one ", " ", "\ntwo", "one \ntwo"},
  };
  for (const Case& c : cases) {
    for (const bool in_flight : {false, true}) {
      CAPTURE(c.reply);
      CAPTURE(in_flight);
      StrictClient client("ask\n");
      const RegionId region = client.open_region_with(c.reply);
      if (in_flight) {
        client.engine.append(region, c.next);
        client.sent();
      }
      const std::size_t end = client.text.find("\n\n## U") - c.trimmed.size();
      client.change({end, end + c.trimmed.size(), ""});
      if (in_flight) client.engine.answered(Answer::Refused);
      CHECK(client.notices().empty());
      CHECK(client.engine.region_state(region) == RegionState::Growing);
      if (!in_flight) {
        CHECK(client.sends_nothing());
        client.engine.append(region, c.next);
      }
      client.drain();
      CHECK(client.text == "ask\n\n## A\n\n" + c.result + "\n\n## U\n");
      client.engine.append(region, " three");
      client.engine.finish_region(region);
      client.drain();
      CHECK(client.text == "ask\n\n## A\n\n" + c.result + " three\n\n## U\n");
    }
  }
}

TEST_CASE("trimmed at every save, each time the white space comes back once") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one ");
  for (const std::string word : {"two ", "three ", "four "}) {
    client.replace(" \n\n## U", "\n\n## U");
    client.engine.append(region, word);
    client.drain();
  }
  CHECK(client.text == "ask\n\n## A\n\none two three four \n\n## U\n");
  client.replace(" \n\n## U", "\n\n## U");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two three four\n\n## U\n");
  CHECK(client.engine.region_state(region) == RegionState::Settled);
  CHECK(client.notices().empty());
}

TEST_CASE("a trimmed text is undone: the white space that is back is not written again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one ");
  client.replace(" \n\n## U", "\n\n## U");
  client.replace("\n\n## U", " \n\n## U");
  client.engine.append(region, "two");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
}

TEST_CASE("white space that the reply has taken back meanwhile stays away") {
  for (const std::size_t offset : {std::size_t{3}, std::size_t{4}, std::size_t{1}}) {
    CAPTURE(offset);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one  ");
    client.replace("  \n\n## U", "\n\n## U");
    client.engine.replace_from(region, offset, "X");
    client.drain();
    CHECK(client.text ==
          "ask\n\n## A\n\n" + std::string("one  ").substr(0, offset) + "X\n\n## U\n");
  }
}

TEST_CASE("words below trimmed white space are undone: the redo of both goes on") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two ");
  client.replace(" \n\n## U", "\n\n## U");
  CHECK(client.notices().empty());
  client.replace(" two", "");
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  client.replace("one", "one two");
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.engine.append(region, "three");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE(
    "blank lines below a growing reply are tidied: what follows it begins a line at each write and "
    "at the end") {
  struct Case {
    std::string name;
    std::string reply;
    std::string gone;  ///< from the end of the reply
    std::string next;
    std::string result;
  };
  const std::vector<Case> cases = {
      {"all of them", "one", "\n\n", "two", "ask\n\n## A\n\nonetwo\n\n## U\n"},
      {"one of two", "one", "\n", " two", "ask\n\n## A\n\none two\n## U\n"},
      {"all of them, below a reply that ends with a line", "one\n\n", "\n\n", "two",
       "ask\n\n## A\n\none\n\ntwo\n\n## U\n"},
      {"all of them, and nothing more comes", "one", "\n\n", "", "ask\n\n## A\n\none\n\n## U\n"},
      {"below a line that ends, and nothing more comes", "one\n", "\n\n", "",
       "ask\n\n## A\n\none\n## U\n"},
      {"with the heading: other text follows", "one", "\n\n## U\n", " two",
       "ask\n\n## A\n\none two\n\nbelow\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with(c.reply);
    if (c.gone.size() > 2) client.replace("", "below\n");
    const std::size_t end = client.engine.region_extent(region)->end;
    client.change({end, end + c.gone.size(), ""});
    client.engine.append(region, c.next);
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == c.result);
    CHECK(client.engine.region_state(region) == RegionState::Settled);
    CHECK(client.notices().empty());
  }
}

TEST_CASE(
    "what is typed right behind the reply stays there, and the heading below it begins a line") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.replace("one", "oneX");
  client.replace("X\n\n", "X");
  client.engine.append(region, " two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none twoX\n\n## U\n");
  CHECK(client.engine.region_state(region) == RegionState::Settled);
}

TEST_CASE(
    "blank lines above a reply that has no text yet are tidied: it begins below its heading") {
  for (const std::string left : {"", "\n", "\n\n"}) {
    CAPTURE(left);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    client.replace("## A\n\n\n\n## U", "## A" + left + "## U");
    CHECK(client.notices().empty());
    client.engine.append(region, "one");
    client.drain();
    client.engine.append(region, " two");
    client.engine.finish_region(region);
    client.drain();
    const bool keeps = left == "\n";
    CHECK(client.text == "ask\n\n## A" + std::string(keeps ? "\n" : "\n\n") + "one two\n\n## U\n");
    CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE(
    "a heading that came back before the line ends above it, and a key in front of it: it begins a "
    "line (51009813)") {
  StrictClient client("ask\n");
  const RegionId region = client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## User\n\n"});
  client.drain();
  REQUIRE(client.text == "ask\n\n## A\n\n\n\n## User\n\n");
  // Told at once: blank lines are tidied, the heading goes, and what is behind it; both come back,
  // and a key.
  client.engine.did_change(
      ++client.version,
      {ReplaceRange{{{2, 4}, {4, 0}}, ""}, ReplaceRange{{{4, 0}, {4, 7}}, ""},
       ReplaceRange{{{4, 0}, {6, 0}}, ""}, ReplaceRange{{{4, 0}, {4, 0}}, "\n\n"},
       ReplaceRange{{{4, 0}, {4, 0}}, "## User"}, ReplaceRange{{{4, 0}, {4, 0}}, "1"}});
  client.text = client.engine.shadow().text();
  REQUIRE(client.text == "ask\n\n## A\n\n1## User\n\n");
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none1\n\n## User\n\n");
}

TEST_CASE(
    "all white space of a reply is undone while a correction says some of it again: all of it "
    "comes back (70011815)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("\n\n");
  client.engine.replace_from(region, 1, "\naaa");
  client.engine.did_change(++client.version, {ReplaceRange{{{4, 0}, {6, 0}}, ""}});
  client.text = client.engine.shadow().text();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\n\naaa\n\n## U\n");
}

TEST_CASE("line ends that somebody takes away again and again are not put back without end") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  int writes = 0;
  for (int i = 0; i < 2 * kMaxLineEndsRestored; ++i) {
    client.replace("\n\n## U", "## U");
    client.engine.append(region, " x");
    for (; const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything);
         ++writes)
      client.apply(*edit);
    if (client.text.find("\n\n## U") == std::string::npos) break;
  }
  CHECK(writes < 3 * kMaxLineEndsRestored);
  CHECK(client.notices().empty());
}

// --- the whole block goes and comes back ---

const std::string kBlock = "\n## A\n\none two\n\n## U\n";

TEST_CASE("reply and heading undone and redone as one step: the reply goes on where it was") {
  for (const bool has_ended : {false, true}) {
    CAPTURE(has_ended);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one two");
    client.replace(kBlock, "");
    CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
    client.engine.append(region, " three");
    if (has_ended) client.engine.finish_region(region);
    CHECK(client.sends_nothing());
    client.replace("", kBlock);
    CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
    CHECK(client.engine.region_state(region) == RegionState::Growing);
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\none two three\n\n## U\n");
    if (has_ended) CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE("the block is cut and pasted elsewhere: the reply goes on there") {
  struct Case {
    std::string name;
    std::string cut;
    std::string before;  ///< what it is pasted in front of
    std::string result;
  };
  const std::vector<Case> cases = {
      {"all of it, above", "\n## A\n\none two\n\n## U\n", "ask",
       "\n## A\n\none two three\n\n## U\nask\nbelow\n"},
      {"heading and reply, below", "## A\n\none two", "elow",
       "ask\n\n\n\n## U\nb## A\n\none two three\n\nelow\n"},
      {"with what stood around it", "sk\n\n## A\n\none two\n\n## U\nbelo", "w\n",
       "ask\n\n## A\n\none two three\n\n## U\nbelow\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one two");
    client.replace("", "below\n");
    client.replace(c.cut, "");
    CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
    client.replace(c.before, c.cut + c.before);
    CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
    client.engine.append(region, " three");
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == c.result);
    CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE(
    "white space that was left behind when the block was cut comes back before the next text") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one \n");
  client.replace("## A\n\none", "");
  client.insert_before("ask", "## A\n\none");
  client.engine.append(region, "two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "## A\n\none \ntwo\n\nask\n\n \n\n\n## U\n");
}

TEST_CASE("only the heading is deleted, and comes back by undo") {
  for (const std::string gone : {"## A", "\n## A\n\n", "## A\n\none"}) {
    CAPTURE(gone);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("one two");
    const std::size_t at = client.text.find(gone);
    client.change({at, at + gone.size(), ""});
    CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
    client.engine.append(region, " three");
    CHECK(client.sends_nothing());
    client.change({at, at, gone});
    CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
    client.drain();
    CHECK(client.text == "ask\n\n## A\n\none two three\n\n## U\n");
  }
}

TEST_CASE("undone step by step and redone: what was undone first is written on last") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.engine.append(region, " two");
  client.drain();
  client.replace(" two", "");
  client.replace("\n## A\n\none\n\n## U\n", "");
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused, NoticeKind::RegionDetached});
  client.engine.append(region, " three");
  client.replace("", "\n## A\n\none\n\n## U\n");
  CHECK(client.notices() == Notices{NoticeKind::RegionPaused});
  CHECK(client.sends_nothing());
  client.replace("one", "one two");
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE("what the reply replaced while its block was away is replaced when it is back") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(kBlock, "");
  client.engine.replace_from(region, 4, "three");
  client.replace("", kBlock);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none three\n\n## U\n");
}

TEST_CASE("a block that comes back changed is not the reply's place, nor the second of two") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(kBlock, "");
  client.replace("", "\n## A\n\none, two\n\n## U\n");
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.append(region, " three");
  CHECK(client.sends_nothing());
  client.insert_before("ask", "## A\n\none two");
  client.replace("", "## A\n\none two");
  client.drain();
  CHECK(client.text == "## A\n\none two three\n\nask\n\n## A\n\none, two\n\n## U\n## A\n\none two");
}

TEST_CASE("a reply that another region has taken does not come back") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace(kBlock, "");
  client.engine.append(region, " three");
  client.engine.give_up_region(region);
  client.replace("", kBlock);
  CHECK(client.sends_nothing());
  CHECK(client.engine.region_state(region) == RegionState::Detached);
}

TEST_CASE(
    "a reply that stands there is adopted: what is new goes below it, what it replaces is "
    "replaced") {
  const std::string text = "ask\n\n## A\n\none two\n\nmine\n";
  for (const bool replaces : {false, true}) {
    CAPTURE(replaces);
    StrictClient client(text);
    const RegionId region =
        client.engine.adopt_region({5, 9, 11, 18}, Frame{"\n\n## A\n\n", "\n\n## U\n"});
    CHECK(client.sends_nothing());
    if (replaces) {
      client.engine.replace_from(region, 4, "2");
    } else {
      client.engine.append(region, " three");
    }
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text ==
          "ask\n\n## A\n\none " + std::string(replaces ? "2" : "two three") + "\n\nmine\n");
    CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE("the reply is joined with its heading, and undone") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one");
  client.replace("## A\n\n", "## A");
  CHECK(client.notices() == Notices{NoticeKind::RegionDetached});
  client.engine.append(region, " two");
  client.replace("## A", "## A\n\n");
  CHECK(client.notices() == Notices{NoticeKind::RegionResumed});
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two\n\n## U\n");
}

}  // namespace sync_engine_habits_test_internal

}  // namespace agent_doc::sync
