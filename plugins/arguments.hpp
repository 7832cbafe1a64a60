// What it is: options on the command line of an agent, whose values come from documents and from
// agents.
// What it is not: it knows no agent.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// A value that looks like an option stays a value.
void add_option(std::vector<std::string>& args, std::string_view name, const std::string& value);

}  // namespace agent_doc::plugins
