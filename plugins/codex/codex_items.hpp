// Turns codex' items (messages, reasoning, commands, file changes, …) into AgentEvents. For both
// dialects: app-server writes `agentMessage`, exec `agent_message`. Turns, questions and the
// process are in codex.cpp and codex_exec.cpp. Use one for each agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Limit for the parts of a reasoning item; higher indices are ignored.
inline constexpr std::int64_t kMaxReasoningPart = 100'000;

/// Limit for remembered messages and tool calls that are in progress.
inline constexpr std::size_t kMaxOpenItems = 1000;

/// `lane` is empty for the session's own thread, else the thread of a sub-agent.
class CodexItems {
 public:
  void begin_turn();
  /// What follows belongs to another turn of ours: nothing more is said of the messages that are
  /// open.
  void turn_goes_on();
  void started(std::string_view lane, const boost::json::object& item, Actions& actions);
  void completed(std::string_view lane, const boost::json::object& item, Actions& actions);

  void text_delta(std::string_view lane, std::string_view item, std::string_view text,
                  Actions& actions);
  enum class Reasoning { Summary, Raw };
  void reasoning_part(std::string_view lane, std::string_view item, std::int64_t part,
                      Actions& actions);
  void reasoning_delta(std::string_view lane, std::string_view item, Reasoning kind,
                       std::int64_t part, std::string_view text, Actions& actions);

  /// Discards what is open: the request to the model failed and is repeated, and the answer comes
  /// as new items.
  void give_up_open(Actions& actions);
  /// Returns everything that the running tool call `item` does, for a question about it; empty when
  /// that is unknown.
  const std::vector<PermissionPart>& parts_of(std::string_view item) const;

 private:
  struct Open {
    std::string lane;
    std::string item;
  };
  bool is_open(std::string_view lane, std::string_view item) const;
  bool is_over(std::string_view lane, std::string_view item) const;
  void open_message(std::string_view lane, std::string_view item, Actions& actions);
  void close_message(std::string_view lane, std::string_view item, Actions& actions);
  void message_completed(std::string_view lane, const boost::json::object& item, Actions& actions);
  void reasoning_completed(std::string_view lane, const boost::json::object& item,
                           Actions& actions);
  void tool_started(std::string_view lane, const boost::json::object& item, Actions& actions);
  void tool_completed(std::string_view lane, const boost::json::object& item, Actions& actions);

  std::vector<Open> open_;  ///< messages and reasoning that are being streamed
  std::vector<Open> over_;  ///< those that were broken off when the turn went on
  /// Running tool calls: the file changes they make, by item.
  std::map<std::string, std::vector<PermissionPart>, std::less<>> tools_;
};

/// Returns the texts of `object[key]`, an array of objects with a field `field`, joined by ", ".
std::string codex_list(const boost::json::object& object, std::string_view key,
                       std::string_view field);

}  // namespace agent_doc::plugins
