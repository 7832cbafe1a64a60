// What is said to claude in the middle of its turn: a second line of the kind `user`, and what
// claude tells of it (`command_lifecycle`): "queued", then "started" when it reads it, between two
// rounds or after its turn, or "cancelled". The turn itself is in claude.cpp.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Returns the line that says `text`. With an `id` claude tells what becomes of it.
std::string claude_user_line(const std::string& text, const std::string& id = {});

class ClaudeSteering {
 public:
  /// `version`: claude's own, of its line `system/init`.
  void version_is(std::string_view version);
  /// Returns true for versions that are known to tell when they read what was said.
  bool is_known() const { return is_known_; }
  /// What is unheard was said in a turn that is over: nobody waits for it.
  void begin_turn();
  void say(const SteerRequest& request, Actions& actions);
  /// Claude has not read yet what was said, as far as it told.
  bool is_unheard() const { return unheard_.has_value(); }
  /// Claude reads it next, since its turn is over: on_lifecycle() says no more of it.
  void is_next() { unheard_.reset(); }

  enum class News {
    None,
    Started,   ///< claude reads it now
    Dropped,   ///< claude will not read it
    Unwanted,  ///< claude reads now what was said in an earlier turn
  };
  News on_lifecycle(const boost::json::object& line);

  /// Asks claude to drop what it has not read yet: an interruption alone would let it go on with
  /// that. Returns true when the interruption has to wait for the answer (is_drop_answer()).
  bool take_back(Actions& actions);
  /// Returns true for the answer to take_back().
  bool is_drop_answer(const boost::json::object& control_response);

 private:
  bool is_known_ = false;
  std::optional<std::string> unheard_;  ///< its id
  std::optional<std::string> unwanted_;
  std::string drop_request_;  ///< that is not answered yet
};

}  // namespace agent_doc::plugins
