// The subcommands of agent-doc: a plain struct for the options of each, and a function that
// executes it and returns the exit code. command_line.hpp parses them. main() calls one of the
// functions, once.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace agent_doc::cli {

enum ExitCode : int {
  kDone = 0,
  kTurnFailed = 1,  ///< or the reply could not be written, or another error
  kUsage = 2,       ///< a wrong command line, or a file that is not a document
  kNothingToSend = 3,
  kBusy = 4,         ///< another agent-doc runs in this document
  kNoAgent = 5,      ///< no agent of that name, or its program was not found
  kChanged = 6,      ///< somebody has changed what was to be taken away or moved; it stays
  kCancelled = 130,  ///< the person stopped it
};

enum class Format { Text, Json };
enum class Verbosity { Normal, Verbose };
/// How to show a reply on a terminal.
enum class Markdown {
  Rendered,  ///< if the terminal can show it
  Source,    ///< as it is in the document
};
/// How to answer an agent's permission questions.
enum class Permissions {
  Ask,   ///< ask on the terminal; deny if there is none
  Deny,  ///< deny all
};

/// More concurrent agents would only wait for each other.
inline constexpr unsigned kMaxJobs = 64;

enum class AskHow { AsItIs, InEditor };
enum class Force { No, Yes };
enum class DryRun { No, Yes };

struct RunOptions {
  std::string file;
  std::vector<std::string> more;  ///< further files, or the next question (question.hpp)
  AskHow edit = AskHow::AsItIs;   ///< open the person's editor for the next question
  unsigned jobs = 4;              ///< how many of several files run at once
  Force force = Force::No;        ///< also run a file that is not markdown
  DryRun dry_run = DryRun::No;    ///< show what would be sent, and send nothing
  std::string agent;              ///< empty: the document's agent, or else the default one
  std::string model;
  Format format = Format::Text;
  Verbosity verbosity = Verbosity::Normal;
  Markdown markdown = Markdown::Rendered;
  Permissions permissions = Permissions::Ask;
};

struct AskOptions {
  std::vector<std::string> words;  ///< the words of the question; a last "-" is standard input
  std::string save;                ///< the document to write; empty: none
  RunOptions run;
};

enum class AfterNew { Leave, Run };
enum class NewFormat {
  Inline,    ///< questions and replies
  Template,  ///< in a component, beside others
};

struct NewOptions {
  std::string file;
  std::string prompt;
  std::string agent;
  std::string resume;  ///< a session of the agent; empty: a new one
  NewFormat format = NewFormat::Inline;
  AfterNew after = AfterNew::Leave;
  RunOptions run{};  ///< for AfterNew::Run
};

struct PatchOptions {
  std::string file;
  std::string component;
  std::string text = "-";  ///< "-": standard input
  std::string mode;        ///< empty: the component's own
};

struct ConvertOptions {
  std::string file;
  std::string to;  ///< "inline" or "template"
};

struct ForkOptions {
  std::string file;
  std::string target;      ///< empty: next to the document
  std::uint32_t turn = 0;  ///< the copy ends with this turn; 0: with the last one
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
  std::string words;         ///< list only turns that contain these words
  std::int64_t turn = 0;     ///< show this turn; 0: list the turns
  std::uint32_t limit = 50;  ///< the maximal length of the list
  Format format = Format::Text;
  Pager pager = Pager::OnTerminal;
};

struct RecoverOptions {
  std::string file;
};

struct UndoOptions {
  std::string file;
  Format format = Format::Text;
};

struct OutlineOptions {
  std::string file;
  Format format = Format::Text;
};

enum class CompactDirection {
  IntoArchive,
  Undo,  ///< put the last archive back
};
struct CompactOptions {
  std::string file;
  std::uint32_t keep = 0;  ///< how many turns stay
  CompactDirection direction = CompactDirection::IntoArchive;
  Format format = Format::Text;
};

struct WatchOptions {
  std::vector<std::string> targets;  ///< folders and files; none: the current folder
  unsigned jobs = 4;                 ///< how many documents run at once
  Format format = Format::Text;
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
  Yes,  ///< send a small prompt, which may cost something
};
enum class ExplainLines {
  No,
  Yes,  ///< show how each line of the answer was understood
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

/// The request of a shell for completions of a command line.
struct CompleteOptions {
  std::vector<std::string> words;  ///< after "agent-doc"; the last one is being typed
};

/// Without arguments: prints a short help and the agents that were found.
struct OverviewOptions {
  std::string help;
};

/// Prints help, the version, or an error in the command line.
struct TextOptions {
  std::string text;
  ExitCode code = kDone;
};

using CommandLine =
    std::variant<RunOptions, AskOptions, NewOptions, ForkOptions, DiffOptions, PatchOptions,
                 ConvertOptions, StatusOptions, LogOptions, RecoverOptions, UndoOptions,
                 OutlineOptions, CompactOptions, WatchOptions, AgentsOptions, SessionsOptions,
                 DoctorOptions, ServeOptions, ConfigOptions, CompletionsOptions, CompleteOptions,
                 OverviewOptions, TextOptions>;

int run(const RunOptions& options);
int ask(const AskOptions& options);
int make_new(const NewOptions& options);
int fork_document(const ForkOptions& options);
int show_changes(const DiffOptions& options);
int patch(const PatchOptions& options);
int convert(const ConvertOptions& options);
int show_status(const StatusOptions& options);
int show_log(const LogOptions& options);
int recover(const RecoverOptions& options);
int undo(const UndoOptions& options);
int show_outline(const OutlineOptions& options);
int compact(const CompactOptions& options);
int watch(const WatchOptions& options);
int list_agents(const AgentsOptions& options);
int list_sessions(const SessionsOptions& options);
int examine(const DoctorOptions& options);
int serve(const ServeOptions& options);
int print_config(const ConfigOptions& options);
int print_completions(const CompletionsOptions& options);
int complete(const CompleteOptions& options);
int show_overview(const OverviewOptions& options);

}  // namespace agent_doc::cli
