// What it is: how an unknown event is read: the words in its name, and the agent's own text in its
// fields.
// What it is not: it decides nothing about messages and turns (generic_lines.hpp).
// Thread rule: pure functions.
#pragma once

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// In small letters.
using Words = std::vector<std::string>;

/// "item.agentMessage_delta" is item, agent, message, delta.
void add_words(std::string_view name, Words& words);
bool has_any(const Words& words, std::initializer_list<std::string_view> looked_for);
bool is_about_tools(const Words& words);
bool is_about_thoughts(const Words& words);
/// A word about the agent's own state, not of its answer: status, log, warning, …
bool is_about_status(const Words& words);

/// A word about the person, or a prompt: what such an event says is an echo.
bool is_about_others(const Words& words);

/// The line of a log: its level, as a word or a number, and its message.
bool is_of_log(const boost::json::object& line);
/// "loading": the agent tells how far it is, and not what it answers.
bool is_in_state(const boost::json::object& line);

struct FoundText {
  std::string text;
  bool found = false;
  bool is_thought = false;
  bool is_delta = false;   ///< it stood in a field that holds what is new
  std::string place = {};  ///< of the field: "message.content[].text"
};

/// What a person, a tool or a system says in `event` is no text of the agent's. Text counts before
/// thoughts.
FoundText find_text(const boost::json::object& event);

}  // namespace agent_doc::plugins
