// Parses the JSON lines of an unknown agent. The kind of an event is guessed from the words in its
// name, the place of the text from field names, and whether the text is an addition or complete
// from how it grows. A later complete text corrects a wrong guess. No known dialect uses this. Use
// one for each turn.
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

/// Limit for a line quoted to the user, in bytes.
inline constexpr std::size_t kMaxShownLine = 300;
class GenericLines {
 public:
  explicit GenericLines(GenericAgent agent);

  void on_object(const boost::json::object& line, Actions& actions);

  std::uint64_t objects() const { return objects_; }
  /// the one reported last
  const std::string& session_id() const { return session_id_; }
  const std::string& model() const { return model_; }
  /// Returns an error that nothing followed; empty when there is none.
  const std::string& error() const { return error_; }
  /// Returns true when an event said that everything is done, and not that it failed.
  bool said_done() const { return said_done_; }
  /// Returns the text for TurnEnded.
  const std::string& final_text() const { return final_text_; }
  const std::optional<Usage>& usage() const { return usage_; }
  /// Returns true when text of the reply arrived.
  bool has_text() const { return has_text_; }
  /// Returns true when the agent thought or called a tool.
  bool has_work() const { return has_work_; }
  /// The number of lines that were not understood, and the first of them.
  std::uint64_t not_understood() const { return not_understood_; }
  const std::string& first_not_understood() const { return first_not_understood_; }
  /// Returns how the last line was interpreted and why, for the user.
  const std::string& reading() const { return reading_; }

 private:
  /// Returns true when the line had something new about the session.
  bool read_session(const boost::json::object& line);
  void read_usage(const boost::json::object& line);
  bool is_of_claude(const boost::json::object& line) const;
  void on_line_of_claude(const boost::json::object& line, Actions& actions);
  void read_text(const boost::json::object& line, GenericEvent& event) const;
  void on_error(const boost::json::object& line);
  void on_status(const boost::json::object& line, Actions& actions);
  void on_other(const GenericEvent& event, const boost::json::object& line, bool has_session_news,
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
  ClaudeMessages claude_;  ///< for agents that imitate claude's lines
  std::string claude_error_;
};

}  // namespace agent_doc::plugins
