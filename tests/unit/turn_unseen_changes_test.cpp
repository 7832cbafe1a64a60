// What it is: the places that an agent has not seen, kept while a person types, are those of a
// comparison of everything; and what is left out is told no more. AGENT_DOC_TOLD_RUNS=100000 for a
// long run, AGENT_DOC_TOLD_SEED to begin elsewhere.
// What it is not: when a document is looked at (lsp_unseen_test.cpp).
#include "server/markdown/turns.hpp"
#include "server/text/unified_diff.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/seen_text.hpp"
#include "server/turn/unseen_changes.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/unit/cost_ratio.hpp"
#include "tests/unit/edited_document.hpp"
#include "tests/unit/unified_patch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace turn_unseen_changes_test {

using namespace agent_doc;
using simulation::Dice;
using turn::UnseenChanges;
using turn::UnseenPlace;

std::vector<std::size_t> turns_of(const std::string& text) {
  std::vector<std::size_t> begins;
  for (const markdown::InlineTurn& one : markdown::find_turns(text, 0).turns)
    begins.push_back(one.heading_begin);
  return begins;
}

/// "BEGIN-END had BEGIN-END", and what stands there, for each place.
std::string shown(const std::vector<UnseenPlace>& places) {
  std::string text;
  for (const UnseenPlace& place : places)
    text += std::to_string(place.begin) + "-" + std::to_string(place.end) + " had " +
            std::to_string(place.had_begin) + "-" + std::to_string(place.had_end) + "\n" +
            place.now;
  return text;
}

std::vector<UnseenPlace> places_of(const std::string& earlier, const std::string& text) {
  UnseenChanges changes;
  changes.begin(earlier);
  changes.look(text, turns_of(text));
  return changes.places();
}

/// Without blank lines, and without white space around each line.
std::string words_of(std::string text) {
  std::replace(text.begin(), text.end(), '\r', '\n');
  std::string words;
  for (const std::string& line : test::lines_with_ends(text)) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) continue;
    words += line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin) + "\n";
  }
  return words;
}

/// The hunks of a unified diff, each with its first line.
std::vector<std::string> hunks_of(const std::string& diff) {
  std::vector<std::string> hunks;
  for (const std::string& line : test::lines_with_ends(diff)) {
    if (line.starts_with("@@ -")) hunks.emplace_back();
    hunks.back() += line;
  }
  return hunks;
}

std::ptrdiff_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// `diff`, made of a text in which `left_out` counts as seen, as it fits `earlier`, where none of
/// that stands.
std::string moved_to(const std::string& earlier, const std::vector<UnseenPlace>& left_out,
                     const std::string& diff) {
  std::string moved;
  for (const std::string& hunk : hunks_of(diff)) {
    char* rest = nullptr;
    const std::ptrdiff_t first = std::strtol(hunk.c_str() + 4, &rest, 10);
    std::ptrdiff_t at = first;
    std::ptrdiff_t more = 0;  // lines of what counts, beyond those of `earlier`
    for (const UnseenPlace& place : left_out) {
      const std::string_view had =
          std::string_view(earlier).substr(place.had_begin, place.had_end - place.had_begin);
      const std::ptrdiff_t line =
          lines_in(std::string_view(earlier).substr(0, place.had_begin)) + more;
      if (line >= first) break;
      more += lines_in(place.now) - lines_in(had);
      at = first - more;
    }
    moved += "@@ -" + std::to_string(at) + rest;
  }
  return moved;
}

/// Some of the places, by dice, and the hunks of the others.
struct Choice {
  std::vector<UnseenPlace> left_out;
  std::string hunks_left_out;
  std::vector<UnseenPlace> others;
};

Choice choose(Dice& dice, const std::vector<UnseenPlace>& places,
              const std::vector<std::string>& hunks) {
  Choice choice;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (dice.one_in(2)) {
      choice.left_out.push_back(places[i]);
      choice.hunks_left_out += hunks[i];
    } else {
      choice.others.push_back(places[i]);
    }
  }
  return choice;
}

class Talk {
 public:
  explicit Talk(std::uint64_t seed) : dice_(seed), document_(dice_, dice_.one_in(2)) {}

  void run() {
    for (std::uint32_t left = dice_.below(6); left > 0; --left) write_turn();
    earlier_ = turn::as_seen(document_.text);
    changes_.begin(earlier_);
    for (int looks = 0; looks < 8; ++looks) {
      if (dice_.one_in(6) && !at_rest_.empty()) document_.text = at_rest_;
      if (dice_.one_in(3)) at_rest_ = document_.text;
      document_.edit();
      look();
      if (dice_.one_in(4)) leave_out();
    }
  }

 private:
  void write_turn() {
    document_.text += "## User\n\n" + test::lines(dice_) + "\n## Assistant\n\n";
    for (std::uint32_t left = dice_.below(4); left > 0; --left)
      document_.text += test::lines(dice_);
    document_.text += "\n";
  }

