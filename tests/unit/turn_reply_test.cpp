#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::turn {

using Edits = std::vector<std::string>;
using plugins::BlockKind;

TEST_CASE("deltas append, one edit each") {
  ReplyFixture fixture;
  fixture.message("m").start(0).delta(0, "Hel").delta(0, "").delta(0, "lo");
  CHECK(fixture.document.edits == Edits{"+Hel", "+lo"});
  CHECK(fixture.reply.has_text());
  CHECK(fixture.finish() == "Hello");
}

TEST_CASE("what turns the order of the text around it does not get into a document unmarked") {
  ReplyFixture fixture;
  fixture.message("m").delta(0, "if (admin\u202E").delta(0, "\u2066 // check\u2069 \u2013 ok\n");
  CHECK(fixture.finish() == "if (admin<U+202E><U+2066> // check<U+2069> \u2013 ok");
}

TEST_CASE("a thousand deltas of one character") {
  ReplyFixture fixture;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const char c = static_cast<char>('a' + i % 26);
    expected.push_back(c);
    fixture.delta(0, std::string(1, c));
  }
  CHECK(fixture.document.edits.size() == 1000);
  CHECK(fixture.finish() == expected);
  CHECK(fixture.reply.counts().deltas == 1000);
}

TEST_CASE("deltas and snapshots in any order give the text once") {
  struct Order {
    const char* name;
    std::function<void(ReplyFixture&)> play;
    const char* expected;
  };
  const std::vector<Order> orders = {
      {"A(full) M D D S",
       [](ReplyFixture& f) {
         f.snapshot("Hello there").message("m").delta(0, "Hello ").delta(0, "there").end();
       },
       "Hello there"},
      {"M D1 A(D1) D2 A(D1+D2) S",
       [](ReplyFixture& f) {
         f.message("m")
             .start(0)
             .delta(0, "one ")
             .snapshot("one ")
             .delta(0, "two")
             .snapshot("one two")
             .end();
       },
       "one two"},
      {"M(prefilled) start A(same) S",
       [](ReplyFixture& f) { f.message("m").snapshot(0, "Same").start(0).snapshot("Same").end(); },
       "Same"},
      {"M(short) start D(short+more) A(text)",
       [](ReplyFixture& f) {
         f.message("m")
             .snapshot(0, "short")
             .start(0)
             .delta(0, "short and more")
             .snapshot("short and more");
       },
       "short and more"},
      {"M(short) start D(more) A(text)",
       [](ReplyFixture& f) {
         f.message("m")
             .snapshot(0, "short")
             .start(0)
             .delta(0, " and more")
             .snapshot("short and more");
       },
       "short and more"},
      {"start(prefilled) D(rest)",
       [](ReplyFixture& f) { f.message("m").start(0).snapshot(0, "He").delta(0, "llo"); }, "Hello"},
      {"A(half) M D(half) D(rest) A(full) S",
       [](ReplyFixture& f) {
         f.snapshot("half")
             .message("m")
             .delta(0, "half")
             .delta(0, " rest")
             .snapshot("half rest")
             .end();
       },
       "half rest"},
      {"M A(full) M start D(full) S",
       [](ReplyFixture& f) {
         f.message("m").snapshot("full").message("m").start(0).delta(0, "full").end();
       },
       "full"},
      {"M start D A S A: a new block, since its own has its snapshot",
       [](ReplyFixture& f) {
         f.message("m").start(0).delta(0, "ha").snapshot("ha").end().snapshot("ha");
       },
       "haha"},
      {"blocks 0, 1, 10, 2, then A in order 0, 1, 2, 10",
       [](ReplyFixture& f) {
         f.message("m").delta(0, "a").delta(1, "b").delta(10, "d").delta(2, "c");
         f.snapshot("a").snapshot("b").snapshot("c").snapshot("d").end();
       },
       "abcd"},
      {"A(thinking) A(text) M start(thinking) start(text) D",
       [](ReplyFixture& f) {
         f.event(plugins::Snapshot{{"", "m", -1}, BlockKind::Thinking, "hm"}).snapshot("text");
         f.message("m")
             .start(0, BlockKind::Thinking)
             .thinking(0, "hm")
             .start(1)
             .delta(1, "te")
             .delta(1, "xt");
       },
       "text"},
      {"text and tool, repeated under another message id by abandoning",
       [](ReplyFixture& f) {
         f.message("m").start(0).delta(0, "T").start(1, BlockKind::ToolCall).tool("t1");
         f.abandon(0).of("m2").snapshot("T").tool("t1");
       },
       "T"},
  };
  for (const Order& order : orders) {
    for (const Thinking thinking : {Thinking::None, Thinking::Fold}) {
      CAPTURE(order.name);
      ReplyFixture fixture(Rounds::Last, thinking);
      order.play(fixture);
      const std::string text = fixture.finish();
      CHECK(text.substr(text.size() - std::string_view(order.expected).size()) == order.expected);
      if (thinking == Thinking::None) CHECK(text == order.expected);
    }
  }
}

