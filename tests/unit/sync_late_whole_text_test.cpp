// A client that says that it made an edit, makes it later, and tells each change as the whole text
// (kakoune-lsp). Nothing is told of who changed what, so what its person typed meanwhile may look
// like the edit in the air, or a part of it.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::sync {

namespace sync_late_whole_text_test_internal {

using test::StrictClient;

const std::string kAbove = "ask\n\n## A\n\n";
const std::string kBelow = "\n\n## U\n";

/// The reply and what was typed beside it are `text` now.
void tell(StrictClient& client, const std::string& text) {
  client.text = kAbove + text + kBelow;
  client.engine.did_change(++client.version, {ReplaceAll{client.text}});
}

/// `text` is in the air, and the client says that it has made it.
void put_in_the_air(StrictClient& client, RegionId region, const std::string& text) {
  client.engine.append(region, text);
  client.sent();
  client.engine.answered(Answer::Applied);
}

/// The client makes nothing more of what it said.
void finish(StrictClient& client, RegionId region) {
  client.engine.echo_is_overdue();
  client.engine.finish_region(region);
  client.drain();
}

TEST_CASE(
    "late whole texts: a line end typed at the edit's place shows as the last of equal ones, and "
    "the edit comes behind it (83001431, 84007596)") {
  for (const std::string reply : {"zx", "reply **b** "}) {
    CAPTURE(reply);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    put_in_the_air(client, region, reply);
    tell(client, "y");
    tell(client, "y\n");
    tell(client, "y\n- item\n");
    tell(client, "y\n- item\n" + reply);
    CHECK_FALSE(client.engine.in_flight());
    client.engine.append(region, "more");
    finish(client, region);
    CHECK(client.text == kAbove + "y\n- item\n" + reply + "more" + kBelow);
  }
}

TEST_CASE(
    "late whole texts: of equal line ends around the edit's place some go, then a word is typed "
    "there, and the edit comes behind it (85044882)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\n\n\n\ntwo\n\n");
  tell(client, "one\n\n\n\ntwo\n\n\n\nmore");
  put_in_the_air(client, region, "zx");
  tell(client, "one\n\ntwo\n\nmore");
  tell(client, "one\n\ntwo\n\nwordmore");
  tell(client, "one\n\ntwo\n\nwordzxmore");
  CHECK_FALSE(client.engine.in_flight());
  client.engine.resume_region(region);
  finish(client, region);
  CHECK(client.text == kAbove + "one\n\ntwo\n\nwordzx\n\nmore" + kBelow);
}

TEST_CASE(
    "late whole texts: a frame comes behind what was pasted at its place, a line end first "
    "(85000597)") {
  StrictClient client("a\nb\n");
  const RegionId region = client.engine.open_region(1, Frame{"\n## A\n", "\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  for (const std::string text : {"a\nword\nb\n", "a\nword\n## A\n\n\nb\n"}) {
    client.text = text;
    client.engine.did_change(++client.version, {ReplaceAll{text}});
  }
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "one");
  finish(client, region);
  CHECK(client.text == "a\nword\n## A\none\n\nb\n");
}

TEST_CASE(
    "the answer first: a whole block comes that ends as the one above it, and the text that is in "
    "the air is typed in it: it is not the edit (92011116)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  put_in_the_air(client, region, "**b** ");
  const auto type = [&client](text::Position at, const std::string& typed) {
    client.engine.did_change(++client.version, {ReplaceRange{{at, at}, typed}});
    client.text = client.engine.shadow().text();
  };
  type({7, 0}, "\n\n## B\n\n\n\n## U\n");
  type({11, 0}, "**b** ");
  const std::string typed = client.text;
  finish(client, region);
  CHECK(client.text == kAbove + "**b** " + typed.substr(kAbove.size()));
}

TEST_CASE(
    "late whole texts: what is typed is a part of the edit in the air (83001504, 83002664, "
    "86028865)") {
  struct Case {
    std::string reply;
    std::string typed;
  };
  for (const Case& c : {Case{"1**b** ", "**b** "}, Case{"one two three four", "two thr"},
                        Case{"\non 1", "- item\nthe - item\non 2"}, Case{"\naa", "\na\na"}}) {
    CAPTURE(c.typed);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    put_in_the_air(client, region, c.reply);
    tell(client, c.typed);
    finish(client, region);
    CHECK(client.text == kAbove + c.reply + c.typed + kBelow);
  }
}

TEST_CASE(
    "late whole texts: a correction is in the air, and the text becomes what it was before the "
    "reply (84003774)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("x**b** \n\n. y- item\n");
  client.engine.replace_from(region, 0, "reply xon x");
  client.drain();
  client.engine.replace_from(region, 10, "1the x- item\nx. ");
  client.sent();
  client.engine.answered(Answer::Applied);
  tell(client, "x**b** \n\n. y- item\n");
  client.engine.echo_is_overdue();
  client.engine.resume_region(region);
  finish(client, region);
  CHECK(client.text.find("1the x- item\nx. " + kBelow) != std::string::npos);
}

TEST_CASE(
    "late whole texts: an undo takes the end of what a correction replaces, and a redo brings it "
    "back before the edit comes: what the edit had kept stays (83008545)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("gx**b** ");
  client.engine.append(region, "goes x2");
  client.drain();
  client.engine.replace_from(region, 1, "yz**b** ");
  tell(client, "gx**b** ");
  client.engine.resume_region(region);
  const OutgoingEdit edit = client.sent();
  REQUIRE(edit.edit.replacement == "yz");
  client.engine.answered(Answer::Applied);
  tell(client, "gx**b** goes x2");
  tell(client, "gyz**b** goes x2");
  client.engine.resume_region(region);
  finish(client, region);
  CHECK(client.text == kAbove + "gyz**b** " + kBelow);
}

TEST_CASE(
    "late whole texts: an edit that comes behind what was typed at its place is no sign of a "
    "client that tells several changes as one (83001160, 83002664)") {
  StrictClient client("ask\n");
  client.engine.propose([](const text::TextBuffer& text) -> std::optional<text::Edit> {
    if (text.text().find("---\n") != std::string::npos) return std::nullopt;
    return text::Edit{0, 0, "---\nsession: s94\n---\n"};
  });
  client.sent();
  client.engine.answered(Answer::Applied);
  client.engine.did_change(++client.version, {ReplaceAll{"x-ask\n"}});
  client.engine.did_change(++client.version, {ReplaceAll{"x----\nsession: s94\n---\nask\n"}});
  client.text = "x----\nsession: s94\n---\nask\n";
  const RegionId region = client.open_region();
  const std::string above = client.text.substr(0, client.text.size() - kBelow.size());
  put_in_the_air(client, region, "one two three four");
  client.text = above + "two thr" + kBelow;
  client.engine.did_change(++client.version, {ReplaceAll{client.text}});
  finish(client, region);
  CHECK(client.text == above + "one two three four" + "two thr" + kBelow);
}

}  // namespace sync_late_whole_text_test_internal

}  // namespace agent_doc::sync
