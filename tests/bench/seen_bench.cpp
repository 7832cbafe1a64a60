// What a run costs before its agent is called: to compare a long document with what the agent has
// of it, by what was changed in it. And what a rest of the keyboard costs, which asks the same:
// BM_RestOf… beside BM_TakeApart, which every rest pays anyhow, and BM_OneWordChanged, which
// compares all of it.

#include "server/session/document_parts.hpp"
#include "server/turn/prompt.hpp"
#include "server/turn/seen_text.hpp"
#include "server/turn/unseen_changes.hpp"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using agent_doc::turn::PromptPlace;
using agent_doc::turn::PromptSource;
using agent_doc::turn::SeenDocument;

constexpr int kTurns = 2000;
constexpr std::string_view kLast = "## User\n\nAnd now?\n";

/// 2,000 turns, 5 MB; with a private note in each if `notes` is not 0.
std::string talk(std::int64_t notes) {
  std::string text = "# A long talk\n\n";
  for (int turn = 0; turn < kTurns; ++turn) {
    text += "## User\n\nQuestion " + std::to_string(turn) + "\n\n";
    if (notes != 0) text += "<!-- a note to myself -->\n\n";
    text += "## Assistant\n\n";
    for (int line = 0; line < 32; ++line)
      text += "Line " + std::to_string(line) +
              " of an answer, as long as lines of prose are wont to be in one.\n";
    text += "\n```cpp\nint main() {}\n```\n\n";
  }
  return text;
}

PromptSource asking(const std::string& text) {
  const std::string whole = text + std::string(kLast);
  return {whole, PromptPlace{text.size(), text.size() + 9, whole.size() - 1}};
}

void compare(benchmark::State& state, const std::string& earlier, const std::string& text) {
  const std::string known = agent_doc::turn::as_seen(earlier);
  for (auto _ : state) {
    const PromptSource source = asking(text);
    const SeenDocument now = source.seen();
    benchmark::DoNotOptimize(agent_doc::turn::message_about(now, known, source.asked()));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void BM_NothingChanged(benchmark::State& state) {
  const std::string text = talk(state.range(0));
  compare(state, text, text);
}
BENCHMARK(BM_NothingChanged)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_OneWordChanged(benchmark::State& state) {
  const std::string text = talk(0);
  std::string changed = text;
  changed.replace(text.size() / 2, 1, "X");
  compare(state, text, changed);
}
BENCHMARK(BM_OneWordChanged)->Unit(benchmark::kMillisecond);

void BM_ChangedAtBothEnds(benchmark::State& state) {
  const std::string text = talk(0);
  compare(state, text, "(a note)\n\n" + text + "(another one)\n\n");
}
BENCHMARK(BM_ChangedAtBothEnds)->Unit(benchmark::kMillisecond);

void BM_TakeApart(benchmark::State& state) {
  const std::string text = talk(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(agent_doc::session::parts_of(text));
}
BENCHMARK(BM_TakeApart)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

std::vector<std::size_t> turns_of(const std::string& text) {
  std::vector<std::size_t> turns;
  for (const auto& turn : agent_doc::session::parts_of(text).turns.turns)
    turns.push_back(turn.heading_begin);
  return turns;
}

/// A rest of the keyboard after each of two texts in turn; the agent has `known`.
void rest(benchmark::State& state, const std::string& known, const std::string& one,
          const std::string& other) {
  agent_doc::turn::UnseenChanges changes;
  changes.begin(agent_doc::turn::as_seen(known));
  const std::vector<std::size_t> turns = turns_of(one);
  const std::vector<std::size_t> other_turns = turns_of(other);
  changes.look(one, turns);
  bool is_other = false;
  for (auto _ : state) {
    is_other = !is_other;
    changes.look(is_other ? other : one, is_other ? other_turns : turns);
    benchmark::DoNotOptimize(changes.places().size());
  }
}

std::string with_word(std::string text, std::size_t at, std::string_view word) {
  return text.replace(at, 1, word);
}

void BM_RestOfTypingThePrompt(benchmark::State& state) {
  const std::string text = talk(0);
  const std::string changed = with_word(text, text.size() / 2, "X");
  rest(state, text, changed, changed);
}
BENCHMARK(BM_RestOfTypingThePrompt)->Unit(benchmark::kMillisecond);

void BM_RestOfChangingOneWord(benchmark::State& state) {
  const std::string text = talk(state.range(0));
  rest(state, text, with_word(text, text.size() / 2, "X"),
       with_word(text, text.size() / 2, "a longer word"));
}
BENCHMARK(BM_RestOfChangingOneWord)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_RestOfChangesAtBothEnds(benchmark::State& state) {
  const std::string text = talk(0);
  const std::string changed = "(a note)\n\n" + text + "(another one)\n\n";
  rest(state, text, with_word(changed, text.size() / 2, "X"),
       with_word(changed, text.size() / 2, "a longer word"));
}
BENCHMARK(BM_RestOfChangesAtBothEnds)->Unit(benchmark::kMillisecond);

void BM_FirstRest(benchmark::State& state) {
  const std::string text = talk(state.range(0));
  const std::string known = agent_doc::turn::as_seen(text);
  const std::vector<std::size_t> turns = turns_of(text);
  for (auto _ : state) {
    agent_doc::turn::UnseenChanges changes;
    changes.begin(known);
    changes.look(text, turns);
    benchmark::DoNotOptimize(changes.places().size());
  }
}
BENCHMARK(BM_FirstRest)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_ReplyPutBehind(benchmark::State& state) {
  const std::string known = agent_doc::turn::as_seen(talk(0) + std::string(kLast));
  for (auto _ : state)
    benchmark::DoNotOptimize(agent_doc::turn::earlier_text({known, 0, "The last answer.\n"}));
}
BENCHMARK(BM_ReplyPutBehind)->Unit(benchmark::kMillisecond);

}  // namespace
