// Interprets an unknown event: the words in its name, and the agent's own text in its fields.
// generic_lines.hpp decides about messages and turns.
#pragma once

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// In lower case.
using Words = std::vector<std::string>;

/// Appends the words of a name: "item.agentMessage_delta" is item, agent, message, delta.
void add_words(std::string_view name, Words& words);
bool has_any(const Words& words, std::initializer_list<std::string_view> looked_for);
bool is_about_tools(const Words& words);
bool is_about_thoughts(const Words& words);
/// Returns true for words about the agent's state rather than its answer: status, log, warning, …
bool is_about_status(const Words& words);

/// Returns true for words about the user or a prompt: such an event is an echo.
bool is_about_others(const Words& words);

/// Returns true for a line of a log: a level, as a word or a number, and a message.
bool is_of_log(const boost::json::object& line);
/// Returns true for states such as "loading", which report progress and are no answer.
bool is_in_state(const boost::json::object& line);

struct FoundText {
  std::string text;
  bool found = false;
  bool is_thought = false;
  bool is_delta = false;   ///< from a field that contains additions
  std::string place = {};  ///< path of the field: "message.content[].text"
};

/// Finds the agent's text in `event`. Text by the user, a tool or the system is skipped, and text
/// is preferred to thoughts.
FoundText find_text(const boost::json::object& event);

}  // namespace agent_doc::plugins
