// What the last blocks of fresh seeds of the simulation found, each as a few steps. Whole texts.

#include "server/sync/echo_order.hpp"
#include "server/sync/sync_engine.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::sync {

namespace sync_fresh_seeds_test_internal {

using test::StrictClient;

void tell(StrictClient& client, text::Range range, const std::string& text) {
  client.engine.did_change(++client.version, {ReplaceRange{range, text}});
  client.text = client.engine.shadow().text();
}

void tell_whole(StrictClient& client, const std::string& text) {
  client.engine.did_change(++client.version, {ReplaceAll{text}});
  client.text = text;
}

void open_again(StrictClient& client) {
  client.engine.did_close();
  client.version = 1;
  client.engine.did_open(1, client.text);
}

/// The server hears nothing of its edit and gives it up.
void give_up(StrictClient& client) {
  client.engine.answered(Answer::TimedOut);
  if (client.engine.in_flight()) client.engine.answered(Answer::TimedOut);
  REQUIRE_FALSE(client.engine.in_flight());
  client.engine.allow_retry();
}

TEST_CASE(
    "changes told as one: a paste into our line whose last line begins and ends as ours stays, "
    "every byte of it (71010483)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("the goes oesthe - item\nx\n");
  tell(client, {{4, 4}, {4, 22}}, "1goes oesthe - item11**b** 1x- item\nthe ");
  client.engine.replace_from(region, 0, "on");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n111**b** 1x- item\nthe on\n\n## U\n");
}

TEST_CASE(
    "changes told as one: what was typed where our text then came begins as that does, and was "
    "undone (76023884)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.change({11, 12, "one two three f"});
  client.engine.append(region, "one two three four\n");
  client.sent();
  client.engine.answered(Answer::Applied);
  tell(client, {{4, 15}, {4, 15}}, "our\n\n");
  CHECK(client.engine.in_flight());  // a client that tells keys first may tell the edit yet
  client.engine.echo_is_overdue();
  client.engine.append(region, "five");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none two three four\nfive\n\n## U\n");
}

TEST_CASE(
    "changes told as one: of equal lines, ours and one that was undone before ours came, ours is "
    "there (74016306)") {
  const text::Edit ours{19, 19, ". - item\n- item\n"};
  const std::string before = "112. - item\n**b** \n\n";
  const std::string after = "12. - item\n- item\n\n";
  CHECK(explain(before, after, ours, Told::Lines, Claim::Applied).after_our_edit);
}

TEST_CASE(
    "a line end of the reply is undone, then the block, and the block is redone: what stands below "
    "it is not the reply's (76115503)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("\n");
  tell(client, {{4, 0}, {5, 0}}, "");
  const std::string block = client.text.substr(4);
  tell(client, {{1, 0}, {7, 0}}, "");
  REQUIRE(client.text == "ask\n");
  tell(client, {{1, 0}, {1, 0}}, block);
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\n\none\n\n## U\n");
}

TEST_CASE(
    "a block is pasted with a line that was typed behind its reply: no line ends are missing there "
    "(75019086)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\n");
  client.change({4, client.text.size(), ""});
  client.change({4, 4, "\n## A\n\none\nx\n\n\n## U\n"});
  client.engine.append(region, "two");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\ntwox\n\n\n## U\n");
}

TEST_CASE(
    "a few bytes were given up and sent again, and the first of both lands: the refusal of the "
    "second changes nothing (74001340)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "abcd");
  const OutgoingEdit first = client.sent();
  open_again(client);
  give_up(client);
  client.sent();
  client.change(first.edit);
  client.engine.answered(Answer::Refused);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nabcd\n\n## U\n");
}

TEST_CASE(
    "a frame that was given up lands late, and is told together with its second sending: one of "
    "both is taken back (72003444)") {
  const Frame frame{"\n## Assistant\n\n", "\n\n## User\n"};
  StrictClient client("ask\n");
  const RegionId region = client.engine.open_region(4, frame);
  client.sent();
  open_again(client);
  client.engine.answered(Answer::Applied);
  give_up(client);
  client.sent();
  client.engine.answered(Answer::Applied);
  const std::string text = frame.head + frame.tail;
  tell(client, {{1, 0}, {1, 0}}, text + text);
  client.engine.echo_is_overdue();
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## Assistant\n\none\n\n## User\n");
}

TEST_CASE(
    "over two openings the person types just the few bytes that are in the air: they wait for "
    "their answer (71033330)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "abc");
  client.sent();
  open_again(client);
  client.insert_before("\n\n## U", "abc");
  open_again(client);
  CHECK(client.engine.in_flight());
  client.engine.answered(Answer::Refused);
  client.engine.allow_retry();
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nabcabc\n\n## U\n");
}

TEST_CASE(
    "a frame is said to be made, and is told before what was typed at its place meanwhile: it is "
    "ours (80034853)") {
  StrictClient client("a\n");
  const RegionId region = client.engine.open_region(0, Frame{"## A\n", "\n"});
  client.sent();
  client.engine.answered(Answer::Applied);
  tell(client, {{0, 0}, {0, 0}}, "  ");
  tell(client, {{0, 0}, {0, 0}}, "## A\n\n");
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "## A\none\n  a\n");
}

TEST_CASE(
    "the reply is corrected while its end is undone, and comes back: what it says again is known "
    "in earlier texts, too (80044478)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("b\naaaa");
  const std::string first = client.text;
  tell_whole(client, "x" + first);
  tell_whole(client, "xask\n\n## A\n\nb\na\n\n## U\n");
  client.engine.replace_from(region, 4, "aabaaa");
  tell_whole(client, "x" + first);
  client.sent();
  tell_whole(client, first);
  client.engine.answered(Answer::Refused);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nb\naaaabaaa\n\n## U\n");
}

}  // namespace sync_fresh_seeds_test_internal

}  // namespace agent_doc::sync