TEST_CASE("a message sent again: what agrees is swallowed, the first difference cuts") {
  struct Case {
    std::vector<std::string> first;
    std::vector<std::string> again;
    std::string expected;
    Edits edits_again;
  };
  const std::vector<Case> cases = {
      {{"one ", "two "}, {"one ", "two ", "three"}, "one two three", {"+three"}},
      {{"one ", "two"}, {"o", "ne two"}, "one two", {}},
      {{"one two"}, {"one ", "2"}, "one 2", {"4|2"}},
      {{"one two"}, {"1"}, "1", {"0|1"}},
      {{"one two"}, {"one"}, "one two", {}},
      {{"sch\u00f6n"}, {"sch\u00fcre"}, "sch\u00fcre", {"3|\u00fcre"}},
  };
  for (const bool with_start : {true, false}) {
    for (const Case& c : cases) {
      CAPTURE(with_start);
      CAPTURE(c.expected);
      ReplyFixture fixture;
      fixture.message("m").start(0);
      for (const std::string& text : c.first) fixture.delta(0, text);
      fixture.document.edits.clear();
      fixture.message("m");
      if (with_start) fixture.start(0);
      for (const std::string& text : c.again) fixture.delta(0, text);
      CHECK(fixture.document.edits == c.edits_again);
      CHECK(fixture.finish() == c.expected);
    }
  }
}

TEST_CASE("a shorter text sent again and confirmed by its snapshot is the text") {
  ReplyFixture fixture;
  fixture.message("m")
      .start(0)
      .delta(0, "one two")
      .message("m")
      .start(0)
      .delta(0, "one")
      .snapshot("one")
      .end();
  CHECK(fixture.finish() == "one");
  CHECK(fixture.reply.counts().replayed_bytes == 3);
}

TEST_CASE("a message started again without its blocks keeps its text and goes on in new blocks") {
  ReplyFixture fixture;
  fixture.message("m").start(0).delta(0, "kept ").message("m").start(1).delta(1, "new");
  CHECK(fixture.finish() == "kept new");
}

TEST_CASE("a block that comes back as another kind is not text any more") {
  ReplyFixture fixture;
  fixture.message("m")
      .start(0)
      .delta(0, "Hello")
      .message("m")
      .start(0, BlockKind::Thinking)
      .thinking(0, "hm")
      .start(1)
      .delta(1, "Hello there");
  CHECK(fixture.finish() == "Hello there");
}

TEST_CASE("blocks 0 to 12 interleaved stand in numeric order") {
  ReplyFixture fixture;
  std::string expected;
  for (int block = 0; block < 13; ++block) expected += "[" + std::to_string(block) + " a b c]";
  for (int block = 12; block >= 0; --block) fixture.delta(block, "[" + std::to_string(block));
  for (const char* piece : {" a", " b", " c]"}) {
    for (int block = 0; block < 13; ++block) fixture.delta((block * 5) % 13, piece);
  }
  CHECK(fixture.reply.text() == expected);
  CHECK(fixture.finish() == expected);
}

