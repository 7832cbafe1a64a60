#include "editors/cli/question_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cli_question_text_test {

using agent_doc::cli::AskedOption;
using agent_doc::cli::AskedQuestion;
using agent_doc::cli::keys_of;
using agent_doc::cli::question_text;
using agent_doc::cli::read_answer;
using agent_doc::cli::TypedAnswer;
using agent_doc::cli::whole_question_text;

const std::vector<AskedOption> kClaude = {{"1", "Allow once", "allow_once"},
                                          {"2", "Always allow Bash(ls:*)", "allow_always"},
                                          {"3", "Allow, and everything from now on", "widen"},
                                          {"4", "Deny", "deny"}};

std::string answered(std::string_view line, const std::vector<AskedOption>& options) {
  const TypedAnswer answer = read_answer(line, options);
  if (answer.kind == TypedAnswer::Kind::View) return "view";
  return answer.kind == TypedAnswer::Kind::Cancelled ? "cancelled" : options[answer.option].label;
}

TEST_CASE("terminal question: every option with its words, and no letter for a widening") {
  CHECK(question_text({"Bash", "ls", kClaude}, 80) ==
        "The agent wants to use Bash:\n"
        "  | ls\n"
        "  [y] Allow once\n"
        "  [a] Always allow Bash(ls:*)\n"
        "  [3] Allow, and everything from now on  (you will be asked once more)\n"
        "  [n] Deny\n"
        "Allow? y, a, 3, N (no): ");
  CHECK(question_text({"Bash", "ls", {{"x", "Go", "strange"}}}, 80) ==
        "The agent wants to use Bash:\n  | ls\n  [1] Go  (you will be asked once more)\n  [n] "
        "No\nAllow? 1, N (no): ");
  CHECK(keys_of({{"x", "A", "allow_once"},
                 {"y", "B", "allow_once"},
                 {"z", "C", "deny"},
                 {"w", "D", "deny"}}) == std::vector<std::string>{"y", "2", "n", "4"});
}

TEST_CASE("terminal question: only what was offered is taken, and everything unclear is a no") {
  for (const char* line : {"y", "Y", "yes", " YES \r"})
    CHECK(answered(line, kClaude) == "Allow once");
  for (const char* line : {"a", "Always"})
    CHECK(answered(line, kClaude) == "Always allow Bash(ls:*)");
  CHECK(answered("3", kClaude) == "Allow, and everything from now on");
  for (const char* line : {"", "n", "no", "yep", "yy", "1", "2", "4", "5", "true", "\x1b[A", "33"})
    CHECK(answered(line, kClaude) == "Deny");
  for (const char* line : {"v", "view"}) CHECK(answered(line, kClaude) == "view");
  const std::vector<AskedOption> wider_only = {{"x", "Bypass", "widen"}};
  for (const char* line : {"a", "always", "y", "n", ""})
    CHECK(answered(line, wider_only) == "cancelled");
}

TEST_CASE("terminal question: every row has its bar, however wide what is asked") {
  CHECK(question_text({"Bash", "abcdefghijklmnopqrstuvwxyz\n漢字漢字漢字漢字", {}}, 20) ==
        "The agent wants to use Bash:\n"
        "  | abcdefghijklmno\n"
        "  | pqrstuvwxyz\n"
        "  | 漢字漢字漢字漢\n"
        "  | 字\n"
        "  [n] No\nAllow? N (no): ");
}

TEST_CASE(
    "terminal question: of a long one begin and end are shown, and the rest is counted; v shows "
    "all") {
  AskedQuestion question{"Bash", "", kClaude};
  for (int line = 1; line <= 40; ++line)
    question.detail += (line > 1 ? "\n" : "") + std::to_string(line);
  const std::string text = question_text(question, 80);
  CHECK(text.find("  | 20\n  … 18 lines are not shown here: v shows all\n  | 39\n") !=
        std::string::npos);
  CHECK(text.ends_with("Allow? y, a, 3, N (no), v (view all of it): "));
  const std::string whole = whole_question_text(question, 80);
  for (int line = 1; line <= 40; ++line)
    CHECK(whole.find("\n  | " + std::to_string(line) + "\n") != std::string::npos);
}

}  // namespace cli_question_text_test
