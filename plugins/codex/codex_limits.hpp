// What it is: the limits of the person's account, as codex' app-server tells of them: which is
// reached, and when it ends.
// What it is not: it ends no turn; codex says itself when a limit fails one.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <string>

namespace agent_doc::plugins {

class CodexLimits {
 public:
  /// `limits` of account/rateLimits/updated. Tells a limit that is reached.
  void update(const boost::json::object& limits, Actions& actions);
  /// Tells again what is known: limits belong to the account, a turn that fails by one may have
  /// heard of none.
  void tell(Actions& actions) const;

 private:
  std::string limit_;    ///< codex' id of the limit that is reached
  std::string reached_;  ///< in words; empty when none is
};

}  // namespace agent_doc::plugins
