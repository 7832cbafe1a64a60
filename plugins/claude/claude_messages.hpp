// Turns the messages of claude's protocol (`stream_event`, `assistant` and `user` lines) into
// AgentEvents. An `assistant` line carries one block (newer versions) or several, and arrives while
// its block is open, after it, or without any deltas. Turns, results, questions and the process are
// in claude.cpp. Use one for each agent process.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/claude/claude_failure.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Limit for the blocks of a message; higher indices are ignored.
inline constexpr std::int64_t kMaxBlockIndex = 100'000;

class ClaudeMessages {
 public:
  void begin_turn();
  void on_stream_event(const boost::json::object& line, Actions& actions);
  void on_assistant(const boost::json::object& line, Actions& actions);
  void on_user(const boost::json::object& line, Actions& actions);
  /// Handles the progress of thoughts that come without text.
  void on_thinking_tokens(const boost::json::object& line, Actions& actions);

  /// Returns the error message that the agent wrote in place of an answer; empty when there was
  /// none.
  const ClaudeError& error() const { return error_; }
  /// Returns the stop reason of the main lane's last message.
  const std::string& stop_reason() const { return stop_reason_; }

 private:
  /// A message that is being streamed.
  struct Open {
    std::string id;
    std::string stop_reason;
    std::int64_t complete_blocks = 0;  ///< `assistant` lines received for it
  };
  struct Tool {
    std::string message;
    bool has_summary = false;
  };

  Open& open_of(std::string_view lane);
  void begin_message(std::string_view lane, const boost::json::object& message, Actions& actions);
  void begin_block(const BlockKey& key, const boost::json::object& block, Actions& actions);
  void on_delta(const BlockKey& key, const boost::json::object& delta, Actions& actions);
  void end_message(std::string_view lane, const boost::json::object& line, Actions& actions);
  void give_up_other(std::string_view lane, std::string_view message, Actions& actions);
  void on_block(std::string_view lane, std::string_view message, const boost::json::object& block,
                Actions& actions);
  void tool_started(std::string_view lane, std::string_view message,
                    const boost::json::object& block, Actions& actions);
  std::string_view message_of(std::string_view id, const boost::json::array& content) const;

  Open main_;
  std::map<std::string, Open, std::less<>> sub_agents_;
  std::map<std::string, Tool, std::less<>> tools_;  ///< of this turn, by id
  bool thought_has_text_ = false;
  ClaudeError error_;
  std::string stop_reason_;
};

/// Returns the subject of a tool call: the command, the path, …, or the whole input as JSON. Cut to
/// `limit` bytes, with a note.
std::string describe_tool_input(const boost::json::object& input, std::size_t limit);

}  // namespace agent_doc::plugins