TEST_CASE("what repeats is kept") {
  const std::vector<std::vector<std::string>> scripts = {
      {"ha", "ha", "ha", "ha"},           {"    ", "    ", "x"},
      {"|", "|", "---", "|", "---", "|"}, {"==", "==", "\n", "==", "=="},
      {"echo ", "echo ", "echo"},         {"\n", "a", "\n", "\n", "b"}};
  for (const auto& script : scripts) {
    ReplyFixture fixture;
    std::string whole;
    fixture.message("m").start(0);
    for (const std::string& piece : script) {
      fixture.delta(0, piece);
      whole += piece;
    }
    fixture.snapshot(whole).end();
    CHECK(fixture.finish() == (whole.starts_with("\n") ? whole.substr(1) : whole));
  }
}

TEST_CASE("growing snapshots of one block give its last text, by appending only") {
  const std::vector<std::string> characters = {
      "a", "b ", "\u6f22", "\u5b57", "\U0001F600", "e\u0301", "\n", "\U0001F469\u200D\U0001F469"};
  for (const std::size_t steps : {3U, 20U, 500U}) {
    for (const std::size_t per_step : {1U, 7U}) {
      ReplyFixture fixture;
      std::string text = "x";
      for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t i = 0; i < per_step; ++i)
          text += characters[(step * per_step + i) % characters.size()];
        fixture.snapshot(0, text);
        const bool appended = fixture.document.edits.back().starts_with('+');
        CHECK(appended);
      }
      CHECK(fixture.reply.text() == text);
      CHECK(fixture.reply.counts().repaired_snapshots == 0);
    }
  }
}

TEST_CASE("a growing snapshot cut inside a character is repaired between characters") {
  ReplyFixture fixture;
  fixture.snapshot(0, "so \uFFFD").snapshot(0, "so \U0001F600!");
  CHECK(fixture.document.edits == Edits{"+so \uFFFD", "3|\U0001F600!"});
  CHECK(fixture.reply.counts().repaired_snapshots == 1);
}

TEST_CASE("a snapshot wins: equal, longer, stale, diverging") {
  struct Case {
    std::string deltas, snapshot, expected;
    Edits edits;
  };
  const std::vector<Case> cases = {{"Hello", "Hello", "Hello", {}},
                                   {"Hello", "Hello there", "Hello there", {"+ there"}},
                                   {"Hello there", "Hello", "Hello there", {}},
                                   {"Hello there", "Hello you", "Hello you", {"6|you"}},
                                   {"abc", "xyz", "xyz", {"0|xyz"}},
                                   {"gr\u00fc\u00df", "gr\u00fcn", "gr\u00fcn", {"4|n"}}};
  for (const Case& c : cases) {
    ReplyFixture fixture;
    fixture.message("m").start(0).delta(0, c.deltas);
    fixture.document.edits.clear();
    fixture.snapshot(c.snapshot);
    CHECK(fixture.document.edits == c.edits);
    CHECK(fixture.finish() == c.expected);
  }
}

TEST_CASE("a snapshot of an earlier block moves what stands behind it") {
  ReplyFixture fixture;
  fixture.message("m")
      .start(0)
      .delta(0, "first ")
      .start(1)
      .delta(1, "second")
      .snapshot("FIRST ")
      .snapshot("second");
  CHECK(fixture.finish() == "FIRST second");
  CHECK(fixture.reply.counts().repaired_snapshots == 1);
}

TEST_CASE("two messages of one round are separated by a blank line, and not by more") {
  for (const Rounds rounds : {Rounds::Last, Rounds::All}) {
    for (const char* end : {"", "\n", "\n\n"}) {
      for (const char* begin : {"", "\n", " \n\n"}) {
        ReplyFixture fixture(rounds);
        fixture.message("a")
            .delta(0, std::string("one") + end)
            .end()
            .message("b")
            .delta(0, std::string(begin) + "two")
            .end();
        CHECK(fixture.finish() == "one\n\ntwo");
      }
    }
  }
}

