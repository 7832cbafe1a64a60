// What it is: the seam between agent-doc and the agent CLIs. An AgentProtocol turns one agent's
// lines into AgentEvents and our wishes into lines and signals. To add an agent, implement this
// interface in one file and name it in registry.cpp.
// What it is not: it starts no process, reads no file, knows no clock and no document. All that
// goes through Launch and Actions.
// Thread rule: not thread-safe; one object per agent process, used by the server's thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::plugins {

// --- what an agent says (ARCHITECTURE, "From an agent's lines to the reply's text") ---
// Every string_view in an event is valid only during the call that hands it over.

/// Names a block: a piece of one message of one lane. `lane` is empty for the main agent, else the
/// id of the tool call that started the sub-agent. `index` orders the blocks of a message. Agents
/// that name blocks by an id put it into `message`.
struct BlockKey {
  std::string_view lane;
  std::string_view message;
  std::int64_t index = 0;
};

enum class BlockKind { Text, Thinking, ToolCall };

struct SessionStarted {
  std::string_view session_id, model, cwd;
};
/// A new request to the model begins; the same id again means that the message is sent anew
/// (restart or retry).
struct MessageStarted {
  std::string_view lane, message;
};
struct BlockStarted {
  BlockKey key;
  BlockKind kind;
};
/// Only what is new.
struct TextDelta {
  BlockKey key;
  std::string_view text;
};
struct ThinkingDelta {
  BlockKey key;
  std::string_view text;
};
struct ToolInputDelta {
  BlockKey key;
  std::string_view json;
};
/// The whole text of one block so far: it wins over the deltas. `key.index` is -1 when the agent
/// does not tell which block it is: then it is matched by kind and order inside its message.
struct Snapshot {
  BlockKey key;
  BlockKind kind;
  std::string_view text;
};
struct BlockEnded {
  BlockKey key;
};
/// `abandoned_from`: blocks from this index on were given up; what comes next under another message
/// id replaces them.
struct MessageEnded {
  std::string_view lane, message, stop_reason;
  std::optional<std::int64_t> abandoned_from;
};
/// May come again with the same id, when more is known of it (`summary`).
struct ToolStarted {
  std::string_view lane, id, name, summary;
};
struct ToolEnded {
  std::string_view lane, id;
  bool is_error = false;
};

enum class OptionKind {
  AllowOnce,
  AllowAlways,  ///< this and what is like it, by a rule that the label tells
  Widen,  ///< more than was asked is allowed from now on (another mode, more folders), or nobody
          ///< knows: asked once more
  Deny,
};
struct PermissionOption {
  std::string id;
  std::string label;
  OptionKind kind = OptionKind::Deny;
};
/// Something else that is allowed with a question: a further argument of the tool, the folder of a
/// command, the agent's reason. With `before`, `text` takes its place in a file: it is shown as
/// what goes and what comes.
struct PermissionPart {
  std::string name;
  std::string text;
  std::optional<std::string> before = std::nullopt;
};
/// The agent waits for an answer (AgentProtocol::answer). `detail` says what exactly it wants to do
/// (a command, a path), `more` the rest of it, whole. All of it as the agent gave it, hostile:
/// turn/question.hpp makes it visible, and cuts it.
struct PermissionAsked {
  std::string_view id, tool, detail;
  std::vector<PermissionOption> options;
  std::vector<PermissionPart> more = {};
};
/// The agent no longer waits for it.
struct PermissionWithdrawn {
  std::string_view id;
};

/// What was used since the last Usage of the turn.
struct Usage {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_write = 0, cost_micros = 0;
};

enum class NoticeKind { Retry, RateLimit, Compaction, Status, Warning };
/// `text` replaces the status line.
struct Notice {
  NoticeKind kind;
  std::string_view text;
};

