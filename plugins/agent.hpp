// The interface between agent-doc and the agents' command line programs. An AgentProtocol turns one
// agent's output into AgentEvents, and our requests into lines and signals. It starts no process,
// reads no file, and knows neither a clock nor documents; all that goes through Launch and Actions.
// To add an agent, implement this interface in one file and list it in registry.cpp.
//
// Use one object for each agent process, on the server's thread.
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

// --- events of an agent (ARCHITECTURE, "From an agent's lines to the reply's text") ---
// Every string_view in an event is valid only during the call that delivers it.

/// Names a block: a piece of one message in one lane. `lane` is empty for the main agent, else the
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
/// A new request to the model begins. The same id again means that the message is sent anew, after
/// a restart or a retry.
struct MessageStarted {
  std::string_view lane, message;
};
struct BlockStarted {
  BlockKey key;
  BlockKind kind;
};
/// Text appended to a block.
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
/// The complete text of a block so far; it overrides the deltas. `key.index` is -1 when the agent
/// does not say which block it is, which is then found by kind and order within the message.
struct Snapshot {
  BlockKey key;
  BlockKind kind;
  std::string_view text;
};
struct BlockEnded {
  BlockKey key;
};
/// The end of a message. `abandoned_from`: blocks from this index on were discarded; what follows
/// under another message id replaces them.
struct MessageEnded {
  std::string_view lane, message, stop_reason;
  std::optional<std::int64_t> abandoned_from;
};
/// May be sent again with the same id when more is known (`summary`).
struct ToolStarted {
  std::string_view lane, id, name, summary;
};
struct ToolEnded {
  std::string_view lane, id;
  bool is_error = false;
};

enum class OptionKind {
  AllowOnce,
  /// Allows this and everything like it, by a rule that the label describes.
  AllowAlways,
  /// Allows more than was asked from now on (another mode, more folders), or something unknown. The
  /// user is asked to confirm.
  Widen,
  Deny,
};
struct PermissionOption {
  std::string id;
  std::string label;
  OptionKind kind = OptionKind::Deny;
};
/// Something else that a question allows: a further argument of the tool, the folder of a command,
/// the agent's reason. With `before`, `text` replaces it in a file, and both are shown.
struct PermissionPart {
  std::string name;
  std::string text;
  std::optional<std::string> before = std::nullopt;
};
/// The agent waits for AgentProtocol::answer(). `detail` is what it wants to do (a command, a
/// path), `more` is everything else. All of it is complete and as the agent sent it, so it is
/// hostile: turn/question.hpp makes it visible and cuts it.
struct PermissionAsked {
  std::string_view id, tool, detail;
  std::vector<PermissionOption> options;
  std::vector<PermissionPart> more = {};
};
/// The agent no longer waits for the answer.
struct PermissionWithdrawn {
  std::string_view id;
};

/// Tokens and cost since the previous Usage of the turn.
struct Usage {
  std::int64_t input = 0, output = 0, cache_read = 0, cache_write = 0, cost_micros = 0;
};

enum class NoticeKind { Retry, RateLimit, Compaction, Status, Warning };
/// `text` replaces the status line.
struct Notice {
  NoticeKind kind;
  std::string_view text;
};

/// SessionUnknown and ForkUnsupported: LaunchRequest::start is impossible, and nothing was sent to
/// the model. ContextFull: the session, or a single prompt, exceeds the model's context. NoCredit:
/// waiting does not help.
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
/// The turn cannot succeed any more; TurnEnded follows. `message` is the agent's own, for the user.
struct Failure {
  FailureKind kind;
  std::string_view message;
};