TEST_CASE(
    "a message that was cut at its limit goes on in the next one, without anything between them") {
  const plugins::MessageEnded cut{"", "a", "max_tokens", {}};
  const auto joined = [&cut](std::string_view first, std::string_view second) {
    ReplyFixture one(Rounds::All);
    one.message("a").delta(0, first).event(cut);
    one.message("b").start(0).delta(0, second);
    return one.finish();
  };
  CHECK(joined("half of a wo", "rd, and") == "half of a word, and");
  CHECK(joined("a\n\n", "b") == "a\n\nb");
  CHECK(joined("a ", " b") == "a  b");
  CHECK(joined("```\nx", "y\n```\n") == "```\nxy\n```");
  CHECK(joined("a\n", "## User\n") == "a\n### User");
  CHECK(joined("## Us", "er\n") == "## Us\n\ner");

  ReplyFixture repaired(Rounds::All);
  repaired.message("a").delta(0, "hal").event(cut).message("b").delta(0, "f").of("a").snapshot(
      0, "half of a hal");
  CHECK(repaired.finish() == "half of a half");

  ReplyFixture rounds(Rounds::All);
  rounds.message("a").delta(0, "one").event(cut).tool("t").message("b").delta(0, "two");
  CHECK(rounds.finish() == "one\n\ntwo");

  ReplyFixture folded(Rounds::All, Thinking::Fold);
  folded.message("a").delta(0, "one").event(cut).message("b").thinking(0, "hm").delta(1, "two");
  CHECK(folded.finish() ==
        "one\n\n<details><summary>Thinking</summary>\n\nhm\n\n</details>\n\ntwo");
}

TEST_CASE("text blocks of one message are one text") {
  ReplyFixture fixture;
  fixture.snapshot("First block. ").snapshot("Second block.");
  CHECK(fixture.finish() == "First block. Second block.");
}

TEST_CASE("rounds: last replaces with the first text of the new round, not before") {
  ReplyFixture fixture;
  fixture.message("a").delta(0, "I will look.").end().tool("t1");
  fixture.message("b")
      .start(0, BlockKind::Thinking)
      .thinking(0, "hm")
      .start(1)
      .delta(1, "\n")
      .delta(1, "<thi");
  CHECK(fixture.document.edits == Edits{"+I will look."});
  fixture.delta(1, "nking>so</thinking>");
  CHECK(fixture.reply.text() == "I will look.");
  fixture.delta(1, "\nDone").delta(1, ".").end();
  CHECK(fixture.document.edits == Edits{"+I will look.", "0|Done", "+."});
  CHECK(fixture.reply.earlier_rounds() == std::vector<std::string>{"I will look."});
  CHECK(fixture.finish() == "Done.");
}

TEST_CASE("rounds: all keeps every round") {
  ReplyFixture fixture(Rounds::All);
  fixture.message("a")
      .delta(0, "One.")
      .end()
      .tool("t1")
      .message("b")
      .delta(0, "Two.")
      .end()
      .tool("t2")
      .tool("t3")
      .message("c")
      .delta(0, "Three.");
  CHECK(fixture.finish() == "One.\n\nTwo.\n\nThree.");
  CHECK(fixture.reply.earlier_rounds().empty());
}

TEST_CASE(
    "a tool call inside a message begins a round, a late snapshot of the old round is not seen") {
  ReplyFixture last;
  last.message("m")
      .delta(0, "before ")
      .start(1, BlockKind::ToolCall)
      .tool("t")
      .delta(2, "after")
      .snapshot("BEFORE ")
      .snapshot("after");
  CHECK(last.finish() == "after");
  ReplyFixture all(Rounds::All);
  all.message("m")
      .delta(0, "before ")
      .start(1, BlockKind::ToolCall)
      .tool("t")
      .delta(2, "after")
      .snapshot("BEFORE ")
      .snapshot("after");
  CHECK(all.finish() == "BEFORE \n\nafter");
}