/// SessionUnknown and ForkUnsupported: LaunchRequest::start cannot be done; nothing was sent to the
/// model. ContextFull: the session (or one prompt) is longer than the model can read. NoCredit: no
/// waiting helps.
enum class FailureKind {
  Auth,
  RateLimit,
  Invalid,
  Network,
  Refused,
  MaxTokens,
  SessionUnknown,
  ForkUnsupported,
  Crashed,
  Unknown,
  ContextFull,
  NoCredit,
};
/// The turn cannot succeed any more; TurnEnded follows. `message` is what the agent said, for a
/// person.
struct Failure {
  FailureKind kind;
  std::string_view message;
};

enum class Outcome { Done, Failed, Cancelled };
/// Exactly one per begin_turn(). `text` is the agent's own final text: used only when the turn gave
/// no reply text otherwise.
struct TurnEnded {
  Outcome outcome;
  std::string_view text;
};
/// One of the sessions that the agent keeps. Both texts are as the agent gave them: hostile.
struct KeptSession {
  std::string id;
  std::string title;  ///< may be empty
  std::optional<std::int64_t> used_ms =
      std::nullopt;  ///< when it was last used, in milliseconds since 1970 (UTC)
};
enum class Listing {
  Whole,
  Cut,          ///< the agent has more than is listed
  Unsupported,  ///< it has no such request
  Failed,       ///< `problem` says why, for a person
};
/// Exactly one per list_sessions(). `sessions` in the agent's order.
struct SessionsListed {
  Listing listing;
  std::vector<KeptSession> sessions;
  std::string_view problem;
};
/// What the agent printed in a turn that gave no reply: kept for who wants to know why, never shown
/// as the reply.
struct Printed {
  std::string_view text;
};
/// A line that this protocol does not know. Counted, never shown.
struct Unrecognised {
  std::string_view type;
};
/// A line that is no event at all (broken JSON). Counted; a warning when there are many.
struct Malformed {
  std::string_view line;
};

using AgentEvent =
    std::variant<SessionStarted, MessageStarted, BlockStarted, TextDelta, ThinkingDelta,
                 ToolInputDelta, Snapshot, BlockEnded, MessageEnded, ToolStarted, ToolEnded,
                 PermissionAsked, PermissionWithdrawn, Usage, Notice, Failure, TurnEnded,
                 SessionsListed, Printed, Unrecognised, Malformed>;

// --- what we want of an agent ---

enum class ProcessLifetime { Session, Turn };

/// How standard output is handed over.
enum class OutputForm {
  Lines,  ///< on_line()
  Text,   ///< on_output(): what stands in the pipe
};

/// How to start the agent. `command` is a name for PATH or a path; no shell ever sees it.
struct Launch {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  ///< set on top of the server's environment
  std::string cwd;
  ProcessLifetime lifetime = ProcessLifetime::Session;
  /// Put into a file that only the person can read, whose path takes the place of kPromptFile in
  /// `args`; it is gone when the process is.
  std::optional<std::string> prompt_file = std::nullopt;
  OutputForm output = OutputForm::Lines;
};

inline constexpr std::string_view kPromptFile = "{prompt_file}";

enum class SessionStart {
  New,     ///< a new session
  Resume,  ///< go on with `session_id`
  Fork,    ///< a copy of `session_id`, which stays as it is
};

/// What the agent may do without asking. Each plugin maps it to the modes of its agent; what an
/// agent still asks is answered by the person.
enum class PermissionPolicy {
  Ask,          ///< the agent's own default, asking the person
  Deny,         ///< questions are denied
  AcceptEdits,  ///< files of the working folder may be changed; all else is asked
  Plan,         ///< nothing is changed
};

struct LaunchRequest {
  SessionStart start = SessionStart::New;
  std::string session_id;  ///< for Resume and Fork
  std::string model;       ///< empty: the agent's own default
  std::string cwd;
  PermissionPolicy permissions = PermissionPolicy::Ask;
  std::string prompt =
      {};  ///< of the first turn, for agents that take it from a file; begin_turn() gives it too
};

/// What an agent can do with the session of an earlier process. What it cannot is not asked of it:
/// it gets a new session that is told what the document says.
struct SessionSupport {
  bool resume =
      true;  ///< false: `SessionStarted::session_id` is empty, every turn is the first one
  bool fork = true;
  bool list = false;  ///< AgentProtocol::list_sessions()
};

