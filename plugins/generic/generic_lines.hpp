// What it is: reads the JSON lines of an agent that nobody described: what an event is, is told
// from the words in its name; where its text is, from the names of its fields; whether the text is
// new or the whole so far, from how it grows. A later whole text repairs a wrong guess.
// What it is not: guessing is for agents that are not known; no known dialect uses it.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/claude/claude_messages.hpp"
#include "plugins/generic/generic_texts.hpp"
#include "plugins/registry.hpp"

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Of a line that is shown to a person, in bytes.
inline constexpr std::size_t kMaxShownLine = 300;
class GenericLines {
 public:
  explicit GenericLines(GenericAgent agent);

  void on_object(const boost::json::object& line, Actions& actions);

  std::uint64_t objects() const { return objects_; }
  /// Where it was given last.
  const std::string& session_id() const { return session_id_; }
  const std::string& model() const { return model_; }
  /// An error that nothing came after; empty when there is none.
  const std::string& error() const { return error_; }
  /// An event said that all is done, and not that it failed.
  bool said_done() const { return said_done_; }
  /// As in TurnEnded.
  const std::string& final_text() const { return final_text_; }
  const std::optional<Usage>& usage() const { return usage_; }
  /// Text of the reply came.
  bool has_text() const { return has_text_; }
  /// It thought, or called a tool.
  bool has_work() const { return has_work_; }
  /// How many lines were not understood, and the first of them.
  std::uint64_t not_understood() const { return not_understood_; }
  const std::string& first_not_understood() const { return first_not_understood_; }
  /// What the last line was taken for, and why, for a person.
  const std::string& reading() const { return reading_; }

 private:
  /// Whether there was something new in it.
  bool read_session(const boost::json::object& line);
  void read_usage(const boost::json::object& line);
  bool is_of_claude(const boost::json::object& line) const;
  void on_line_of_claude(const boost::json::object& line, Actions& actions);
  void read_text(const boost::json::object& line, GenericEvent& event) const;
  void on_error(const boost::json::object& line);
  void on_status(const boost::json::object& line, Actions& actions);
  void on_other(const GenericEvent& event, const boost::json::object& line, bool tells_session,
                Actions& actions);
  void not_understood(const boost::json::object& line, std::string_view name, Actions& actions);
  void on_tool(const GenericEvent& event, const boost::json::object& line, Actions& actions);
  void on_text(GenericEvent& event, Actions& actions);

  GenericAgent agent_;
  std::uint64_t objects_ = 0;
  std::string session_id_;
  std::string model_;
  std::string error_;
  bool said_done_ = false;
  std::string final_text_;
  std::optional<Usage> usage_;

  GenericTexts texts_;
  bool has_text_ = false;
  bool has_work_ = false;
  std::uint64_t not_understood_ = 0;
  std::string first_not_understood_;
  std::string reading_;
  ClaudeMessages claude_;  ///< several agents speak as claude does
  std::string claude_error_;
};

}  // namespace agent_doc::plugins
