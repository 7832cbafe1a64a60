// The completions in the shells themselves. A shell that is not installed is skipped, and that is
// said.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace agent_doc::e2e {

namespace cli_completions_test {

using tests::write_file;

bool is_installed(const std::string& shell) {
  const bool is_there =
      std::filesystem::exists("/usr/bin/" + shell) || std::filesystem::exists("/bin/" + shell);
  if (!is_there) MESSAGE(shell << " is not installed, so its completions are not tried");
  return is_there;
}

/// What `shell` prints when it runs `script` on the desk, with agent-doc on its PATH.
std::string said_by(const Desk& desk, const std::string& shell, const std::string& script) {
  const std::string file = desk.home() + "/try." + shell;
  write_file(file, script);
  const std::string folder = std::filesystem::path(AGENT_DOC_BINARY).parent_path();
  const std::string command =
      "cd '" + desk.docs() + "' && env HOME='" + desk.home() + "' XDG_CONFIG_HOME='" + desk.home() +
      "/config' XDG_STATE_HOME='" + desk.home() + "/state' XDG_RUNTIME_DIR='" + desk.home() +
      "/runtime' PATH='" + folder + "':\"$PATH\" " + shell + " '" + file + "' 2>&1";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string said;
  std::array<char, 4096> piece{};
  for (std::size_t size = 0; (size = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;)
    said.append(piece.data(), size);
  CHECK(::pclose(pipe) == 0);
  return said;
}

/// Documents, a folder, and an agent of the person's own.
void furnish(const Desk& desk) {
  desk.use_agent(REPLAY_AGENT, {});
  for (const char* name : {"a.md", "b c.md", "x.c"}) write_file(desk / name, "");
  std::filesystem::create_directory(desk / "folder");
}

}  // namespace cli_completions_test

using namespace cli_completions_test;  // NOLINT: this file's own names

TEST_CASE("completions in bash") {
  if (!is_installed("bash")) return;
  const Desk desk;
  furnish(desk);
  CHECK(said_by(desk, "bash",
                "eval \"$(agent-doc completions bash)\"\n"
                "try() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _agent_doc 2> /dev/null; "
                "printf '[%s]' \"${COMPREPLY[@]}\"; echo; }\n"
                "try agent-doc stat\ntry agent-doc run ''\ntry agent-doc run a.md --agent fak\ntry "
                "agent-doc completions ''\n"
                "try agent-doc nonsense ''\ntry agent-doc run --js\n") ==
        "[status]\n[a.md][b\\ c.md][folder/]\n[fake]\n[bash][zsh][fish]\n[]\n[--json]\n");
}

TEST_CASE("completions in zsh") {
  if (!is_installed("zsh")) return;
  const Desk desk;
  furnish(desk);
  CHECK(said_by(desk, "zsh",
                "eval \"$(agent-doc completions zsh)\"\n"
                "compadd() { local d=; [[ $1 == -l ]] && d=\"${(j:|:)shown}\"; print -r -- "
                "\"${(j:,:)${(P)argv[-1]}} $d\" }\n"
                "try() { words=(\"$@\"); CURRENT=$#; _agent_doc }\n"
                "try agent-doc stat\ntry agent-doc run ''\ntry agent-doc run a.md --agent fak\n") ==
        "status status  Tell what a document is and whether it runs\na.md,b c.md a.md|b "
        "c.md\nfolder/ \nfake fake\n");
}

TEST_CASE("completions in fish") {
  if (!is_installed("fish")) return;
  const Desk desk;
  furnish(desk);
  CHECK(said_by(desk, "fish",
                "agent-doc completions fish | source\ncomplete -C 'agent-doc stat'\ncomplete -C "
                "'agent-doc run '\n"
                "complete -C 'agent-doc run a.md --agent fak'\n") ==
        "status\tTell what a document is and whether it runs\na.md\nb c.md\nfolder/\nfake\n");
}

TEST_CASE("sessions are completed from what was run, and nothing is started") {
  const Desk desk;
  write_file(desk / "a.md", "hello\n");
  CommandRun run(desk, {"run", "a.md", "--agent", "tour"});
  CHECK(run.wait() == 0);
  const std::string text = tests::read_file(desk / "a.md");
  const std::string id = text.substr(text.find("resume: ") + 8, 36);
  CommandRun complete(desk, {"complete", "new", "b.md", "--resume", ""});
  CHECK(complete.wait() == 0);
  CHECK(complete.out() == id + "\ttour: hello\n");
}

}  // namespace agent_doc::e2e
