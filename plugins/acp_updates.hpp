// What it is: the part of ACP that carries a turn's content: each `session/update` becomes AgentEvents. ACP names no blocks and often no messages, so
// they are numbered here: a tool call ends a message, a new `messageId` begins one, a change between thought and text begins a block.
// What it is not: requests, answers, questions and the turn's end are acp.cpp.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Tool calls that run at once; of more it is not kept what was told of them.
inline constexpr std::size_t kMaxToldTools = 200;
/// Of what the agent says after a turn, in bytes.
inline constexpr std::size_t kMaxLateText = 1024 * 1024;

class AcpUpdates {
 public:
  enum class Flavour {
    Standard,
    /// A chunk of thought is a whole thought under a heading of its own, which may be empty; a change of mode is told as text of the reply.
    Gemini,
  };
  explicit AcpUpdates(Flavour flavour) : flavour_(flavour) {}

  /// The session has cost nothing so far. Without it only what is told from the second time on counts.
  void begin_new_session() { told_cost_ = 0; }
  void begin_turn();
  void on_update(const boost::json::object& update, Actions& actions);
  /// What a session costs is told outside of turns too; nothing else is looked at.
  void on_update_outside_of_turn(const boost::json::object& update, Actions& actions);
  /// Of what was said after the prompt was answered. False: `update` is no such thing.
  bool keep_late(const boost::json::object& update);
  /// Tells it as one text. Precondition: no turn runs.
  void tell_late(Actions& actions);
  /// Of a permission question: some agents announce the tool by it only.
  void on_tool_call(const boost::json::object& call, Actions& actions);
  /// `call`, and what was told before of the tool that it names: a permission question may name no more than the id.
  boost::json::object all_told_of(const boost::json::object& call) const;
  /// It was not allowed: some agents never tell what became of it.
  void tool_denied(std::string_view id, Actions& actions);
  /// What was said in the open message comes anew.
  void give_up_message(Actions& actions);
  void end_turn(Actions& actions) { end_message(actions); }

 private:
  struct Tool {
    std::string kind;
    std::string summary;
    bool ended = false;
    bool is_kept = false;           ///< in `told`
    boost::json::object told = {};  ///< the fields that say what it does, until it has ended
  };

  void on_chunk(BlockKind kind, const boost::json::object& update, Actions& actions);
  void on_text(std::string_view message_id, std::string_view text, Actions& actions);
  bool on_other_content(const boost::json::object& update, std::string_view type, Actions& actions);
  void on_thought(std::string_view text, Actions& actions);
  BlockKey open_block(BlockKind kind, Actions& actions);
  void end_message(Actions& actions);
  void on_tool_call_update(const boost::json::object& call, Actions& actions);
  void keep_told(Tool& tool, const boost::json::object& call);
  void end_tool(Tool& tool);
  void tell_tool(const std::string& id, Tool& tool, const boost::json::object& call, Actions& actions);
  void on_plan(const boost::json::object& update, Actions& actions) const;
  void on_usage(const boost::json::object& update, Actions& actions);

  Flavour flavour_;
  std::uint64_t message_ = 0;  ///< number of the last message
  std::string message_name_;   ///< empty when none is open
  std::optional<std::string>
      message_id_;  ///< the agent's, of the open message's text, empty where it tells none; nothing until there is text
  std::optional<BlockKind> block_kind_;  ///< of the open block
  std::int64_t block_ = -1;
  std::map<std::string, Tool, std::less<>> tools_;  ///< of this turn, by id
  std::size_t kept_tools_ = 0;                      ///< of which it is kept what was told
  std::string late_;                                ///< text that came after the prompt was answered
  std::optional<double> told_cost_;                 ///< of the session so far, in dollars
};

/// What a tool call is about: its title, and the command or the path where the title does not say it. Cut at `limit` bytes.
std::string describe_tool_call(const boost::json::object& call, std::size_t limit);
/// "edit", "execute", … ; "tool" when the agent does not tell.
std::string_view kind_of_tool_call(const boost::json::object& call);
/// `dollars` in millionths; 0 when it is no sensible sum.
std::int64_t micros_of(double dollars);

}  // namespace agent_doc::plugins
