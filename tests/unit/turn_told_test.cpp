// What it is: a person who edits a document between the turns, and an agent that knows only what it
// is told: whatever is edited, the agent has the document then. AGENT_DOC_TOLD_RUNS=100000 for a
// long one, AGENT_DOC_TOLD_SEED to begin elsewhere.
// What it is not: how a run sends it (session_seen_test.cpp).
#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/seen_text.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/unit/edited_document.hpp"
#include "tests/unit/unified_patch.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace turn_told_test {

using namespace agent_doc;
using simulation::Dice;
using test::EditedDocument;
using test::lines;
using test::note_to_self;
using test::with_other_white_space;
using test::words;
using turn::PromptMessage;
using turn::SeenDocument;
using turn::Shape;

/// The document above the open prompt, found otherwise than the product does it.
std::string above_open_prompt(const std::string& document, const markdown::InlineTurns& turns) {
  const markdown::InlineTurn& last = turns.turns.back();
  return turn::as_seen(
      last.speaker == markdown::Speaker::User ? document.substr(0, last.heading_begin) : document);
}

std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin) + begin.size();
  return std::string(text.substr(from, text.find(end, from) - from));
}

/// What an agent that has `earlier` has when it was told `message`.
std::optional<std::string> told(const std::string& earlier, const PromptMessage& message) {
  if (message.shape == Shape::Document)
    return between("\n" + message.text, "\n<document>\n", "</document>\n\n");
  if (message.shape == Shape::Changes)
    return test::patched(earlier, between(message.text, "\n<changes>\n", "</changes>\n\n"));
  return earlier;
}

class Talk {
 public:
  explicit Talk(std::uint64_t seed) : dice_(seed), document_(dice_, dice_.one_in(2)) {}

  void run() {
    document_.text = dice_.one_in(3) ? lines(dice_) : "";
    for (int turns = 0; turns < 4; ++turns) {
      if (turns > 0) document_.edit();
      if (!dice_.one_in(4)) document_.ask();
      turn();
    }
  }

 private:
  void turn() {
    CAPTURE(document_.text);
    const markdown::FrontMatter front_matter = markdown::read_front_matter(document_.text);
    if (front_matter.body_begin > 0) return;
    const markdown::InlineTurns turns = markdown::find_turns(document_.text, 0);
    const std::optional<markdown::OpenPrompt> open =
        markdown::find_open_prompt(document_.text, front_matter);
    const std::size_t written = document_.text.find_last_not_of(" \t\r\n") + 1;
    const std::size_t begin = open ? open->begin : written;
    const std::size_t frame_at = open ? open->frame_at : written;
    const bool is_answered = turns.turns.back().speaker == markdown::Speaker::Assistant;
    const turn::PromptPlace place{is_answered ? written : turns.turns.back().heading_begin, begin,
                                  open ? open->end : written};
    const turn::PromptSource source(document_.text, place);
    const SeenDocument now = source.seen();
    const std::string above = above_open_prompt(document_.text, turns);
    CHECK(now.text.substr(0, now.above) == above);
    if (!known_) {
      if (source.asked().empty()) return;
      has_ = above;
    } else {
      CHECK(turn::earlier_text(*known_) == has_);
      const PromptMessage message = turn::message_about(now, has_, source.asked());
      CAPTURE(message.text);
      CHECK(told(has_, message) == above);
      CHECK((message.shape == Shape::Nothing) == (has_ == above && source.asked().empty()));
      if (message.shape == Shape::Prompt) CHECK(message.text == source.asked());
      if (!source.asked().empty()) CHECK(message.text.ends_with(source.asked()));
      has_ = above;
      if (message.shape == Shape::Nothing) return;
    }
    known_ = SeenDocument{now.text, now.above, {}};
    if (dice_.one_in(6)) return;  // it failed, or was stopped before it said anything
    reply(frame_at);
  }

  /// The reply comes, where nothing that is left open above hides it from the document; what the
  /// agent has is the document with it as it was before anybody typed.
  void reply(std::size_t at) {
    known_->reply = "r\n" + lines(dice_);
    if (dice_.one_in(8)) known_->reply += "<!-- the agent's own -->\nmore\n";
    const markdown::InlineFrame frame = markdown::make_frame(document_.text, at, "\n");
    has_ = turn::as_seen(document_.text.substr(0, at) + frame.head + known_->reply);
    if (!markdown::find_turns(document_.text.substr(0, at), 0).problems.empty())
      has_ = turn::earlier_text(*known_);
    document_.text.insert(at, frame.head + known_->reply + frame.tail);
  }

