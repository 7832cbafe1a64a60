#include "editors/cli/command_line.hpp"

#include "editors/cli/completion.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

namespace agent_doc::cli {

namespace command_line_test {

CommandLine parsed(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "agent-doc");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

template <class Options>
Options options_of(std::vector<const char*> arguments) {
  const CommandLine line = parsed(std::move(arguments));
  REQUIRE(std::holds_alternative<Options>(line));
  return std::get<Options>(line);
}

const std::string kHelp = R"(agent-doc: talk with coding agents inside a markdown document.
You write under `## User`, the agent's reply streams in under `## Assistant`, while you go on typing.
Usage: agent-doc [OPTIONS] [SUBCOMMAND]

Options:
  --version                   Print the version and exit
  -h,--help                   Print this help and exit

Subcommands:
  run                         Send the open prompt of a document; the reply streams into it
  ask                         Ask something, and keep no document
  new                         Make a document; never overwrites one
  fork                        Make a copy that goes on from here in a session of its own
  diff                        Show what was changed since the agent saw the document, as a run would tell it
  patch                       Put a text into a component of a document, from a script
  convert                     Put a document's turns into a component, or take them out of it again
  status                      Tell what a document is and whether it runs
  log                         List what was asked and answered, also what no document shows any more
  recover                     Insert what is missing of the last reply, after a crash or an unsaved document
  undo                        Take the last reply out again, if nobody changed it; its question is open
  outline                     List a document's turns: sizes, tokens, cost, model
  compact                     Move older turns into an archive beside the document; a new session begins
  watch                       Run each document that is saved with a last line /send, until it is stopped
  agents                      List the agents
  sessions                    List the sessions that an agent keeps for this folder
  doctor                      Really start the agents, and tell what is wrong
  config                      Print what an editor's configuration needs
  completions                 Print what makes a shell complete agent-doc's words
  serve                       The language server, on standard input and output

To begin:
  agent-doc new hello.md "What can you do?" --run
and, after writing your next question at the end of hello.md:
  agent-doc run hello.md
In your editor: `agent-doc config EDITOR` prints what it needs.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing to send, 4 busy, 5 no such agent, 6 changed meanwhile, 130 stopped.
)";

const std::string kRunHelp = R"(Send the open prompt of a document; the reply streams into it
Usage: agent-doc run [OPTIONS] FILE [MORE...]

Positionals:
  FILE REQUIRED               A markdown file
  MORE ...                    The next question (- reads it from standard input), or more files to run at once

Options:
  -h,--help                   Print this help and exit
  --agent NAME                Which agent, instead of the document's
  --model NAME                Which of the agent's models
  --json                      Print events as JSON, one on a line
  --plain                     Show the markdown as it is, also on a terminal
  --verbose                   Tell what the agent does, and how well it was understood
  --allow WHAT:{ask,none}     What the agent's permission questions get: `ask` (a question on the terminal, no without one), or `none`
  --edit                      Write the next question in $VISUAL or $EDITOR
  --jobs N:UINT in [1 - 64]   Of several files, how many run at once (4)
  --dry-run                   Show what would be sent, with its size, and send nothing
  --force                     Run a file that is no markdown by its name

)";

TEST_CASE("help is what is documented, and asking for it is no failure") {
  CHECK(options_of<OverviewOptions>({}).help == kHelp);
  for (const char* flag : {"--help", "-h"}) {
    CHECK(options_of<TextOptions>({flag}).text == kHelp);
    CHECK(options_of<TextOptions>({flag}).code == kDone);
    CHECK(options_of<TextOptions>({"run", flag}).text == kRunHelp);
  }
  CHECK(options_of<TextOptions>({"--version"}).text == "agent-doc 0.2.0\n");
}

TEST_CASE("run takes a file and its options in any order") {
  const auto plain = options_of<RunOptions>({"run", "a.md"});
  CHECK(plain.file == "a.md");
  CHECK(plain.agent.empty());
  CHECK(plain.format == Format::Text);
  CHECK(plain.permissions == Permissions::Ask);
  const auto full = options_of<RunOptions>({"run", "--json", "--agent", "claude", "a b.md",
                                            "--model=opus", "--verbose", "--allow", "none"});
  CHECK(full.file == "a b.md");
  CHECK(full.agent == "claude");
  CHECK(full.model == "opus");
  CHECK(full.format == Format::Json);
  CHECK(full.verbosity == Verbosity::Verbose);
  CHECK(full.permissions == Permissions::Deny);
  CHECK(options_of<RunOptions>({"run", "--allow", "ask", "a.md"}).permissions == Permissions::Ask);
  CHECK(options_of<RunOptions>({"run", "--", "-a.md"}).file == "-a.md");
}

