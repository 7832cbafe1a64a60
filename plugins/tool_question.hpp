// The arguments of a tool for a permission question: all of them, neither made visible nor cut
// (turn/question.hpp does that).
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
