#include "editors/cli/command_line.hpp"

#include "editors/cli/editor_snippets.hpp"
#include "protocol/agent_doc.hpp"

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::cli {

namespace command_line_internal {

constexpr const char* kAbout =
    "agent-doc: talk with coding agents inside a markdown document.\n"
    "You write under `## User`, the agent's reply streams in under `## Assistant`, while you go on typing.";
constexpr const char* kExamples =
    "To begin:\n"
    "  agent-doc new hello.md \"What can you do?\" --run\n"
    "and, after writing your next question at the end of hello.md:\n"
    "  agent-doc run hello.md\n"
    "In your editor: `agent-doc config EDITOR` prints what it needs.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing to send, 4 busy, 130 stopped.";

/// The options of CLI11 write into these while it parses.
class Parser {
 public:
  Parser() : app_(kAbout, "agent-doc") {
    app_.footer(kExamples);
    app_.set_version_flag("--version", "agent-doc " + std::string(protocol::kServerVersion), "Print the version and exit");
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.require_subcommand(0, 1);
    add_run();
    add_new();
    add_fork();
    add_status();
    add_log();
    add_recover();
    add_agents();
    add_sessions();
    add_doctor();
    add_config();
    add_serve();
  }

  CommandLine parse(int argc, const char* const* argv) {
    if (argc <= 1) return OverviewOptions{app_.help()};
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return TextOptions{app_.get_subcommands().empty() ? app_.help() : chosen().help("agent-doc"), kDone};
    } catch (const CLI::CallForVersion& version) {
      return TextOptions{std::string(version.what()) + "\n", kDone};
    } catch (const CLI::ParseError& error) {
      return TextOptions{"agent-doc: " + std::string(error.what()) + "\nHow it is used: agent-doc " + command_name() + "--help\n", kUsage};
    }
    return std::move(*command_);
  }

 private:
  CLI::App& add(const std::string& name, const std::string& description, std::function<CommandLine()> make) {
    CLI::App& command = *app_.add_subcommand(name, description);
    command.footer("");
    command.callback([this, make = std::move(make)] { command_ = make(); });
    return command;
  }

  void add_run() {
    CLI::App& command = add("run", "Send the open prompt of a document; the reply streams into it", [this] { return made_run(); });
    add_file(command, run_.file, "A markdown file");
    command.add_option("--agent", run_.agent, "Which agent, instead of the document's")->type_name("NAME");
    command.add_option("--model", run_.model, "Which of the agent's models")->type_name("NAME");
    add_flag(command, "--json", run_.format, Format::Json, "Print events as JSON, one on a line");
    add_flag(command, "--plain", run_.markdown, Markdown::Source, "Show the markdown as it is, also on a terminal");
    add_flag(command, "--verbose", run_.verbosity, Verbosity::Verbose, "Tell what the agent does, and how well it was understood");
    command
        .add_option("--allow", allow_,
                    "What the agent's permission questions get: `ask` (a question on the terminal, no without one), or `none`")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"ask", "none"}));
  }

  CommandLine made_run() {
    if (allow_ == "none") run_.permissions = Permissions::Deny;
    return run_;
  }

  void add_new() {
    CLI::App& command = add("new", "Make a document; never overwrites one", [this] { return new_; });
    add_file(command, new_.file, "The file to make");
    command.add_option("PROMPT", new_.prompt, "What to ask")->type_name("");
    command.add_option("--agent", new_.agent, "Which agent it is for")->type_name("NAME");
    command.add_option("--resume", new_.resume, "Go on with this session of the agent, see `agent-doc sessions`")
        ->type_name("ID")
        ->check(not_empty("id"));
    add_flag(command, "--run", new_.after, AfterNew::Run, "Run it at once");
  }

  void add_fork() {
    CLI::App& command = add("fork", "Make a copy that goes on from here in a session of its own", [this] { return fork_; });
    add_file(command, fork_.file, "The document");
    command.add_option("TARGET", fork_.target, "The file to make; beside FILE when left out");
    command.add_option("--turn", fork_.turn, "Keep only so many questions and replies; else all")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
  }

  void add_status() {
    CLI::App& command = add("status", "Tell what a document is and whether it runs", [this] { return status_; });
    add_file(command, status_.file, "The document");
    add_flag(command, "--json", status_.format, Format::Json, "As JSON");
  }

  void add_log() {
    CLI::App& command = add("log", "List what was asked and answered, also what no document shows any more", [this] { return log_; });
    command.add_option("FILE", log_.file, "Only of this document")->type_name("");
    command.add_option("--search", log_.words, "Only turns with these words")->type_name("WORDS");
    command.add_option("--turn", log_.turn, "One turn, whole: the number in front of its line")->type_name("N")->check(CLI::PositiveNumber);
    command.add_option("--limit", log_.limit, "How many, the newest ones (50)")->type_name("N")->check(CLI::PositiveNumber);
    add_flag(command, "--json", log_.format, Format::Json, "As JSON, one turn on a line");
  }

  void add_recover() {
    CLI::App& command =
        add("recover", "Insert what is missing of the last reply, after a crash or an unsaved document", [this] { return recover_; });
    add_file(command, recover_.file, "The document");
  }

  void add_agents() {
    CLI::App& command = add("agents", "List the agents", [this] { return agents_; });
    add_flag(command, "--json", agents_.format, Format::Json, "As JSON");
  }

  void add_sessions() {
    CLI::App& command = add("sessions", "List the sessions that an agent keeps for this folder", [this] { return sessions_; });
    command.add_option("AGENT", sessions_.agent, "Which agent, instead of the default one")->type_name("");
    add_flag(command, "--json", sessions_.format, Format::Json, "As JSON");
  }

  void add_doctor() {
    CLI::App& command = add("doctor", "Really start the agents, and tell what is wrong", [this] { return doctor_; });
    command.add_option("AGENT", doctor_.agent, "Only this one")->type_name("");
    add_flag(command, "--ask", doctor_.ask, AskAgents::Yes, "Send each a small prompt, and wait for the answer");
    add_flag(command, "--explain", doctor_.explain, ExplainLines::Yes,
             "Send a small prompt, and tell what each line of the answer was taken for");
  }

  void add_config() {
    CLI::App& command = add("config", "Print what an editor's configuration needs", [this] { return config_; });
    std::vector<std::string> editors;
    for (const EditorSnippet& snippet : editor_snippets()) editors.emplace_back(snippet.editor);
    std::string description = "Which editor:";
    for (const std::string& editor : editors) description += " " + editor;
    command.add_option("EDITOR", config_.editor, description)->required()->type_name("")->check(CLI::IsMember(editors));
  }

  void add_serve() {
    CLI::App& command = add("serve", "The language server, on standard input and output", [] { return ServeOptions{}; });
    command.add_flag("--stdio")->description("Accepted because editors add it");
  }

  static std::function<std::string(const std::string&)> not_empty(const char* what) {
    return [what](const std::string& value) { return value.empty() ? std::string("the ") + what + " is empty" : std::string(); };
  }

  static void add_file(CLI::App& command, std::string& target, const std::string& description) {
    command.add_option("FILE", target, description)->required()->type_name("")->check(not_empty("name"));
  }

  template <class Choice>
  void add_flag(CLI::App& command, const std::string& name, Choice& target, Choice chosen_value, const std::string& description) {
    command.add_flag_callback(
        name, [&target, chosen_value] { target = chosen_value; }, description);
  }

  const CLI::App& chosen() const {
    const auto used = app_.get_subcommands();
    return used.empty() ? app_ : *used.front();
  }
  std::string command_name() const { return &chosen() == &app_ ? "" : chosen().get_name() + " "; }

  CLI::App app_;
  RunOptions run_;
  std::string allow_;
  NewOptions new_;
  ForkOptions fork_;
  StatusOptions status_;
  LogOptions log_;
  RecoverOptions recover_;
  AgentsOptions agents_;
  SessionsOptions sessions_;
  DoctorOptions doctor_;
  ConfigOptions config_;
  std::optional<CommandLine> command_;
};

}  // namespace command_line_internal

CommandLine parse_command_line(int argc, const char* const* argv) {
  return command_line_internal::Parser().parse(argc, argv);
}

}  // namespace agent_doc::cli
