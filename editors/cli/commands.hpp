// What it is: the subcommands of agent-doc as plain structs, and one function for each that carries it out and gives the exit code.
// What it is not: parsing (command_line.hpp).
// Thread rule: called once, from main().
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace agent_doc::cli {

enum ExitCode : int {
  kDone = 0,
  kTurnFailed = 1,  ///< or the reply could not be written, or anything else went wrong
  kUsage = 2,       ///< the command line, or a file that is no document
  kNothingToSend = 3,
  kBusy = 4,         ///< another agent-doc runs in this document
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

struct RunOptions {
  std::string file;
  std::string agent;  ///< empty: what the document says, else the default agent
  std::string model;
  Format format = Format::Text;
  Verbosity verbosity = Verbosity::Normal;
  Markdown markdown = Markdown::Rendered;
  Permissions permissions = Permissions::Ask;
};

enum class AfterNew { Leave, Run };
struct NewOptions {
  std::string file;
  std::string prompt;
  std::string agent;
  std::string resume;  ///< a session of the agent; empty: a new one
  AfterNew after = AfterNew::Leave;
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

struct LogOptions {
  std::string file;          ///< empty: all documents
  std::string words;         ///< only turns in which they occur
  std::int64_t turn = 0;     ///< this one whole; 0: a list
  std::uint32_t limit = 50;  ///< of the list
  Format format = Format::Text;
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

/// No arguments: short help, and the agents that were found.
struct OverviewOptions {
  std::string help;
};

/// Help, the version, or what is wrong with the command line.
struct TextOptions {
  std::string text;
  ExitCode code = kDone;
};

using CommandLine = std::variant<RunOptions, NewOptions, ForkOptions, StatusOptions, LogOptions, RecoverOptions, AgentsOptions,
                                 SessionsOptions, DoctorOptions, ServeOptions, ConfigOptions, OverviewOptions, TextOptions>;

int run(const RunOptions& options);
int make_new(const NewOptions& options);
int fork_document(const ForkOptions& options);
int show_status(const StatusOptions& options);
int show_log(const LogOptions& options);
int recover(const RecoverOptions& options);
int list_agents(const AgentsOptions& options);
int list_sessions(const SessionsOptions& options);
int examine(const DoctorOptions& options);
int serve(const ServeOptions& options);
int print_config(const ConfigOptions& options);
int show_overview(const OverviewOptions& options);

}  // namespace agent_doc::cli
