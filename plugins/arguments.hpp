// Command line options for agents whose values come from documents and agents.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Appends an option with its value. A value that looks like an option stays a value.
void add_option(std::vector<std::string>& args, std::string_view name, const std::string& value);

}  // namespace agent_doc::plugins