  void look() {
    CAPTURE(document_.text);
    CAPTURE(earlier_);
    changes_.look(document_.text, turns_of(document_.text));
    const std::vector<UnseenPlace>& places = changes_.places();
    const std::string seen = turn::as_seen(document_.text);
    CHECK(places.size() == text::unified_diff(earlier_, seen).places.size());
    CHECK(turn::count_as_seen(earlier_, places, 0).text == seen);
    CHECK(shown(places) == shown(places_of(earlier_, document_.text)));
    for (const UnseenPlace& place : places) {
      REQUIRE(place.begin <= place.end);
      REQUIRE(place.end <= document_.text.size());
      const std::string here = document_.text.substr(place.begin, place.end - place.begin);
      const bool is_private =
          here.find("<!--") != std::string::npos || here.find("[//]") != std::string::npos;
      if (!is_private) CHECK(words_of(here) == words_of(place.now));
    }
  }

  void leave_out() {
    const std::string seen = turn::as_seen(document_.text);
    CAPTURE(document_.text);
    CAPTURE(earlier_);
    const text::UnifiedDiff whole = text::unified_diff(earlier_, seen);
    const Choice choice = choose(dice_, changes_.places(), hunks_of(whole.text));
    const std::string counted = turn::count_as_seen(earlier_, choice.left_out, 0).text;
    CHECK(test::patched(earlier_, choice.hunks_left_out).value_or("(does not fit)") == counted);
    const turn::PromptMessage message = turn::message_about({seen, seen.size(), {}}, counted, "");
    CHECK(test::patched(counted, message.changes.text).value_or("(does not fit)") == seen);
    // What the agent really has becomes the document without what was left out.
    const std::string told = moved_to(earlier_, choice.left_out, message.changes.text);
    CHECK(test::patched(earlier_, told).value_or("(does not fit)") ==
          turn::count_as_seen(earlier_, choice.others, 0).text);
    earlier_ = counted;
    changes_.begin(earlier_);
    look();
  }

  Dice dice_;
  test::EditedDocument document_;
  UnseenChanges changes_;
  std::string earlier_;
  std::string at_rest_;
};

std::uint64_t unseen_number_in(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

TEST_CASE("unseen: the places are those of a comparison of all of it, and some are left out") {
  const std::uint64_t first = unseen_number_in("AGENT_DOC_TOLD_SEED", 1);
  const std::uint64_t runs = unseen_number_in("AGENT_DOC_TOLD_RUNS", 3000);
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    CAPTURE(seed);
    Talk(seed).run();
  }
}

const std::string kTalk =
    "# Plan\n\n## User\n\nFirst?\n\n## Assistant\n\nOne.\nTwo.\nThree.\nFour.\nFive.\nSix.\n"
    "Seven.\nEight.\nNine.\nTen.\n\n## User\n\nSecond?\n\n## Assistant\n\nYes.\n";

TEST_CASE("unseen: where each change stands") {
  std::string text = kTalk;
  text.replace(text.find("Two."), 4, "Two. (why?)  \nReally <!-- mine -->two.");
  text.erase(text.find("Ten.\n"), 5);
  CHECK(shown(places_of(turn::as_seen(kTalk), text)) ==
        "44-82 had 44-49\nTwo. (why?)\nReally two.\n128-128 had 93-98\n");
  CHECK(text.substr(44, 38) == "Two. (why?)  \nReally <!-- mine -->two.");
  CHECK(text.substr(128).starts_with("## User"));
}

TEST_CASE("unseen: a look reads the turn that is typed in, and not those around it") {
  std::string text;
  for (int turn = 0; turn < 400; ++turn) text += kTalk + std::string(40, '-') + "\n\n";
  const std::vector<std::size_t> turns = turns_of(text);
  const std::string known = turn::as_seen(text);
  UnseenChanges changes;
  changes.begin(known);
  changes.look(text, turns);
  double look = 1;
  double all = 1;
  const std::size_t word = text.find("Five.", text.size() / 2);
  for (int attempt = 0; attempt < 10; ++attempt) {
    text[word] = text[word] == 'F' ? 'D' : 'F';
    look = std::min(look, test::cpu_seconds([&] { changes.look(text, turns); }));
    CHECK(changes.places().size() == (text[word] == 'F' ? 0 : 1));
    all = std::min(all, test::cpu_seconds([&] { CHECK(turn::as_seen(text).size() > 0); }));
  }
  CHECK(look * 3 < all);
}

TEST_CASE("unseen: a mark moves with the text around what counts as seen") {
  const std::vector<UnseenPlace> places = {{0, 0, 2, 4, "xyz"}, {0, 0, 6, 6, "!"}};
  const auto moved = [&](std::size_t mark) {
    const turn::CountedAsSeen counted = turn::count_as_seen("abcdefgh", places, mark);
    CHECK(counted.text == "abxyzef!gh");
    return counted.mark;
  };
  CHECK(moved(0) == 0);
  CHECK(moved(2) == 2);
  CHECK(moved(3) == 2);
  CHECK(moved(4) == 5);
  CHECK(moved(6) == 8);
  CHECK(moved(8) == 10);
}

}  // namespace turn_unseen_changes_test