  Dice dice_;
  EditedDocument document_;
  std::optional<SeenDocument> known_;
  std::string has_;
};

std::uint64_t number_in(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

TEST_CASE("told: the agent has the document, whatever was edited between two turns") {
  const std::uint64_t first = number_in("AGENT_DOC_TOLD_SEED", 1);
  const std::uint64_t runs = number_in("AGENT_DOC_TOLD_RUNS", 3000);
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    CAPTURE(seed);
    Talk(seed).run();
  }
}

TEST_CASE("told: notes to oneself and white space are no change") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    std::string text;
    std::string noted;
    for (std::uint32_t left = dice.between(1, 6); left > 0; --left) {
      const std::string paragraph = words(dice) + "\n";
      if (dice.one_in(2)) noted += note_to_self(dice) + "\n\n";
      text += paragraph + "\n";
      noted += paragraph + (dice.one_in(2) ? "\n" : "\n\n");
    }
    if (dice.one_in(2)) noted += note_to_self(dice);
    noted = with_other_white_space(dice, noted);
    CAPTURE(noted);
    CHECK(turn::as_seen(noted) == turn::as_seen(text));
    CHECK(turn::as_seen(turn::as_seen(noted)) == turn::as_seen(noted));
  }
}

TEST_CASE("told: what a comment leaves behind is closed") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases = {
      {"a <!-- note --> b", "a b\n"},
      {"<!-- note --> a", "a\n"},
      {"a <!-- over\ntwo --> b", "a b\n"},
      {"a <!-- one --> <!-- two --> b", "a b\n"},
      {"a <!-- one --><!-- two --> b\nc", "a b\nc\n"},
      {"<!-- one --><!-- two --> a\n", "a\n"},
      {"- a\n  <!-- note -->\n- b\n", "- a\n- b\n"},
      {"- <!-- note --> a\n- b\n", "- a\n- b\n"},
      {"a\n\n<!-- note -->\n\nb", "a\n\nb\n"},
      {"a\n\n\n\nb \t\r\n\n", "a\n\nb\n"},
      {"```\n<!-- code -->\n\n\n[//]: # (code)\n```\n",
       "```\n<!-- code -->\n\n\n[//]: # (code)\n```\n"},
      {"> ```\n>\n>\n> ```\n", "> ```\n>\n>\n> ```\n"},
      {"<!-- agent:notes -->\nx\n<!-- /agent:notes -->\n",
       "<!-- agent:notes -->\nx\n<!-- /agent:notes -->\n"},
      {"<!-- only -->", ""},
      {"\n \n", ""},
  };
  for (const auto& [body, seen] : cases) {
    CAPTURE(body);
    CHECK(turn::as_seen(body) == seen);
  }
}

TEST_CASE("told: a message, word for word") {
  const SeenDocument now{"# Plan\n\n## User\n\nWhy?\n", 7, {}};
  PromptMessage message = turn::message_about(now, "# Plan\n", "Why?");
  CHECK(message.shape == Shape::Prompt);
  CHECK(message.text == "Why?");
  message = turn::message_about(now, "# Old\n", "Why?");
  CHECK(message.shape == Shape::Document);  // the diff is longer
  CHECK(message.text ==
        "The markdown document that we write together was changed since you last saw it. This is "
        "all of it now:\n\n<document>\n# "
        "Plan\n</document>\n\nThis is the open prompt in it. Answer it, and what was noted in the "
        "changes:\n\nWhy?");
  std::string text;
  for (int line = 0; line < 20; ++line) text += "line " + std::to_string(line) + "\n";
  std::string changed = text;
  changed.insert(changed.find("line 12"), "(really?)\n");
  changed.erase(changed.find("line 11"), 8);
  message = turn::message_about({changed, changed.size(), {}}, text, "");
  CHECK(message.shape == Shape::Changes);
  CHECK(message.changes.places == std::vector<std::size_t>{11});
  CHECK(message.text ==
        "The markdown document that we write together was changed since you last saw it. This "
        "unified diff tells how; what it takes out "
        "is gone:\n\n<changes>\n@@ -9,7 +9,7 @@\n line 8\n line 9\n line 10\n-line "
        "11\n+(really?)\n line 12\n line 13\n line "
        "14\n</changes>\n\nThere is no open prompt in it. Answer what was changed or noted.");
  message = turn::message_about({text, text.size(), {}}, text, "");
  CHECK(message.shape == Shape::Nothing);
  CHECK(message.text.empty());
}

}  // namespace turn_told_test