TEST_CASE("a session that begins anew inside the turn begins a round") {
  ReplyFixture fixture;
  fixture.event(plugins::SessionStarted{"s", "model", "/"})
      .snapshot("One.")
      .event(plugins::SessionStarted{"s", "model", "/"});
  fixture.of("b").snapshot("Two.");
  CHECK(fixture.finish() == "Two.");
  CHECK(fixture.reply.earlier_rounds() == std::vector<std::string>{"One."});
}

TEST_CASE("abandoned blocks stand until the next message brings text") {
  ReplyFixture fixture;
  fixture.message("a").start(0).delta(0, "This answer lo").abandon(0);
  CHECK(fixture.reply.text() == "This answer lo");
  fixture.of("b").snapshot("This answer is whole.");
  CHECK(fixture.document.edits == Edits{"+This answer lo", "12|is whole."});
  CHECK(fixture.finish() == "This answer is whole.");
}

TEST_CASE("only the abandoned blocks go") {
  ReplyFixture fixture;
  fixture.message("a")
      .start(0)
      .delta(0, "Kept.")
      .snapshot("Kept.")
      .start(1)
      .delta(1, " Lost")
      .abandon(1)
      .message("b")
      .delta(0, "New.");
  CHECK(fixture.finish() == "Kept.\n\nNew.");
}

TEST_CASE("abandoned blocks go with the next tool call, too") {
  ReplyFixture fixture(Rounds::All);
  fixture.message("a").delta(0, "Lost").abandon(0).tool("t").message("b").delta(0, "New.");
  CHECK(fixture.finish() == "New.");
}

TEST_CASE("an abandoned end without anything after it stays") {
  ReplyFixture fixture;
  fixture.message("a")
      .delta(0, "tick 0 ")
      .abandon(0)
      .event(plugins::TurnEnded{plugins::Outcome::Cancelled, {}});
  CHECK(fixture.finish() == "tick 0 ");
}

TEST_CASE("the final text counts only when the main agent said nothing") {
  const plugins::TurnEnded ended{plugins::Outcome::Done, "The final text."};
  ReplyFixture with;
  with.message("m").delta(0, "Said.").event(ended);
  CHECK(with.finish() == "Said.");
  ReplyFixture without;
  without.event(ended);
  CHECK(without.finish() == "The final text.");
  ReplyFixture only_sub_agent;
  only_sub_agent.lane = "tool_1";
  only_sub_agent.message("s").delta(0, "sub-agent").snapshot("sub-agent");
  only_sub_agent.event(ended);
  CHECK(only_sub_agent.finish() == "The final text.");
}

TEST_CASE("sub-agents do not write, whatever they do in between") {
  ReplyFixture fixture;
  fixture.message("m").start(0).delta(0, "main ");
  fixture.lane = "tool_1";
  fixture.message("m").start(0).delta(0, "sub").snapshot("sub").tool("t").abandon(0);
  fixture.lane = "";
  fixture.delta(0, "goes on").snapshot("main goes on").end();
  CHECK(fixture.document.edits == Edits{"+main ", "+goes on"});
}

TEST_CASE("tool input never reaches the reply") {
  ReplyFixture fixture;
  fixture.message("m").delta(0, "text").start(1, BlockKind::ToolCall);
  for (const char* piece : {"", "{\"command\":\"ec", "ho \\\"h", "i\\\"\"}"})
    fixture.event(plugins::ToolInputDelta{{"", "m", 1}, piece});
  fixture.event(plugins::Snapshot{{"", "m", 1}, BlockKind::ToolCall, "{}"});
  CHECK(fixture.finish() == "text");
  CHECK(fixture.reply.counts().deltas == 5);
}

