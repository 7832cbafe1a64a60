// What it is: in which of its modes an ACP agent is to work: agents name them as they like, and
// some begin in one that changes files without asking.
// What it is not: it sends nothing; what is then asked is acp_questions.
// Thread rule: pure functions.
#pragma once

#include "plugins/acp/acp_selector.hpp"
#include "plugins/agent.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

struct AcpModeWish {
  PermissionPolicy policy = PermissionPolicy::Ask;
  std::string_view named;  ///< by the person's configuration: an id, a name, or what stands behind
                           ///< the `#` of an id; may be empty
  std::string_view
      also_asking;  ///< a mode that asks, though its name does not say so; may be empty
};

struct AcpModeChoice {
  std::vector<AcpSetting> settings;  ///< empty: it is as wanted already
  std::string warning;               ///< for the person, before the first prompt; may be empty
  std::string refusal;               ///< why nothing may be asked of this agent; may be empty
};

AcpModeChoice choose_mode(const boost::json::object& session, const AcpModeWish& wish);

/// Of an option or a mode: one in which an agent asks less, or nothing.
bool names_wider_mode(std::string_view text);

}  // namespace agent_doc::plugins