struct TurnRequest {
  std::string prompt;
};

struct ExitStatus {
  int code = 0;  ///< exit code, when `signal` is 0
  int signal = 0;
  std::string stderr_tail;  ///< the last bytes of standard error, well-formed UTF-8
};

enum class Signal { Interrupt, Terminate, Kill };

/// The agent reads or writes a text file through its client, which may have the file open (ACP
/// `fs/*`). `path` is as the agent gave it: hostile.
struct FileRead {
  std::string id;
  std::string path;
  std::optional<std::uint32_t> line;   ///< first line wanted, from 1
  std::optional<std::uint32_t> limit;  ///< lines at most
};
struct FileWrite {
  std::string id, path, text;
};
struct FileAnswer {
  bool done = false;
  std::string text;        ///< what was read; what went wrong, for the agent, when not `done`
  bool not_found = false;  ///< not `done`, because there is no such file
};

/// Where an AgentProtocol puts what it wants done. Calls are carried out in order.
class Actions {
 public:
  virtual ~Actions() = default;
  virtual void emit(const AgentEvent& event) = 0;
  /// For the agent's standard input; a newline is added. One line for agents that read lines, a
  /// whole prompt for those that read to the end.
  virtual void write_line(std::string line) = 0;
  virtual void close_stdin() = 0;
  /// To the agent's process group.
  virtual void send_signal(Signal signal) = 0;
  /// Exactly one AgentProtocol::file_answered() comes back for each, maybe from within the call.
  virtual void read_file(FileRead request) = 0;
  virtual void write_file(FileWrite request) = 0;
  /// The prompt is written: what is waited for from now on is the model.
  virtual void prompt_sent() {}
};

class AgentProtocol {
 public:
  virtual ~AgentProtocol() = default;
  /// As far as it is known before the agent runs: one that learns better later fails with
  /// SessionUnknown or ForkUnsupported.
  virtual SessionSupport session_support() const { return {}; }
  /// Called once, before begin_turn(). Agents that are told of their session by a message keep what
  /// they need of `request`.
  virtual Launch launch(const LaunchRequest& request) = 0;
  /// Precondition: no turn is running. Exactly one TurnEnded follows, whatever the agent does.
  virtual void begin_turn(const TurnRequest& request, Actions& actions) = 0;
  /// One line of standard output, without line end, well-formed UTF-8.
  virtual void on_line(std::string_view line, Actions& actions) = 0;
  /// For OutputForm::Text: a piece of standard output as it came, well-formed UTF-8, cut between
  /// characters and nowhere else.
  virtual void on_output(std::string_view piece, Actions& actions) {
    static_cast<void>(piece), static_cast<void>(actions);
  }
  /// The process is gone and all its lines were handed over. Ends a running turn.
  virtual void on_exit(const ExitStatus& status, Actions& actions) = 0;
  /// Asks the agent to stop the running turn. The caller escalates by signals when no TurnEnded
  /// comes.
  virtual void cancel(Actions& actions) = 0;
  /// `option` is one that PermissionAsked offered; empty means cancelled.
  virtual void answer(std::string_view permission, std::string_view option, Actions& actions) = 0;
  /// For agents that read or write files through us.
  virtual void file_answered(std::string_view request, const FileAnswer& answer, Actions& actions) {
    static_cast<void>(request), static_cast<void>(answer), static_cast<void>(actions);
  }
  /// Asks which sessions of the folder LaunchRequest::cwd the agent keeps, in the place of
  /// begin_turn(): the process is for nothing else. Exactly one SessionsListed follows, whatever
  /// the agent does.
  virtual void list_sessions(Actions& actions) {
    actions.emit(SessionsListed{Listing::Unsupported, {}, {}});
  }
  /// Our side ends the process now; standard input is closed behind what is written here, and no
  /// answer is waited for. Called once at most, and but for on_line() and on_exit() nothing after
  /// it.
  virtual void end(Actions& actions) { static_cast<void>(actions); }
};

}  // namespace agent_doc::plugins
