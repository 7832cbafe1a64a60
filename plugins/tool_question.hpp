// What it is: what a permission question has to show of a tool's arguments: all of them.
// What it is not: it makes nothing visible and cuts nothing (turn/question.hpp); a status line
// shows less (claude_messages.hpp).
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

struct ToolArguments {
  std::string detail;  ///< the command, the path, …; may be empty
  std::vector<PermissionPart> more;
};

/// Returns the most telling argument as `detail`, and every other one.
ToolArguments arguments_to_show(const boost::json::object& input);

/// Appends every field of `object` that is neither null nor one of `known`.
void append_other_fields(const boost::json::object& object,
                         std::initializer_list<std::string_view> known,
                         std::vector<PermissionPart>& parts);

}  // namespace agent_doc::plugins
