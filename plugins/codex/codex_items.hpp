// What it is: codex' items (messages, reasoning, commands, file changes, …) as AgentEvents. Both
// dialects have them: app-server spells `agentMessage`, exec `agent_message`.
// What it is not: turns, questions and the process are codex.cpp and codex_exec.cpp.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Parts of one item of reasoning; a higher index is not believed.
inline constexpr std::int64_t kMaxReasoningPart = 100'000;

/// Messages and tool calls that are remembered while they are being made.
inline constexpr std::size_t kMaxOpenItems = 1000;

/// `lane` is empty for the session's own thread, else the thread of a sub-agent.
class CodexItems {
 public:
  void begin_turn();
  void started(std::string_view lane, const boost::json::object& item, Actions& actions);
  void completed(std::string_view lane, const boost::json::object& item, Actions& actions);

  void text_delta(std::string_view lane, std::string_view item, std::string_view text,
                  Actions& actions);
  enum class Reasoning { Summary, Raw };
  void reasoning_part(std::string_view lane, std::string_view item, std::int64_t part,
                      Actions& actions);
  void reasoning_delta(std::string_view lane, std::string_view item, Reasoning kind,
                       std::int64_t part, std::string_view text, Actions& actions);

  /// The request to the model broke off and is made again: what was open will not be completed, the
  /// answer comes as new items.
  void give_up_open(Actions& actions);
  /// What the running tool call `item` is to do, whole, for a question about it; empty when it is
  /// not known.
  const std::vector<PermissionPart>& parts_of(std::string_view item) const;

 private:
  struct Open {
    std::string lane;
    std::string item;
  };
  bool is_open(std::string_view lane, std::string_view item) const;
  void open_message(std::string_view lane, std::string_view item, Actions& actions);
  void close_message(std::string_view lane, std::string_view item, Actions& actions);
  void message_completed(std::string_view lane, const boost::json::object& item, Actions& actions);
  void reasoning_completed(std::string_view lane, const boost::json::object& item,
                           Actions& actions);
  void tool_started(std::string_view lane, const boost::json::object& item, Actions& actions);
  void tool_completed(std::string_view lane, const boost::json::object& item, Actions& actions);

  std::vector<Open> open_;  ///< messages and reasoning that are being streamed
  std::map<std::string, std::vector<PermissionPart>, std::less<>>
      tools_;  ///< running ones: the changes of files that they make, by item
};

/// The texts of `object[key]`, an array of objects with a field `field`, joined with ", ".
std::string codex_list(const boost::json::object& object, std::string_view key,
                       std::string_view field);

}  // namespace agent_doc::plugins
