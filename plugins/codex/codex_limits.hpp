// The limits of the user's account, as codex' app-server reports them: which one is reached, and
// when it ends. Codex reports separately when a limit fails a turn. Use one for each agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <string>

namespace agent_doc::plugins {

class CodexLimits {
 public:
  /// Handles `limits` of account/rateLimits/updated. Emits a notice for a limit that is reached.
  void update(const boost::json::object& limits, Actions& actions);
  /// Emits the known limit again: limits belong to the account, so a turn that fails by one may not
  /// have been notified.
  void tell(Actions& actions) const;

 private:
  std::string limit_;    ///< codex' id of the limit that is reached
  std::string reached_;  ///< the message about it; empty when none is reached
};

}  // namespace agent_doc::plugins
