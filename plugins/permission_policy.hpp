// What it is: the one place that says under which permissions an agent changes
// no file. What it is not: how an agent is started so that it keeps to them;
// each plugin knows that. Thread rule: pure function.
#pragma once

#include "plugins/agent.hpp"

namespace agent_doc::plugins {

/// False when the agent may change no file, whether it asks or not, by its own
/// tools or through us.
constexpr bool may_change_files(PermissionPolicy policy) {
  return policy != PermissionPolicy::Deny && policy != PermissionPolicy::Plan;
}

}  // namespace agent_doc::plugins
