// The one place that says under which permission policies an agent changes no file. How an agent is
// started so that it obeys is its plugin's business.
#pragma once

#include "plugins/agent.hpp"

namespace agent_doc::plugins {

/// Returns false when the agent may not change any file, whether it asks or not, by its own tools
/// or through us.
constexpr bool may_change_files(PermissionPolicy policy) {
  return policy != PermissionPolicy::Deny && policy != PermissionPolicy::Plan;
}

}  // namespace agent_doc::plugins
