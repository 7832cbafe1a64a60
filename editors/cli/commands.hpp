// What it is: the subcommands of agent-doc as plain structs, and one function for each that carries
// it out and gives the exit code.
// What it is not: parsing (command_line.hpp).
// Thread rule: called once, from main().
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace agent_doc::cli {

enum ExitCode : int {
  kDone = 0,
  kTurnFailed = 1,  ///< or the reply could not be written, or anything else went wrong
  kUsage = 2,       ///< the command line, or a file that is no document
  kNothingToSend = 3,
  kBusy = 4,         ///< another agent-doc runs in this document
  kNoAgent = 5,      ///< there is no agent of that name, or its program was not found
  kCancelled = 130,  ///< the person stopped it
};

enum class Format { Text, Json };
enum class Verbosity { Normal, Verbose };
/// How a reply is shown on a terminal.
enum class Markdown {
  Rendered,  ///< where the terminal can
  Source,    ///< as it is in the document
};
/// What becomes of an agent's permission questions.
enum class Permissions {
  Ask,   ///< on the terminal; denied where there is none
  Deny,  ///< all
};

/// More agents at once would only wait for each other.
inline constexpr unsigned kMaxJobs = 64;

enum class AskHow { AsItIs, InEditor };
enum class Force { No, Yes };
enum class DryRun { No, Yes };

struct RunOptions {
  std::string file;
  std::vector<std::string> more;  ///< further files, or the next question (question.hpp)
  AskHow edit = AskHow::AsItIs;   ///< the next question is written in the person's editor
  unsigned jobs = 4;              ///< of several files so many run at once
  Force force = Force::No;        ///< also a file that is no markdown
  DryRun dry_run = DryRun::No;    ///< only what would be sent is shown
  std::string agent;              ///< empty: what the document says, else the default agent
  std::string model;
  Format format = Format::Text;
  Verbosity verbosity = Verbosity::Normal;
  Markdown markdown = Markdown::Rendered;
  Permissions permissions = Permissions::Ask;
};

struct AskOptions {
  std::vector<std::string> words;  ///< of the question; a last "-" is standard input
  std::string save;                ///< the document to keep it in; empty: none
  RunOptions run;
};

enum class AfterNew { Leave, Run };
struct NewOptions {
  std::string file;
  std::string prompt;
  std::string agent;
  std::string resume;  ///< a session of the agent; empty: a new one
  AfterNew after = AfterNew::Leave;
  RunOptions run{};  ///< how it is run
};

struct ForkOptions {
  std::string file;
  std::string target;      ///< empty: beside the document
  std::uint32_t turn = 0;  ///< 0: at the end
};

struct StatusOptions {
  std::string file;
  Format format = Format::Text;
};

struct DiffOptions {
  std::string file;
  std::string agent;  ///< empty: the document's
  Format format = Format::Text;
};

enum class Pager { OnTerminal, Never };
struct LogOptions {
  std::string file;          ///< empty: all documents
  std::string words;         ///< only turns in which they occur
  std::int64_t turn = 0;     ///< this one whole; 0: a list
  std::uint32_t limit = 50;  ///< of the list
  Format format = Format::Text;
  Pager pager = Pager::OnTerminal;
};

struct RecoverOptions {
  std::string file;
};

struct AgentsOptions {
  Format format = Format::Text;
};

struct SessionsOptions {
  std::string agent;  ///< empty: the default agent
  Format format = Format::Text;
};

enum class AskAgents {
  No,
  Yes,  ///< a small prompt is sent, which may cost something
};
enum class ExplainLines {
  No,
  Yes,  ///< what each line of the answer was taken for
};
struct DoctorOptions {
  std::string agent;  ///< empty: all
  AskAgents ask = AskAgents::No;
  ExplainLines explain = ExplainLines::No;
};

struct ServeOptions {};

struct ConfigOptions {
  std::string editor;  ///< one of editor_snippets()
};

struct CompletionsOptions {
  std::string shell;  ///< one of kShells
};

/// What a shell asks while a command line is typed: words that it could go on with.
struct CompleteOptions {
  std::vector<std::string> words;  ///< behind "agent-doc"; the last one is being typed
};

/// No arguments: short help, and the agents that were found.
struct OverviewOptions {
  std::string help;
};

/// Help, the version, or what is wrong with the command line.
struct TextOptions {
  std::string text;
  ExitCode code = kDone;
};

using CommandLine = std::variant<RunOptions, AskOptions, NewOptions, ForkOptions, DiffOptions,
                                 StatusOptions, LogOptions, RecoverOptions, AgentsOptions,
                                 SessionsOptions, DoctorOptions, ServeOptions, ConfigOptions,
                                 CompletionsOptions, CompleteOptions, OverviewOptions, TextOptions>;

int run(const RunOptions& options);
int ask(const AskOptions& options);
int make_new(const NewOptions& options);
int fork_document(const ForkOptions& options);
int show_changes(const DiffOptions& options);
int show_status(const StatusOptions& options);
int show_log(const LogOptions& options);
int recover(const RecoverOptions& options);
int list_agents(const AgentsOptions& options);
int list_sessions(const SessionsOptions& options);
int examine(const DoctorOptions& options);
int serve(const ServeOptions& options);
int print_config(const ConfigOptions& options);
int print_completions(const CompletionsOptions& options);
int complete(const CompleteOptions& options);
int show_overview(const OverviewOptions& options);

}  // namespace agent_doc::cli
