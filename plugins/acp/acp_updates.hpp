// Turns each `session/update`, which carries the content of a turn, into AgentEvents. ACP names no
// blocks and often no messages, so they are numbered here: a tool call ends a message, a new
// `messageId` begins one, and a change between thought and text begins a block. Requests, answers
// and the end of the turn are in acp.cpp. Use one for each agent process.
#pragma once

#include "plugins/acp/acp_retry.hpp"
#include "plugins/agent.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Limit for the tool calls, running at the same time, whose reported fields are kept.
inline constexpr std::size_t kMaxKeptTools = 200;
/// Limit for text that the agent sends after a turn, in bytes.
inline constexpr std::size_t kMaxLateText = 1024 * 1024;

class AcpUpdates {
 public:
  enum class Flavour {
    Standard,
    /// A chunk of thought is a complete thought under a heading of its own, which may be empty;
    /// changes of the mode are announced as text of the reply.
    Gemini,
  };
  explicit AcpUpdates(Flavour flavour) : flavour_(flavour) {}

  /// Says that the session has cost nothing so far. Otherwise the first reported cost is the
  /// starting point.
  void begin_new_session() { reported_cost_ = 0; }
  void begin_turn();
  void on_update(const boost::json::object& update, Actions& actions);
  /// Handles costs, which are reported outside turns, too; everything else is ignored.
  void on_update_outside_turn(const boost::json::object& update, Actions& actions);
  /// Keeps text that arrives after the prompt was answered. Returns false when `update` is none.
  bool keep_late_text(const boost::json::object& update);
  /// Emits the kept text as one text. Precondition: no turn runs.
  void emit_late_text(Actions& actions);
  /// Handles the tool call of a permission question, which some agents announce in no other way.
  void on_tool_call(const boost::json::object& call, Actions& actions);
  /// Returns `call` with everything reported earlier about its tool: a permission question may
  /// contain only the id.
  boost::json::object known_fields_of(const boost::json::object& call) const;
  /// Reports that a tool was not allowed: some agents never report its end.
  void tool_denied(std::string_view id, Actions& actions);
  /// Says that the open message is complete and why it ended, if that is known.
  void message_stopped(std::string_view stop_reason, Actions& actions);
  /// Discards the text of the open message, which is sent anew.
  void give_up_message(Actions& actions);
  void end_turn(Outcome outcome, Actions& actions);

 private:
  struct Tool {
    std::string kind;
    std::string summary;
    bool ended = false;
    bool is_kept = false;             ///< counted in kept_tools_
    boost::json::object fields = {};  ///< the fields that describe it, until it has ended
  };

  void on_chunk(BlockKind kind, const boost::json::object& update, Actions& actions);
  void on_text(std::string_view message_id, std::string_view text, Actions& actions);
  bool on_other_content(const boost::json::object& update, std::string_view type, Actions& actions);
  void on_thought(std::string_view message_id, std::string_view text, Actions& actions);
  void begin_message(std::string_view message_id, Actions& actions);
  void emit_held(Actions& actions);
  void emit_text(std::string_view text, Actions& actions);
  BlockKey open_block(BlockKind kind, Actions& actions);
  void end_message(Actions& actions);
  void close_message(Actions& actions);
  void on_tool_call_update(const boost::json::object& call, Actions& actions);
  void keep_fields(Tool& tool, const boost::json::object& call);
  void end_tool(Tool& tool);
  void emit_tool(const std::string& id, Tool& tool, const boost::json::object& call,
                 Actions& actions);
  void on_plan(const boost::json::object& update, Actions& actions) const;
  void on_usage(const boost::json::object& update, Actions& actions);

  Flavour flavour_;
  std::uint64_t message_ = 0;  ///< number of the last message
  std::string message_name_;   ///< empty when no message is open
  /// The agent's id of the open message's text, empty when it has none; nullopt until there is
  /// text.
  std::optional<std::string> message_id_;
  AcpRetry retry_;
  std::string retried_name_;             ///< of the message that a held one may repeat
  std::optional<BlockKind> block_kind_;  ///< of the open block
  std::int64_t block_ = -1;
  std::map<std::string, Tool, std::less<>> tools_;  ///< of this turn, by id
  std::size_t kept_tools_ = 0;                      ///< number of tools whose `told` is kept
  std::string late_;                     ///< text that arrived after the prompt was answered
  std::optional<double> reported_cost_;  ///< of the session so far, in dollars
};

/// Returns the subject of a tool call: its title, and the command or the path when the title does
/// not contain it. Cut to `limit` bytes.
std::string describe_tool_call(const boost::json::object& call, std::size_t limit);
/// Returns "edit", "execute", …, or "tool" when the agent does not say.
std::string_view kind_of_tool_call(const boost::json::object& call);
/// Returns `dollars` in millionths, or 0 when it is implausible.
std::int64_t micros_of(double dollars);

}  // namespace agent_doc::plugins
