// Taking the last reply out of a document again: what makes it as it was before the run, whatever
// the document is.
#include "server/session/undo_plan.hpp"

#include "server/markdown/turns.hpp"
#include "server/session/run_plan.hpp"
#include "server/text/line_ends.hpp"
#include "tests/unit/random_text.hpp"
#include "tests/unit/session_test.hpp"

#include <string>
#include <variant>
#include <vector>

namespace session_undo_plan_test {

using namespace agent_doc;
using session::find_last_reply;
using session::is_as_recorded;
using session::LastReply;
using session::NoUndo;

std::variant<LastReply, NoUndo> found_in(std::string_view document) {
  return find_last_reply(document, markdown::read_front_matter(document));
}

std::string undone(const std::string& document) {
  const auto found = found_in(document);
  if (!std::holds_alternative<LastReply>(found)) return "refused";
  return test::applied(document, std::get<LastReply>(found).taking_out);
}

/// `document` with the reply of a run in it.
std::string with_reply(const std::string& document, std::string_view reply) {
  const session::TurnPlan plan = session::plan_turn(
      text::TextBuffer(document), markdown::read_front_matter(document), session::RunRequest{});
  return document.substr(0, plan.frame_at) + plan.frame.head + std::string(reply) +
         plan.frame.tail + document.substr(plan.frame_at);
}

/// What undo() leaves of the white space at the end of `document`.
std::string with_usual_end(std::string document) {
  const std::size_t last = document.find_last_not_of(" \t\r\n") + 1;
  const std::size_t end = std::min(document.find_first_not_of(" \t", last), document.size());
  std::size_t line_ends = 0;
  for (std::size_t at = end; at < document.size(); ++at) line_ends += document[at] == '\n';
  if (line_ends > 2) return document;
  const std::string line_end(text::most_frequent_line_end(document));
  return document.substr(0, end) + line_end;
}

TEST_CASE("undo: the document is as before the run") {
  for (const std::string document :
       {"Hello?\n", "---\nagent: claude\n---\n\nHello?\n", "# Title\n\n## User\n\nHello?  \n",
        "# Title\r\n\r\n## User\r\n\r\nHello?\r\n", "## User\n\nHello?\n\n\n\n",
        "One?\n\n## Assistant\n\nYes.\n\n## User\n\nTwo?\n<!-- mine -->\n",
        "One?\n\n## Assistant\n\nYes.\n\n## User\n"}) {
    CAPTURE(document);
    CHECK(undone(with_reply(document, "It is.\n\n```\n## User\n```")) == document);
  }
  // How many line ends there were at the end is not known: one is left.
  CHECK(undone(with_reply("Hello?", "Yes.")) == "Hello?\n");
  CHECK(undone(with_reply("Hello?\n\n", "Yes.")) == "Hello?\n");
  // A heading that the person has deleted since, and white space that an editor has trimmed.
  CHECK(undone("Hello?\n\n## Assistant\n\nYes.\n") == "Hello?\n");
  CHECK(undone("Hello?\n\n## Assistant\n\nYes.\n\n## User") == "Hello?\n");
  CHECK(undone("## Assistant\n\nYes.\n\n## User\n\n") == "\n");
}

TEST_CASE("undo: any document, whatever was replied") {
  test::RandomText random(15);
  const std::vector<std::string_view> kPieces = {"one",
                                                 "two ",
                                                 "\t",
                                                 "\n",
                                                 "\n\n",
                                                 "- a\n",
                                                 "> b\n",
                                                 "<!-- c -->",
                                                 "`d`",
                                                 "\n## User\n",
                                                 "\n## Assistant\n\nYes.\n",
                                                 "\n\n\n",
                                                 "[//]: # (e)\n"};
  const std::vector<std::string_view> kReplies = {"Yes.", "Yes.\n\nNo.", "- a\n- b",
                                                  "```\n## User\n```", "### User\n\nx  \ny"};
  int runs = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string document = random.one_in(2) ? "---\nagent: claude\n---\n" : "";
    for (std::size_t left = random.below(9); left > 0; --left) document += random.pick(kPieces);
    document += "word";
    for (std::size_t left = random.below(4); left > 0; --left)
      document += random.one_in(4) ? " " : "\n";
    if (random.one_in(3)) document = text::with_line_ends(document, "\r\n");
    // Where nothing is asked, blanks behind the last word stay below the reply.
    if (!markdown::find_open_prompt(document, markdown::read_front_matter(document))) continue;
    const std::string_view line_end = text::most_frequent_line_end(document);
    const std::string reply = text::with_line_ends(random.pick(kReplies), line_end);
    const std::string before = document;
    const std::string after = with_reply(document, reply);
    // A reply below something that swallows it is no turn.
    const auto found = found_in(after);
    const auto* last = std::get_if<LastReply>(&found);
    if (last == nullptr || last->reply != reply) continue;
    ++runs;
    CAPTURE(before);
    CHECK(undone(after) == with_usual_end(before));
    CHECK(is_as_recorded(last->reply, text::with_line_ends(reply, "\n")));
    CHECK_FALSE(is_as_recorded(last->reply, text::with_line_ends(reply, "\n") + " Oh."));
  }
  CHECK(runs > 2000);
}

TEST_CASE("undo: what is below the reply stays, and so does the reply") {
  const auto refusal = [](std::string_view document) {
    const auto found = found_in(document);
    REQUIRE(std::holds_alternative<NoUndo>(found));
    return std::get<NoUndo>(found);
  };
  CHECK(refusal("Hello?\n\n## Assistant\n\nYes.\n\n## User\n\nAnd?\n") == NoUndo::WrittenBelow);
  CHECK(refusal("<!-- agent:exchange -->\n## User\n\nHello?\n\n## Assistant\n\nYes.\n"
                "<!-- /agent:exchange -->\n\nBelow.\n") == NoUndo::InComponent);
  CHECK(refusal("Hello?\n\n## Assistant\n\nYes.\n\n## User\n\n<!-- a -->\n") ==
        NoUndo::WrittenBelow);
  CHECK(refusal("Hello?\n\n## Assistant\n\nYes.\n\n## User\n\n## User\n\n") ==
        NoUndo::WrittenBelow);
  CHECK(refusal("Hello?\n") == NoUndo::NoReply);
  CHECK(refusal("") == NoUndo::NoReply);
}

TEST_CASE("undo: a reply is as it was recorded, but for white space at the ends of lines") {
  CHECK(is_as_recorded("a  \r\n\r\nb", "a\n\nb\n"));
  CHECK(is_as_recorded("", "\n"));
  CHECK_FALSE(is_as_recorded("a\nb", "a\n\nb"));
  CHECK_FALSE(is_as_recorded("a", "a\nb"));
  CHECK_FALSE(is_as_recorded("a\nb", "a"));
  CHECK_FALSE(is_as_recorded("a <!-- mine -->", "a"));
  CHECK_FALSE(is_as_recorded(" a\n  b", "a\nb"));
}

}  // namespace session_undo_plan_test
