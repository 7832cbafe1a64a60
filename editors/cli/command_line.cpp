#include "editors/cli/command_line.hpp"

#include "editors/cli/completion.hpp"
#include "editors/cli/editor_snippets.hpp"
#include "protocol/agent_doc.hpp"
#include "server/text/nearest_word.hpp"
#include "server/turn/sanitiser.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::cli {

namespace {

constexpr const char* kAbout =
    "agent-doc: talk with coding agents inside a markdown document.\n"
    "You write under `## User`, the agent's reply streams in under `## Assistant`, while you go on "
    "typing.";
constexpr const char* kExamples =
    "To begin:\n"
    "  agent-doc new hello.md \"What can you do?\" --run\n"
    "and, after writing your next question at the end of hello.md:\n"
    "  agent-doc run hello.md\n"
    "In your editor: `agent-doc config EDITOR` prints what it needs.\n"
    "\n"
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing to send, 4 busy, 5 no such agent, 6 "
    "changed meanwhile, 130 stopped.";

/// In bytes; longer mistyped words are cut in messages.
constexpr std::size_t kMaxShownWord = 60;

/// CLI11 writes the options into these while it parses.
class Parser {
 public:
  Parser() : app_(kAbout, "agent-doc") {
    app_.footer(kExamples);
    app_.set_version_flag("--version", "agent-doc " + std::string(protocol::kServerVersion),
                          "Print the version and exit");
    app_.set_help_flag("-h,--help", "Print this help and exit");
    app_.require_subcommand(0, 1);
    add_run();
    add_ask();
    add_new();
    add_fork();
    add_diff();
    add_patch();
    add_convert();
    add_status();
    add_log();
    add_recover();
    add_undo();
    add_outline();
    add_compact();
    add_watch();
    add_agents();
    add_sessions();
    add_doctor();
    add_config();
    add_completions();
    add_serve();
  }

  /// Returns the completions of the last of `words`.
  Candidates complete(const std::vector<std::string>& words,
                      const CompletionSources& sources) const {
    const std::string& begun = words.back();
    Candidates all;
    if (words.size() == 1) {
      all = begun.starts_with('-') ? options_of(app_) : commands();
    } else if (const CLI::App* command = command_named(words.front())) {
      const std::vector<std::string> before(words.begin() + 1, words.end() - 1);
      const CLI::Option* option =
          before.empty() ? nullptr : option_with_value(*command, before.back());
      if (option != nullptr) {
        all = values_of(*option, begun, sources);
      } else if (begun.starts_with('-')) {
        all = options_of(*command);
      } else if (const CLI::Option* positional = positional_after(*command, before)) {
        all = values_of(*positional, begun, sources);
      }
    }
    std::erase_if(all, [&begun](const Candidate& one) { return !one.word.starts_with(begun); });
    return all;
  }

  CommandLine parse(int argc, const char* const* argv) {
    if (argc <= 1) return OverviewOptions{app_.help()};
    try {
      app_.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      return TextOptions{app_.get_subcommands().empty() ? app_.help() : chosen().help("agent-doc"),
                         kDone};
    } catch (const CLI::CallForVersion& version) {
      return TextOptions{std::string(version.what()) + "\n", kDone};
    } catch (const CLI::ParseError& error) {
      return TextOptions{"agent-doc: " + what_is_wrong(argc > 1 ? argv[1] : "", error) +
                             "\nHow it is used: agent-doc " + command_name() + "--help\n",
                         kUsage};
    }
    return std::move(*command_);
  }

 private:
  /// Suggests a command for a word that is not one.
  std::string what_is_wrong(const std::string& first, const CLI::ParseError& error) const {
    if (first.starts_with('-') || command_named(first) != nullptr) return error.what();
    const Candidates all = commands();
    std::vector<std::string_view> words;
    for (const Candidate& command : all) words.push_back(command.word);
    const std::string nearest(text::nearest_word(first, words));
    return "there is no command " + turn::one_line(first, kMaxShownWord) + "." +
           (nearest.empty() ? "" : " Did you mean " + nearest + "?");
  }

  Candidates commands() const {
    Candidates all;
    for (const CLI::App* command : app_.get_subcommands({}))
      all.push_back({command->get_name(), command->get_description()});
    return all;
  }

  const CLI::App* command_named(const std::string& name) const {
    for (const CLI::App* command : app_.get_subcommands({})) {
      if (command->get_name() == name) return command;
    }
    return nullptr;
  }