TEST_CASE("the other commands") {
  const auto made =
      options_of<NewOptions>({"new", "a.md", "Explain -- this", "--run", "--agent", "tour"});
  CHECK(made.file == "a.md");
  CHECK(made.prompt == "Explain -- this");
  CHECK(made.after == AfterNew::Run);
  CHECK(made.agent == "tour");
  CHECK(options_of<ForkOptions>({"fork", "a.md"}).target.empty());
  CHECK(options_of<ForkOptions>({"fork", "a.md", "b.md"}).target == "b.md");
  CHECK(options_of<DiffOptions>({"diff", "a.md"}).format == Format::Text);
  CHECK(options_of<DiffOptions>({"diff", "a.md", "--json", "--agent", "codex"}).agent == "codex");
  CHECK(options_of<RunOptions>({"run", "a.md"}).dry_run == DryRun::No);
  CHECK(options_of<RunOptions>({"run", "a.md", "--dry-run"}).dry_run == DryRun::Yes);
  CHECK(options_of<ForkOptions>({"fork", "a.md"}).turn == 0);
  CHECK(options_of<ForkOptions>({"fork", "a.md", "--turn", "3"}).turn == 3);
  CHECK(options_of<StatusOptions>({"status", "a.md", "--json"}).format == Format::Json);
  CHECK(options_of<AgentsOptions>({"agents"}).format == Format::Text);
  CHECK(made.resume.empty());
  const auto goes_on =
      options_of<NewOptions>({"new", "a.md", "--agent", "codex", "--resume", "01a1-7"});
  CHECK(goes_on.agent == "codex");
  CHECK(goes_on.resume == "01a1-7");
  CHECK(options_of<SessionsOptions>({"sessions"}).agent.empty());
  CHECK(options_of<SessionsOptions>({"sessions"}).format == Format::Text);
  CHECK(options_of<SessionsOptions>({"sessions", "codex", "--json"}).agent == "codex");
  CHECK(options_of<SessionsOptions>({"sessions", "codex", "--json"}).format == Format::Json);
  CHECK(options_of<DoctorOptions>({"doctor"}).agent.empty());
  CHECK(options_of<DoctorOptions>({"doctor", "claude"}).agent == "claude");
  CHECK(options_of<DoctorOptions>({"doctor"}).ask == AskAgents::No);
  CHECK(options_of<DoctorOptions>({"doctor", "--ask"}).ask == AskAgents::Yes);
  CHECK(options_of<DoctorOptions>({"doctor", "mine", "--explain"}).explain == ExplainLines::Yes);
  options_of<ServeOptions>({"serve"});
  options_of<ServeOptions>({"serve", "--stdio"});
}

TEST_CASE("what a command line can go on with comes from the command table") {
  const CompletionSources sources{[] {
                                    return Candidates{{"claude", ""}, {"tour", ""}};
                                  },
                                  [] {
                                    return Candidates{{"id-1", "tour: hello"}};
                                  },
                                  [](const std::string& begun) {
                                    return Candidates{{begun + "a.md", ""}};
                                  }};
  const auto words = [&sources](const std::vector<std::string>& typed) {
    std::string all;
    for (const Candidate& one : complete_words(typed, sources)) all += one.word + " ";
    return all;
  };
  CHECK(words({""}) ==
        "run ask new fork diff patch convert status log recover undo outline compact watch agents "
        "sessions "
        "doctor config completions serve ");
  CHECK(words({"s"}) == "status sessions serve ");
  CHECK(words({"--v"}) == "--version ");
  CHECK(words({"run", ""}) == "a.md ");
  CHECK(words({"run", "x/"}) == "x/a.md ");
  CHECK(words({"run", "a.md", "b.md", "c"}) == "ca.md ");
  CHECK(words({"run", "--agent", "t"}) == "tour ");
  CHECK(words({"run", "--agent", "tour", ""}) == "a.md ");
  CHECK(words({"run", "--allow", ""}) == "ask none ");
  CHECK(words({"run", "--j"}) == "--json --jobs ");
  CHECK(words({"new", "a.md", "--resume", ""}) == "id-1 ");
  CHECK(words({"new", "a.md", ""}).empty());
  CHECK(words({"doctor", "c"}) == "claude ");
  CHECK(words({"status", "a.md", ""}).empty());
  CHECK(words({"config", "k"}) == "kakoune kate ");
  CHECK(words({"completions", ""}) == "bash zsh fish ");
  CHECK(words({"nothing", ""}).empty());
}

TEST_CASE("a wrong command line says what is wrong and where to read on") {
  struct Case {
    std::vector<const char*> arguments;
    const char* text;
  };
  const std::vector<Case> cases = {
      {{"bogus"}, "agent-doc: there is no command bogus.\nHow it is used: agent-doc --help\n"},
      {{"--bogus"},
       "agent-doc: The following argument was not expected: --bogus\nHow it is used: agent-doc "
       "--help\n"},
      {{"run"}, "agent-doc: FILE is required\nHow it is used: agent-doc run --help\n"},
      {{"run", ""}, "agent-doc: FILE: the name is empty\nHow it is used: agent-doc run --help\n"},
      {{"rn"},
       "agent-doc: there is no command rn. Did you mean run?\nHow it is used: agent-doc --help\n"},
      {{"statsu", "a.md"},
       "agent-doc: there is no command statsu. Did you mean status?\nHow it is used: agent-doc "
       "--help\n"},
      {{"ask"}, "agent-doc: QUESTION is required\nHow it is used: agent-doc ask --help\n"},
      {{"run", "a.md", "--allow", "all"},
       "agent-doc: --allow: all not in {ask,none}\nHow it is used: agent-doc run --help\n"},
      {{"new"}, "agent-doc: FILE is required\nHow it is used: agent-doc new --help\n"},
      {{"new", "a.md", "--resume", ""},
       "agent-doc: --resume: the id is empty\nHow it is used: agent-doc new --help\n"},
      {{"sessions", "a", "b"},
       "agent-doc: The following argument was not expected: b\nHow it is used: agent-doc sessions "
       "--help\n"},
      {{"status"}, "agent-doc: FILE is required\nHow it is used: agent-doc status --help\n"},
  };
  for (const Case& expected : cases) {
    const auto text = options_of<TextOptions>(expected.arguments);
    CHECK(text.text == expected.text);
    CHECK(text.code == kUsage);
  }
}

}  // namespace command_line_test
}  // namespace agent_doc::cli
