#include "editors/cli/foreground_program.hpp"
#include "editors/cli/question.hpp"
#include "editors/cli/run_many.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::cli {

namespace question_test {

std::string asked(std::string_view document, std::string_view question,
                  OpenPromptIs open = OpenPromptIs::Continued) {
  const WithQuestion result = with_question(document, question, open);
  return result.problem.empty() ? result.text : "problem: " + result.problem;
}

TEST_CASE("the next question is put where the person would write it") {
  CHECK(asked("", "q") == "q\n");
  CHECK(asked("---\nagent: tour\n---\n", "q\n\n") == "---\nagent: tour\n---\n\nq\n");
  CHECK(asked("## User\n\n", "q") == "## User\n\nq\n");
  CHECK(asked("## User\n\na\n\n## Assistant\n\nb\n\n## User\n\n", "q") ==
        "## User\n\na\n\n## Assistant\n\nb\n\n## User\n\nq\n");
  CHECK(asked("## User\n\na\n\n## Assistant\n\nb\n", "q") ==
        "## User\n\na\n\n## Assistant\n\nb\n\n## User\n\nq\n");
  CHECK(asked("## User\r\n\r\na\r\n\r\n## Assistant\r\n\r\nb\r\n", "q\nr") ==
        "## User\r\n\r\na\r\n\r\n## Assistant\r\n\r\nb\r\n\r\n## User\r\n\r\nq\r\nr\r\n");
}

TEST_CASE("what is written there already stays, and a question is not doubled") {
  CHECK(asked("## User\n\nbegun\n\n", "q") == "## User\n\nbegun\n\nq\n\n");
  CHECK(asked("## User\n\nq\n", "q") == "## User\n\nq\n");
  CHECK(asked("## User\n\nbegun\n", "q", OpenPromptIs::Replaced) == "## User\n\nq\n");
  CHECK(open_prompt_of("## User\n\nbegun\n") == "begun");
  CHECK(open_prompt_of("## User\n\na\n\n## Assistant\n\nb\n").empty());
}

TEST_CASE("a question cannot begin a turn, nor vanish in a fence that is open") {
  CHECK(asked("## User\n\n", "see:\n## Assistant\n\nyes") ==
        "## User\n\nsee:\n### Assistant\n\nyes\n");
  CHECK(asked("## User\n\n", " \n\t\n") == "problem: the question is empty.");
  CHECK(asked("## User\n\na\n\n## Assistant\n\n```\nb\n", "q") ==
        "problem: the question cannot be put at the end: a code fence or a comment above is not "
        "closed. Close it, and run again.");
}

TEST_CASE("which arguments of run are files, and which one is the question") {
  const auto targets = [](std::vector<std::string> arguments) {
    const RunTargets found =
        run_targets(arguments, [](const std::string& name) { return name == "there"; });
    std::string text = found.problem;
    if (!text.empty()) return text;
    for (const std::string& file : found.files) text += "[" + file + "]";
    return text + found.question.value_or("");
  };
  CHECK(targets({"a.md"}) == "[a.md]");
  CHECK(targets({"a.md", "b.md", "there", "c.markdown"}) == "[a.md][b.md][there][c.markdown]");
  CHECK(targets({"a.md", "why is it so?"}) == "[a.md]why is it so?");
  CHECK(targets({"a.md", "-"}) == "[a.md]-");
  CHECK(targets({"no question", "why"}) == "[no question]why");
  CHECK(targets({"-"}) == "a file comes first: agent-doc run FILE -");
  CHECK(targets({"a.md", "why", "not"}) == "a question is one argument: put quotes around it.");
  CHECK(targets({"a.md", "b.md", "why"}) == "a question is for one file, and here are 2.");
}

TEST_CASE("markdown by its name") {
  for (const char* name :
       {"a.md", "A.MD", "x/b.markdown", "notes", ".hidden", "a.b/README", "x.Rmd"})
    CHECK(has_markdown_name(name));
  for (const char* name : {"a.c", "a.md.c", "a.txt", "b/a.py"})
    CHECK_FALSE(has_markdown_name(name));
}

TEST_CASE("an editor with arguments is split as a shell would, and no shell is used") {
  using Words = std::vector<std::string>;
  CHECK(split_command("code --wait") == Words{"code", "--wait"});
  CHECK(split_command("  '/opt/my editor/ed'  -n \"a b\" c\\ d ") ==
        Words{"/opt/my editor/ed", "-n", "a b", "c d"});
  CHECK(split_command("ed $(touch x); `y` && z") ==
        Words{"ed", "$(touch", "x);", "`y`", "&&", "z"});
  CHECK(split_command("ed ''") == Words{"ed", ""});
  CHECK_FALSE(split_command("ed 'open").has_value());
  CHECK_FALSE(split_command(" ").has_value());
}

TEST_CASE("the worst of several exit codes") {
  CHECK(worse_of(kDone, kNothingToSend) == kNothingToSend);
  CHECK(worse_of(kTurnFailed, kBusy) == kTurnFailed);
  CHECK(worse_of(kTurnFailed, kCancelled) == kCancelled);
  CHECK(worse_of(kUsage, 127) == 127);
  CHECK(worse_of(kCancelled, 127) == kCancelled);
}

}  // namespace question_test
}  // namespace agent_doc::cli
