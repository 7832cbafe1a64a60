// Chooses the mode of an ACP agent. Agents name their modes as they like, and some start in one
// that changes files without asking. Sends nothing; questions are in acp_questions.hpp.
#pragma once

#include "plugins/acp/acp_selector.hpp"
#include "plugins/agent.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

struct AcpModeWish {
  PermissionPolicy policy = PermissionPolicy::Ask;
  /// From the user's configuration: an id, a name, or what follows the `#` of an id; may be empty.
  std::string_view named;
  /// A mode that asks although its name does not say so; may be empty.
  std::string_view also_asking;
};

struct AcpModeChoice {
  std::vector<AcpSetting> settings;  ///< empty when the mode is right already
  std::string warning;               ///< for the user, before the first prompt; may be empty
  std::string refusal;               ///< why this agent must not be used; may be empty
};

AcpModeChoice choose_mode(const boost::json::object& session, const AcpModeWish& wish);

/// Returns true when `text` names an option or a mode in which an agent asks less or nothing.
bool names_wider_mode(std::string_view text);

}  // namespace agent_doc::plugins