  static Candidates options_of(const CLI::App& command) {
    Candidates all;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames())
        all.push_back({"--" + name, option->get_description()});
    }
    return all;
  }

  static const CLI::Option* option_with_value(const CLI::App& command, const std::string& word) {
    for (const CLI::Option* option : command.get_options()) {
      const std::vector<std::string>& names = option->get_lnames();
      const bool is_it = word.starts_with("--") &&
                         std::find(names.begin(), names.end(), word.substr(2)) != names.end();
      if (is_it && option->get_type_size_max() > 0) return option;
    }
    return nullptr;
  }

  static const CLI::Option* positional_after(const CLI::App& command,
                                             const std::vector<std::string>& words) {
    std::size_t index = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool is_value = i > 0 && option_with_value(command, words[i - 1]) != nullptr;
      if (!words[i].starts_with('-') && !is_value) ++index;
    }
    const CLI::Option* last = nullptr;
    for (const CLI::Option* option :
         command.get_options([](const CLI::Option* one) { return one->get_positional(); })) {
      last = option;
      if (index-- == 0) return option;
    }
    return last != nullptr && last->get_expected_max() > 1 ? last : nullptr;
  }

  Candidates values_of(const CLI::Option& option, const std::string& begun,
                       const CompletionSources& sources) const {
    const std::string name =
        option.get_positional() ? option.get_name(true) : option.get_lnames().front();
    const auto is_one_of = [&name](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is_one_of({"FILE", "TARGET", "MORE", "PATH", "save"})) return sources.documents(begun);
    if (is_one_of({"AGENT", "agent"})) return sources.agents();
    if (is_one_of({"resume"})) return sources.sessions();
    Candidates all;
    if (is_one_of({"EDITOR"})) {
      for (const EditorSnippet& snippet : editor_snippets())
        all.push_back({std::string(snippet.editor), {}});
    } else if (is_one_of({"SHELL"})) {
      for (const std::string_view shell : kShells) all.push_back({std::string(shell), {}});
    } else if (is_one_of({"allow"})) {
      all = {{"ask", "on the terminal"}, {"none", "each gets a no"}};
    }
    return all;
  }

  CLI::App& add(const std::string& name, const std::string& description,
                std::function<CommandLine()> make) {
    CLI::App& command = *app_.add_subcommand(name, description);
    command.footer("");
    command.callback([this, make = std::move(make)] { command_ = make(); });
    return command;
  }

  void add_run() {
    CLI::App& command = add("run", "Send the open prompt of a document; the reply streams into it",
                            [this] { return made_run(); });
    add_file(command, run_.file, "A markdown file");
    command
        .add_option(
            "MORE", run_.more,
            "The next question (- reads it from standard input), or more files to run at once")
        ->type_name("");
    add_run_options(command, run_);
    add_flag(command, "--edit", run_.edit, AskHow::InEditor,
             "Write the next question in $VISUAL or $EDITOR");
    command.add_option("--jobs", run_.jobs, "Of several files, how many run at once (4)")
        ->type_name("N")
        ->check(CLI::Range(1U, kMaxJobs));
    add_flag(command, "--dry-run", run_.dry_run, DryRun::Yes,
             "Show what would be sent, with its size, and send nothing");
    add_flag(command, "--force", run_.force, Force::Yes,
             "Run a file that is no markdown by its name");
  }

  /// Adds the options that `run` and `ask` share.
  void add_run_options(CLI::App& command, RunOptions& run) {
    command.add_option("--agent", run.agent, "Which agent, instead of the document's")
        ->type_name("NAME");
    command.add_option("--model", run.model, "Which of the agent's models")->type_name("NAME");
    add_flag(command, "--json", run.format, Format::Json, "Print events as JSON, one on a line");
    add_flag(command, "--plain", run.markdown, Markdown::Source,
             "Show the markdown as it is, also on a terminal");
    add_flag(command, "--verbose", run.verbosity, Verbosity::Verbose,
             "Tell what the agent does, and how well it was understood");
    command
        .add_option("--allow", allow_,
                    "What the agent's permission questions get: `ask` (a question on the terminal, "
                    "no without one), or `none`")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"ask", "none"}));
  }

  CommandLine made_run() {
    if (allow_ == "none") run_.permissions = Permissions::Deny;
    return run_;
  }

  void add_ask() {
    CLI::App& command =
        add("ask", "Ask something, and keep no document", [this] { return made_ask(); });
    command.add_option("QUESTION", ask_.words, "The question; a last - adds standard input to it")
        ->required()
        ->type_name("");
    command.add_option("--save", ask_.save, "Keep it in this document, which is made")
        ->type_name("FILE")
        ->check(not_empty("name"));
    add_run_options(command, ask_.run);
  }

  CommandLine made_ask() {
    if (allow_ == "none") ask_.run.permissions = Permissions::Deny;
    return ask_;
  }

  void add_new() {
    CLI::App& command =
        add("new", "Make a document; never overwrites one", [this] { return new_; });
    add_file(command, new_.file, "The file to make");
    command.add_option("PROMPT", new_.prompt, "What to ask")->type_name("");
    command.add_option("--agent", new_.agent, "Which agent it is for")->type_name("NAME");
    command
        .add_option("--resume", new_.resume,
                    "Go on with this session of the agent, see `agent-doc sessions`")
        ->type_name("ID")
        ->check(not_empty("id"));
    add_flag(command, "--template", new_.format, NewFormat::Template,
             "With components: a status and a log that the agent keeps, and the exchange");
    add_flag(command, "--run", new_.after, AfterNew::Run, "Run it at once");
  }

  void add_fork() {
    CLI::App& command = add("fork", "Make a copy that goes on from here in a session of its own",
                            [this] { return fork_; });
    add_file(command, fork_.file, "The document");
    command.add_option("TARGET", fork_.target, "The file to make; beside FILE when left out");
    command.add_option("--turn", fork_.turn, "Keep only so many questions and replies; else all")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
  }

  void add_diff() {
    CLI::App& command = add(
        "diff", "Show what was changed since the agent saw the document, as a run would tell it",
        [this] { return diff_; });
    add_file(command, diff_.file, "The document");
    command.add_option("--agent", diff_.agent, "Which agent, instead of the document's")
        ->type_name("NAME");
    add_flag(command, "--json", diff_.format, Format::Json, "As JSON");
  }

  void add_patch() {
    CLI::App& command = add("patch", "Put a text into a component of a document, from a script",
                            [this] { return patch_; });
    add_file(command, patch_.file, "The document");
    command.add_option("COMPONENT", patch_.component, "Its name")
        ->required()
        ->type_name("")
        ->check(not_empty("name"));
    command.add_option("TEXT", patch_.text, "What to put there; standard input when left out or -")
        ->type_name("");
    command
        .add_option("--mode", patch_.mode,
                    "append, prepend or replace, instead of what the component says")
        ->type_name("MODE")
        ->check(CLI::IsMember({"append", "prepend", "replace"}));
  }

  void add_convert() {
    CLI::App& command =
        add("convert", "Put a document's turns into a component, or take them out of it again",
            [this] { return convert_; });
    add_file(command, convert_.file, "The document");
    command.add_option("--to", convert_.to, "template or inline")
        ->required()
        ->type_name("FORMAT")
        ->check(CLI::IsMember({"template", "inline"}));
  }

  void add_status() {
    CLI::App& command =
        add("status", "Tell what a document is and whether it runs", [this] { return status_; });
    add_file(command, status_.file, "The document");
    add_flag(command, "--json", status_.format, Format::Json, "As JSON");
  }

  void add_log() {
    CLI::App& command =
        add("log", "List what was asked and answered, also what no document shows any more",
            [this] { return log_; });
    command.add_option("FILE", log_.file, "Only of this document")->type_name("");
    command.add_option("--search", log_.words, "Only turns with these words")->type_name("WORDS");
    command.add_option("--turn", log_.turn, "One turn, whole: the number in front of its line")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    command.add_option("--limit", log_.limit, "How many, the newest ones (50)")
        ->type_name("N")
        ->check(CLI::PositiveNumber);
    add_flag(command, "--json", log_.format, Format::Json, "As JSON, one turn on a line");
    add_flag(command, "--no-pager", log_.pager, Pager::Never,
             "Print one turn at once, also on a terminal");
  }

  void add_recover() {
    CLI::App& command = add(
        "recover", "Insert what is missing of the last reply, after a crash or an unsaved document",
        [this] { return recover_; });
    add_file(command, recover_.file, "The document");
  }

  void add_undo() {
    CLI::App& command =
        add("undo", "Take the last reply out again, if nobody changed it; its question is open",
            [this] { return undo_; });
    add_file(command, undo_.file, "The document");
    add_flag(command, "--json", undo_.format, Format::Json, "As JSON");
  }

  void add_outline() {
    CLI::App& command = add("outline", "List a document's turns: sizes, tokens, cost, model",
                            [this] { return outline_; });
    add_file(command, outline_.file, "The document");
    add_flag(command, "--json", outline_.format, Format::Json, "As JSON");
  }

  void add_compact() {
    CLI::App& command =
        add("compact", "Move older turns into an archive beside the document; a new session begins",
            [this] { return compact_; });
    add_file(command, compact_.file, "The document");
    CLI::Option* keep = command.add_option("--keep", compact_.keep, "How many turns are to stay")
                            ->type_name("N")
                            ->check(CLI::PositiveNumber);
    command
        .add_flag_callback(
            "--undo", [this] { compact_.direction = CompactDirection::Undo; },
            "Put the turns of the last archive back")
        ->excludes(keep);
    add_flag(command, "--json", compact_.format, Format::Json, "As JSON");
  }

  void add_watch() {
    CLI::App& command =
        add("watch", "Run each document that is saved with a last line /send, until it is stopped",
            [this] { return watch_; });
    command.add_option("PATH", watch_.targets, "Folders and documents; else the current folder")
        ->type_name("");
    command.add_option("--jobs", watch_.jobs, "How many documents run at once (4)")
        ->type_name("N")
        ->check(CLI::Range(1U, kMaxJobs));
    add_flag(command, "--json", watch_.format, Format::Json, "Print events as JSON, one on a line");
  }

  void add_agents() {
    CLI::App& command = add("agents", "List the agents", [this] { return agents_; });
    add_flag(command, "--json", agents_.format, Format::Json, "As JSON");
  }

  void add_sessions() {
    CLI::App& command = add("sessions", "List the sessions that an agent keeps for this folder",
                            [this] { return sessions_; });
    command.add_option("AGENT", sessions_.agent, "Which agent, instead of the default one")
        ->type_name("");
    add_flag(command, "--json", sessions_.format, Format::Json, "As JSON");
  }

  void add_doctor() {
    CLI::App& command = add("doctor", "Really start the agents, and tell what is wrong",
                            [this] { return doctor_; });
    command.add_option("AGENT", doctor_.agent, "Only this one")->type_name("");
    add_flag(command, "--ask", doctor_.ask, AskAgents::Yes,
             "Send each a small prompt, and wait for the answer");
    add_flag(command, "--explain", doctor_.explain, ExplainLines::Yes,
             "Send a small prompt, and tell what each line of the answer was taken for");
  }

  void add_config() {
    CLI::App& command =
        add("config", "Print what an editor's configuration needs", [this] { return config_; });
    std::vector<std::string> editors;
    for (const EditorSnippet& snippet : editor_snippets()) editors.emplace_back(snippet.editor);
    std::string description = "Which editor:";
    for (const std::string& editor : editors) description += " " + editor;
    command.add_option("EDITOR", config_.editor, description)
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(editors));
  }

  void add_completions() {
    CLI::App& command = add("completions", "Print what makes a shell complete agent-doc's words",
                            [this] { return completions_; });
    command.add_option("SHELL", completions_.shell, "bash, zsh or fish")
        ->required()
        ->type_name("")
        ->check(CLI::IsMember(std::vector<std::string>(kShells.begin(), kShells.end())));
  }

  void add_serve() {
    CLI::App& command = add("serve", "The language server, on standard input and output",
                            [] { return ServeOptions{}; });
    command.add_flag("--stdio")->description("Accepted because editors add it");
  }

  static std::function<std::string(const std::string&)> not_empty(const char* what) {
    return [what](const std::string& value) {
      return value.empty() ? std::string("the ") + what + " is empty" : std::string();
    };
  }

  static void add_file(CLI::App& command, std::string& target, const std::string& description) {
    command.add_option("FILE", target, description)
        ->required()
        ->type_name("")
        ->check(not_empty("name"));
  }

  template <class Choice>
  void add_flag(CLI::App& command, const std::string& name, Choice& target, Choice chosen_value,
                const std::string& description) {
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
  AskOptions ask_;
  std::string allow_;
  NewOptions new_;
  ForkOptions fork_;
  DiffOptions diff_;
  PatchOptions patch_;
  ConvertOptions convert_;
  StatusOptions status_;
  LogOptions log_;
  RecoverOptions recover_;
  UndoOptions undo_;
  OutlineOptions outline_;
  CompactOptions compact_;
  WatchOptions watch_;
  AgentsOptions agents_;
  SessionsOptions sessions_;
  DoctorOptions doctor_;
  ConfigOptions config_;
  CompletionsOptions completions_;
  std::optional<CommandLine> command_;
};

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  return Parser().parse(argc, argv);
}

Candidates complete_words(const std::vector<std::string>& words, const CompletionSources& sources) {
  return Parser().complete(words, sources);
}

}  // namespace agent_doc::cli
