// What is said to codex in the middle of its turn (`turn/steer`), and whether it has read it. The
// turn itself is in codex.cpp.
#pragma once

#include "plugins/json_rpc_lines.hpp"
#include "plugins/version_number.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace agent_doc::plugins {

/// Returns the parameters of a message to `thread`.
boost::json::object codex_input(const std::string& thread, const std::string& text);

class CodexSteering {
 public:
  struct Turn {
    const std::string& thread;
    const std::string& turn;  ///< codex' id
  };

  void version_is(const VersionNumber& version) { version_ = version; }
  /// Returns true for versions that are known to repeat what was said once they have read it.
  bool is_known() const;
  void begin_turn(std::string prompt);
  /// Codex may break off its message at once, or go on to the end of its tools.
  void say(const std::string& text, const Turn& turn, JsonRpcLines& rpc, Actions& actions);
  /// Returns true, once, for the item by which codex repeats what was said: it has read it.
  bool hears(const boost::json::object& item);
  /// Returns true when codex will not read it, as after the end of its turn.
  bool is_refused_by(const RpcAnswer& answer);
  /// Something was heard in this turn.
  bool was_heard() const { return was_heard_; }

 private:
  VersionNumber version_ = {-1, 0, 0};
  std::string prompt_;
  bool prompt_repeated_ = false;  ///< codex repeats that first
  std::optional<std::string> unheard_;
  std::int64_t request_ = 0;
  bool was_heard_ = false;
};

}  // namespace agent_doc::plugins