enum class Outcome { Done, Failed, Cancelled };
/// Sent exactly once for each begin_turn(). `text` is the agent's own final text, used only when
/// the turn produced no other reply text.
struct TurnEnded {
  Outcome outcome;
  std::string_view text;
};
/// The agent has read what AgentProtocol::steer() said: what it did so far is one turn, what
/// follows is the next one. `text` is as in TurnEnded; a Failure of the turn so far may come before
/// it.
struct SteerHeard {
  std::string_view text;
};
/// The agent has not read what steer() said, and will not. The turn goes on.
struct SteerRefused {};
/// A session that the agent keeps. Both texts are as the agent sent them: hostile.
struct KeptSession {
  std::string id;
  std::string title;  ///< may be empty
  /// Time of the last use, in milliseconds since 1970 (UTC).
  std::optional<std::int64_t> used_ms = std::nullopt;
};
enum class Listing {
  Whole,
  Cut,          ///< the agent has more sessions than are listed
  Unsupported,  ///< the agent has no such request
  Failed,       ///< `problem` says why, for the user
};
/// Sent exactly once for each list_sessions(). `sessions` are in the agent's order.
struct SessionsListed {
  Listing listing;
  std::vector<KeptSession> sessions;
  std::string_view problem;
};
/// Output of an agent during a turn without a reply. Kept for diagnosis, never shown as the reply.
struct Printed {
  std::string_view text;
};
/// A line that this protocol does not know. Counted, never shown.
struct Unrecognised {
  std::string_view type;
};
/// A line that is no event at all, such as broken JSON. Counted, with a warning when there are
/// many.
struct Malformed {
  std::string_view line;
};

using AgentEvent =
    std::variant<SessionStarted, MessageStarted, BlockStarted, TextDelta, ThinkingDelta,
                 ToolInputDelta, Snapshot, BlockEnded, MessageEnded, ToolStarted, ToolEnded,
                 PermissionAsked, PermissionWithdrawn, Usage, Notice, Failure, TurnEnded,
                 SteerHeard, SteerRefused, SessionsListed, Printed, Unrecognised, Malformed>;

// --- requests to an agent ---

enum class ProcessLifetime { Session, Turn };

/// How standard output is delivered.
enum class OutputForm {
  Lines,  ///< by on_line()
  Text,   ///< by on_output(), as it arrives
};

/// How to start an agent. `command` is a name for PATH or a path; no shell is involved.
struct Launch {
  std::string command;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  ///< added to the server's environment
  std::string cwd;
  ProcessLifetime lifetime = ProcessLifetime::Session;
  /// Written into a file that only the user can read and that is deleted with the process. The
  /// file's path replaces kPromptFile in `args`.
  std::optional<std::string> prompt_file = std::nullopt;
  OutputForm output = OutputForm::Lines;
};

inline constexpr std::string_view kPromptFile = "{prompt_file}";

enum class SessionStart {
  New,     ///< a new session
  Resume,  ///< continue `session_id`
  Fork,    ///< continue a copy of `session_id`, which stays unchanged
};

/// What the agent may do without asking. Each plugin maps it to the modes of its agent. What the
/// agent still asks is answered by the user.
enum class PermissionPolicy {
  Ask,   ///< the agent's own default; questions go to the user
  Deny,  ///< questions are denied
  /// Files in the working folder may be changed; everything else is asked.
  AcceptEdits,
  Plan,  ///< nothing may be changed
};

struct LaunchRequest {
  SessionStart start = SessionStart::New;
  std::string session_id;  ///< for Resume and Fork
  std::string model;       ///< empty: the agent's default
  std::string cwd;
  PermissionPolicy permissions = PermissionPolicy::Ask;
  /// The prompt of the first turn, for agents that read it from a file. begin_turn() passes it,
  /// too.
  std::string prompt = {};
};

/// What an agent can do with the session of an earlier process. Where it lacks support, it gets a
/// new session whose prompt contains the document.
struct SessionSupport {
  /// When false, `SessionStarted::session_id` is empty and every turn starts anew.
  bool resume = true;
  bool fork = true;
  bool list = false;  ///< supports AgentProtocol::list_sessions()
};

struct TurnRequest {
  std::string prompt;
};

/// What is said to an agent in the middle of its turn.
struct SteerRequest {
  std::string text;
  std::string id;  ///< a UUID that no other message has
};

struct ExitStatus {
  int code = 0;  ///< the exit code, when `signal` is 0
  int signal = 0;
  std::string stderr_tail;  ///< the end of standard error, well-formed UTF-8
};

enum class Signal { Interrupt, Terminate, Kill };

