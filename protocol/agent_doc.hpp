// What agent-doc adds to LSP: its commands (`workspace/executeCommand`), the notifications
// `agentDoc/turn` and `agentDoc/reply`, and the reasons for refusing a command. PROTOCOL.md is the
// specification. The server uses this header, and so does the command line as its client. Decoders
// throw InvalidField (fields.hpp) with the path of the bad field.
#pragma once

#include "protocol/jsonrpc.hpp"
#include "protocol/version.hpp"
#include "server/text/position.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::protocol {

class Fields;

inline constexpr std::string_view kServerName = "agent-doc";
/// Grows as PROTOCOL.md, section Versions, says.
inline constexpr int kProtocolNumber = 1;

inline constexpr std::string_view kRetryCommand = "agentDoc.retry";
inline constexpr std::string_view kRunCommand = "agentDoc.run";
inline constexpr std::string_view kPreviewCommand = "agentDoc.preview";
inline constexpr std::string_view kShowPromptCommand = "agentDoc.showPrompt";
inline constexpr std::string_view kLeaveOutCommand = "agentDoc.leaveOut";
inline constexpr std::string_view kStopCommand = "agentDoc.stop";
inline constexpr std::string_view kSteerCommand = "agentDoc.steer";
inline constexpr std::string_view kUnqueueCommand = "agentDoc.unqueue";
inline constexpr std::string_view kForkCommand = "agentDoc.fork";
inline constexpr std::string_view kNewSessionCommand = "agentDoc.newSession";
inline constexpr std::string_view kStatusCommand = "agentDoc.status";
inline constexpr std::string_view kAnswerCommand = "agentDoc.answer";
inline constexpr std::string_view kContinueReplyCommand = "agentDoc.continueReply";
inline constexpr std::string_view kRecoverReplyCommand = "agentDoc.recoverReply";
inline constexpr std::string_view kAgentsCommand = "agentDoc.agents";
inline constexpr std::string_view kSessionsCommand = "agentDoc.sessions";

inline constexpr std::string_view kTurnNotification = "agentDoc/turn";
inline constexpr std::string_view kReplyNotification = "agentDoc/reply";

// --- arguments of the commands ---

struct RunParams {
  std::string uri;
  std::optional<text::Position> position;
  std::optional<text::Position> prompt_end;
  std::string prompt;
  std::string agent;
  std::string model;
};
RunParams decode_run(const Fields& argument);

struct ForkParams {
  std::string uri;
  std::string target;                 ///< empty: next to the document
  std::optional<std::uint64_t> turn;  ///< counts from 1; absent: fork at the end
};
ForkParams decode_fork(const Fields& argument);

struct LeaveOutParams {
  std::string uri;
  std::optional<text::Position> position;  ///< of one change; absent: all of them
};
LeaveOutParams decode_leave_out(const Fields& argument);

struct AnswerParams {
  std::string turn;
  std::string permission;
  std::string option;  ///< empty: the question was cancelled
};
AnswerParams decode_answer(const Fields& argument);

struct SessionsParams {
  std::string uri;     ///< empty: the request concerns no document
  std::string agent;   ///< empty: the document's agent, else the default one
  std::string folder;  ///< a URI; empty: the document's folder
};
SessionsParams decode_sessions(const Fields& argument);

// --- results of the commands for pickers ---

struct AgentEntry {
  std::string name;
  std::string dialect;
  bool installed = false;
  bool isDefault = false;
  bool canResume = false;
  bool canFork = false;
  bool canList = false;
  std::string howToGet;  ///< omitted when empty
};
/// Encodes the result of agentDoc.agents.
boost::json::value encode(const std::vector<AgentEntry>& agents);

struct SessionEntry {
  std::string sessionId;
  std::string title;
  std::optional<std::int64_t> usedMs;  ///< milliseconds since 1970 (UTC)
};
/// The result of agentDoc.sessions.
struct SessionsResult {
  std::string agent;
  std::string folder;  ///< a URI
  bool complete = true;
  std::vector<SessionEntry> sessions;
};
boost::json::value encode(const SessionsResult& result);

/// The result of agentDoc.preview: what a run would send.
struct PreviewResult {
  std::string agent;
  std::string sessionId;  ///< that goes on, or is forked; empty: a new one
  std::string session;    ///< "new", "resume" or "fork"
  std::string shape;      ///< "prompt", "changes" or "document"
  bool known = true;      ///< what the session has of the document
  std::string text;
  std::string changes;  ///< a unified diff; empty when nothing was changed
  std::size_t places = 0;
};
/// Of a text, by its length alone: what a tokenizer makes of it is another number.
std::size_t estimated_tokens(std::string_view text);
boost::json::value encode(const PreviewResult& result);

// --- why a command was refused ---

enum class RefusalReason {
  Busy,
  NothingToSend,
  UnknownAgent,
  NoSession,
  NotOpen,
  Unsupported,
  Invalid
};
/// Returns the name on the wire: "busy", "nothing-to-send", …
std::string_view name_of(RefusalReason reason);
/// Returns a RequestFailed error with `message`, which is shown to the user, and `data: {"reason":
/// …}`.
Error refused(RefusalReason reason, std::string message);
/// Returns the reason in an error made by refused(), or nullopt for any other error.
std::optional<RefusalReason> reason_of(const Error& error);

// --- agentDoc/turn ---

struct PermissionOptionParams {
  std::string id;
  std::string label;
  std::string kind;  ///< "allow_once", "allow_always", "deny"
};
struct PermissionParams {
  std::string id;
  std::string tool;
  std::string detail;
  std::vector<PermissionOptionParams> options;
};
struct UsageParams {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t cacheRead = 0;
  std::int64_t cacheWrite = 0;
  std::int64_t costMicros = 0;
};
/// Strings are empty when the value is unknown.
struct TurnParams {
  std::string uri;
  std::string turn;
  std::string state;
  std::string phase;
  std::string status;
  std::string agent;
  std::string model;
  std::string sessionId;
  UsageParams usage;
  std::int64_t elapsedMs = 0;
  bool replyLanded = true;
  /// True when the reply is paused or its place was deleted: agentDoc.continueReply writes the
  /// rest.
  bool canContinue = false;
  bool queued = false;  ///< the next prompt goes when this turn is done; omitted when false
  std::string failure;  ///< omitted when empty
  std::string health;
  std::optional<PermissionParams> permission;  ///< in state "waiting"
};
boost::json::value encode(const TurnParams& turn);
TurnParams decode_turn(const boost::json::value& params);

// --- agentDoc/reply ---

/// Says that the reply now consists of its first `offset` bytes followed by `text`.
struct ReplyParams {
  std::string uri;
  std::string turn;
  std::uint64_t offset = 0;
  std::string text;
};
boost::json::value encode(const ReplyParams& reply);
ReplyParams decode_reply(const boost::json::value& params);

}  // namespace agent_doc::protocol