TEST_CASE("escapes and control characters never get through, wherever they are cut") {
  const std::string raw =
      "\x1b[1;31mred\x1b[0m \x1b]8;;https://example.invalid\x1b\\link\x1b]8;;\x07 bell\x07 nul\x01 "
      "c1\u009b2Jgone\r\nline\rline\ttab "
      "\u00e9\x1b(B.";
  const std::string expected = "red link bell nul c1gone\nline\nline\ttab \u00e9.";
  for (std::size_t cut = 0; cut <= raw.size(); ++cut) {
    if (cut < raw.size() && (static_cast<unsigned char>(raw[cut]) & 0xC0) == 0x80) continue;
    CAPTURE(cut);
    ReplyFixture fixture;
    fixture.delta(0, std::string_view(raw).substr(0, cut))
        .delta(0, std::string_view(raw).substr(cut))
        .snapshot(raw);
    CHECK(fixture.finish() == expected);
  }
}

TEST_CASE("after every prefix of a stream, finish() leaves the text that came") {
  const std::vector<std::function<void(ReplyFixture&)>> script = {
      [](ReplyFixture& f) { f.message("a").start(0); },
      [](ReplyFixture& f) { f.delta(0, "One "); },
      [](ReplyFixture& f) { f.delta(0, "two."); },
      [](ReplyFixture& f) { f.snapshot("One two.").end(); },
      [](ReplyFixture& f) { f.tool("t"); },
      [](ReplyFixture& f) { f.message("b").start(0); },
      [](ReplyFixture& f) { f.delta(0, "Three <thin"); },
      [](ReplyFixture& f) { f.delta(0, "king>never closed"); },
  };
  const std::vector<std::string> expected = {"",
                                             "",
                                             "One ",
                                             "One two.",
                                             "One two.",
                                             "One two.",
                                             "One two.",
                                             "Three <thin",
                                             "Three <thinking>never closed"};
  for (std::size_t length = 0; length <= script.size(); ++length) {
    ReplyFixture fixture;
    for (std::size_t step = 0; step < length; ++step) script[step](fixture);
    CHECK(fixture.finish() == expected[length]);
    fixture.delta(0, "ignored").snapshot("ignored");
    CHECK(fixture.finish() == expected[length]);
  }
}

TEST_CASE("the end of a reply: surplus newlines go, an open fence is closed") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"text", "text"},
      {"text ", "text "},
      {"text\n\n", "text"},
      {"text \n \n", "text "},
      {"\n\n  text", "  text"},
      {"\n \n", ""},
      {"```js\nlet a", "```js\nlet a\n```"},
      {"```js\nlet a\n", "```js\nlet a\n```"},
      {"````\n```\n", "````\n```\n````"},
      {"~~~\na\n~~~\n", "~~~\na\n~~~"},
      {"```", "```\n```"}};
  for (const auto& [raw, expected] : cases) {
    CAPTURE(raw);
    ReplyFixture fixture;
    fixture.delta(0, raw);
    CHECK(fixture.finish() == expected);
  }
}

TEST_CASE("thinking: fold puts each thought in front of the text that follows it") {
  const std::string fold = "<details><summary>Thinking</summary>\n\n";
  const std::string end = "\n\n</details>\n\n";
  ReplyFixture fixture(Rounds::Last, Thinking::Fold);
  fixture.message("m")
      .start(0, BlockKind::Thinking)
      .thinking(0, "\nFirst ")
      .thinking(0, "this.\n")
      .start(1);
  CHECK(fixture.reply.text().empty());
  fixture.delta(1, "Answer");
  CHECK(fixture.reply.text() == fold + "First this." + end + "Answer");
  fixture.delta(1, ". <think>more</think>And on").end();
  CHECK(fixture.finish() ==
        fold + "First this." + end + "Answer. \n\n" + fold + "more" + end + "And on");

  ReplyFixture with_fence(Rounds::Last, Thinking::Fold);
  with_fence.thinking(0, "```\ncode").delta(1, "Answer");
  CHECK(with_fence.finish() == fold + "```\ncode\n```" + end + "Answer");

  ReplyFixture repaired(Rounds::Last, Thinking::Fold);
  repaired.message("m").thinking(0, "old").delta(1, "Answer");
  repaired.event(plugins::Snapshot{{"", "m", -1}, BlockKind::Thinking, "new"}).snapshot("Answer");
  CHECK(repaired.finish() == fold + "new" + end + "Answer");

  ReplyFixture blank(Rounds::Last, Thinking::Fold);
  blank.thinking(0, "\n \n").delta(1, "Answer");
  CHECK(blank.finish() == "Answer");

  ReplyFixture rounds(Rounds::Last, Thinking::Fold);
  rounds.message("a").thinking(0, "one").delta(1, "One.").end().tool("t").message("b").thinking(
      0, "two");
  CHECK(rounds.reply.text() == fold + "one" + end + "One.");
  rounds.delta(1, "Two.");
  CHECK(rounds.finish() == fold + "two" + end + "Two.");
}