/// The agent reads or writes a text file through its client, which may have the file open (ACP
/// `fs/*`). `path` is as the agent sent it: hostile.
struct FileRead {
  std::string id;
  std::string path;
  std::optional<std::uint32_t> line;   ///< the first line wanted, from 1
  std::optional<std::uint32_t> limit;  ///< maximum number of lines
};
struct FileWrite {
  std::string id, path, text;
};
struct FileAnswer {
  bool done = false;
  /// The text read or, when not `done`, the error for the agent.
  std::string text;
  bool not_found = false;  ///< not `done` because there is no such file
};

/// Receives what an AgentProtocol wants done. Calls are carried out in order.
class Actions {
 public:
  virtual ~Actions() = default;
  virtual void emit(const AgentEvent& event) = 0;
  /// Writes to the agent's standard input and appends a newline: one line for agents that read
  /// lines, a whole prompt for those that read to the end.
  virtual void write_line(std::string line) = 0;
  virtual void close_stdin() = 0;
  /// Sends `signal` to the agent's process group.
  virtual void send_signal(Signal signal) = 0;
  /// Read or write a file. AgentProtocol::file_answered() follows exactly once for each call, maybe
  /// from within it.
  virtual void read_file(FileRead request) = 0;
  virtual void write_file(FileWrite request) = 0;
  /// Reports that the prompt was written: from now on the model is waited for.
  virtual void prompt_sent() {}
};

class AgentProtocol {
 public:
  virtual ~AgentProtocol() = default;
  /// Returns what is known before the agent runs. A protocol that learns otherwise fails later with
  /// SessionUnknown or ForkUnsupported.
  virtual SessionSupport session_support() const { return {}; }
  /// Returns how to start the agent. Called once, before begin_turn(). Protocols that choose the
  /// session by a message keep what they need of `request`.
  virtual Launch launch(const LaunchRequest& request) = 0;
  /// Begins a turn. Precondition: no turn is running. Exactly one TurnEnded follows, whatever the
  /// agent does.
  virtual void begin_turn(const TurnRequest& request, Actions& actions) = 0;
  /// Returns true while a turn is running in which the agent would hear steer().
  virtual bool can_steer() const { return false; }
  /// Says something to the agent in the middle of its turn. Precondition: can_steer(), and nothing
  /// said before is still unheard. SteerHeard or SteerRefused follows, or TurnEnded: then the agent
  /// has not read it, and will not.
  virtual void steer(const SteerRequest& request, Actions& actions) {
    static_cast<void>(request), static_cast<void>(actions);
  }
  /// Handles one line of standard output, without its line end, well-formed UTF-8.
  virtual void on_line(std::string_view line, Actions& actions) = 0;
  /// Handles a piece of standard output for OutputForm::Text: as it arrived, well-formed UTF-8, cut
  /// between characters.
  virtual void on_output(std::string_view piece, Actions& actions) {
    static_cast<void>(piece), static_cast<void>(actions);
  }
  /// Handles the end of the process, after all its lines. Ends a running turn.
  virtual void on_exit(const ExitStatus& status, Actions& actions) = 0;
  /// Asks the agent to stop the running turn. When no TurnEnded follows, the caller escalates to
  /// signals.
  virtual void cancel(Actions& actions) = 0;
  /// Answers a question. `option` is one that PermissionAsked offered; empty means cancelled.
  virtual void answer(std::string_view permission, std::string_view option, Actions& actions) = 0;
  /// Handles the result of Actions::read_file() or write_file().
  virtual void file_answered(std::string_view request, const FileAnswer& answer, Actions& actions) {
    static_cast<void>(request), static_cast<void>(answer), static_cast<void>(actions);
  }
  /// Asks for the sessions that the agent keeps for the folder LaunchRequest::cwd. Called in place
  /// of begin_turn(), on a process that serves no other purpose. Exactly one SessionsListed
  /// follows, whatever the agent does.
  virtual void list_sessions(Actions& actions) {
    actions.emit(SessionsListed{Listing::Unsupported, {}, {}});
  }
  /// Called at most once, when our side ends the process: standard input is closed after what is
  /// written here, and no answer is waited for. Only on_line() and on_exit() follow.
  virtual void end(Actions& actions) { static_cast<void>(actions); }
};

}  // namespace agent_doc::plugins
