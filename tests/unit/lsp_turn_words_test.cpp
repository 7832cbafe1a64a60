#include "server/lsp/turns/turn_words.hpp"

#include <doctest/doctest.h>

namespace lsp_turn_words_test {

namespace lsp = agent_doc::lsp;
using std::chrono::milliseconds;

TEST_CASE("numbers in groups of three digits") {
  CHECK(lsp::grouped(0) == "0");
  CHECK(lsp::grouped(999) == "999");
  CHECK(lsp::grouped(1000) == "1,000");
  CHECK(lsp::grouped(1234567) == "1,234,567");
  CHECK(lsp::grouped(-100) == "-100");
}

TEST_CASE("durations") {
  CHECK(lsp::duration_words(milliseconds{0}) == "0.0 s");
  CHECK(lsp::duration_words(milliseconds{9949}) == "9.9 s");
  CHECK(lsp::duration_words(milliseconds{10000}) == "10 s");
  CHECK(lsp::duration_words(milliseconds{59999}) == "59 s");
  CHECK(lsp::duration_words(milliseconds{185000}) == "3 min 5 s");
}

TEST_CASE("costs: cents, and two digits of what is less") {
  CHECK(lsp::cost_words(1'234'567) == "$1.23");
  CHECK(lsp::cost_words(10'000) == "$0.01");
  CHECK(lsp::cost_words(1'000) == "$0.001");
  CHECK(lsp::cost_words(1'234) == "$0.0012");
  CHECK(lsp::cost_words(9'999) == "$0.01");
  CHECK(lsp::cost_words(7) == "$0.000007");
}

TEST_CASE("what is not known is left out") {
  agent_doc::session::TurnView view;
  view.agent = "claude";
  view.state = agent_doc::turn::TurnState::Done;
  view.elapsed = milliseconds{1500};
  CHECK(lsp::turn_words(view) == "claude · done · 1.5 s");
  view.model = "model-1";
  view.usage = {1200, 56, 34, 0, 12'300};
  CHECK(lsp::turn_words(view) ==
        "claude · done · model-1 · 1,234 tokens in, 56 out · $0.01 · 1.5 s");
}

}  // namespace lsp_turn_words_test