TEST_CASE(
    "a message that begins when a tool has ended is of another round, also when the one before "
    "came only while the tool ran") {
  ReplyFixture fixture;
  fixture.tool("t")
      .message("a")
      .delta(0, "I will write a file.")
      .event(plugins::ToolEnded{"", "t", false});
  fixture.delta(0, " So.").end();
  CHECK(fixture.reply.text() == "I will write a file. So.");
  fixture.message("b").delta(0, "It is written.").end().message("c").delta(0, "All of it.");
  CHECK(fixture.finish() == "It is written.\n\nAll of it.");

  ReplyFixture lane;
  lane.message("a").delta(0, "One.").end().event(plugins::ToolEnded{"sub", "t", false});
  lane.message("b").delta(0, "Two.");
  CHECK(lane.finish() == "One.\n\nTwo.");
}

TEST_CASE(
    "headings that would begin a turn of the document: level 3, in every message and in a folded "
    "thought") {
  ReplyFixture fixture;
  fixture.delta(0, "Two tables:\n\n## Us").delta(0, "er\n\nid\n## Account\n").end();
  CHECK(fixture.document.edits ==
        std::vector<std::string>{"+Two tables:\n\n##", "+# User\n\nid\n## Account\n"});
  CHECK(fixture.finish() == "Two tables:\n\n### User\n\nid\n## Account");

  ReplyFixture goes_on;
  goes_on.message("m").delta(0, "a\n## User").end();
  CHECK(goes_on.reply.text() == "a\n### User");
  goes_on.delta(0, " guide\n");
  CHECK(goes_on.finish() == "a\n## User guide");

  ReplyFixture alone;
  alone.delta(0, "## Assistant");
  CHECK(alone.finish() == "### Assistant");

  ReplyFixture final_text;
  final_text.event(plugins::TurnEnded{plugins::Outcome::Done, "## User\n"});
  CHECK(final_text.finish() == "### User");

  ReplyFixture repaired;
  repaired.message("m").delta(0, "```\n## User\n").snapshot("## User\n```\n## User\n");
  CHECK(repaired.finish() == "### User\n```\n## User\n```");

  ReplyFixture thought(Rounds::Last, Thinking::Fold);
  thought.thinking(0, "## User\nasks").delta(1, "## User");
  CHECK(thought.finish() ==
        "<details><summary>Thinking</summary>\n\n### User\nasks\n\n</details>\n\n### User");
}

TEST_CASE("… where an earlier message left code open, they are code") {
  for (const Rounds rounds : {Rounds::All, Rounds::Last}) {
    ReplyFixture fixture(rounds);
    fixture.message("a")
        .delta(0, "```\ncode\n")
        .end()
        .message("b")
        .delta(0, "## User\n")
        .message("c")
        .delta(0, "```\n## User");
    CHECK(fixture.finish() == "```\ncode\n\n## User\n\n```\n### User");
  }
  ReplyFixture changed(Rounds::All);
  changed.message("a")
      .delta(0, "```\ncode\n")
      .end()
      .tool("t")
      .message("b")
      .delta(0, "## User\n")
      .end()
      .of("b")
      .snapshot(0, "## User\nb\n");
  CHECK(changed.reply.text() == "```\ncode\n\n## User\nb\n");
  changed.of("a").snapshot(0, "text\n");
  CHECK(changed.finish() == "text\n\n### User\nb");
}

}  // namespace agent_doc::turn
