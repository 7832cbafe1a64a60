// The turns of a document as `agent-doc outline` counts and shows them.
#include "editors/cli/outline_table.hpp"
#include "protocol/json_text.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/markdown/numbered_turns.hpp"
#include "server/session/fork.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace cli_outline_test {

using namespace agent_doc;
using cli::outline_rows;
using cli::OutlineRow;

store::StoredTurn recorded(std::int64_t number, std::string prompt, std::string reply) {
  store::StoredTurn turn;
  turn.number = number;
  turn.prompt = std::move(prompt);
  turn.reply = std::move(reply);
  turn.agent = "claude";
  turn.began_ms = 1795262400000;  // 2026-11-21, noon
  turn.totals.model = "claude-opus-5-5-of-november";
  turn.totals.input_tokens = 12000;
  turn.totals.output_tokens = 345;
  turn.totals.cost_micros = 25000;
  return turn;
}

const std::string kDocument =
    "---\nagent: claude\n---\n\n# Title\n\n## User\n\nWhy <!-- hm --> is it?\n\n## Assistant\n\n"
    "Because.\n\n## User\n\nAgain?\n\n## Assistant\n\nNo, changed.\n\n## User\n\n中文 and the "
    "longest of all questions that anybody has asked\n";

TEST_CASE("outline: figures of the store where a turn is known, estimates else") {
  const std::vector<OutlineRow> rows = outline_rows(
      kDocument, {recorded(1, "Why  is it?", "Other."), recorded(2, "Why  is it?", "Because.\n"),
                  recorded(3, "Again?", "No.")});
  CHECK(cli::outline_table(rows, 80) ==
        "#  BYTES  TOKENS     COST        DATE  MODEL           QUESTION\n"
        "1     57   12345  $0.0250  2026-11-21  claude-opus-5-  Why is it?\n"
        "2     45   12345  $0.0250  2026-11-21  claude-opus-5-  Again?\n"
        "3     72     ~18        -           -  -               (open) 中文 and the longe\n");
  CHECK(rows[0].recorded->number == 2);
  CHECK(rows[0].is_as_recorded);
  CHECK_FALSE(rows[1].is_as_recorded);
  CHECK(protocol::serialise_json(cli::outline_json(outline_rows(kDocument, {}))) ==
        R"([{"number":1,"question":"Why  is it?","bytes":57,"estimatedTokens":15,"replied":true},)"
        R"({"number":2,"question":"Again?","bytes":45,"estimatedTokens":12,"replied":true},)"
        R"({"number":3,"question":"中文 and the longest of all questions that anybody has asked",)"
        R"("bytes":72,"estimatedTokens":18,"replied":false}])");
}

TEST_CASE("outline: documents without turns") {
  for (const char* document : {"", "\n\n", "---\nagent: claude\n---\n", "<!-- mine -->\n"}) {
    CAPTURE(document);
    CHECK(outline_rows(document, {}).empty());
  }
  CHECK(outline_rows("Hello?", {}).size() == 1);
}

TEST_CASE("outline: the turns of any document touch, and a fork counts them alike") {
  test::RandomText random(7);
  const std::vector<std::string_view> kPieces = {
      "one\n",   "\n",    "\n## User\n\n", "\n## Assistant\n\n",
      "```\n",   "- a\n", "<!-- b -->\n",  "## Title\n",
      "## User", "\r\n"};
  for (int i = 0; i < 5000; ++i) {
    std::string document = random.one_in(3) ? "---\nagent: claude\n---\n" : "";
    for (std::size_t left = random.below(12); left > 0; --left) document += random.pick(kPieces);
    CAPTURE(document);
    const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
    const auto turns = markdown::numbered_turns(document, front_matter);
    std::size_t replies = 0;
    for (std::size_t at = 0; at < turns.size(); ++at) {
      replies += turns[at].has_reply ? 1U : 0U;
      CHECK(turns[at].begin < turns[at].end);
      CHECK(turns[at].prompt_begin <= turns[at].prompt_end);
      CHECK(turns[at].prompt_end <= turns[at].reply_begin);
      CHECK(turns[at].reply_begin <= turns[at].end);
      if (at + 1 < turns.size()) {
        CHECK(turns[at].has_reply);
        CHECK(turns[at].end == turns[at + 1].begin);
      }
    }
    CHECK(replies == session::ends_of_replies(document, front_matter).size());
  }
}

}  // namespace cli_outline_test
