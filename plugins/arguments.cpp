#include "plugins/arguments.hpp"

namespace agent_doc::plugins {

void add_option(std::vector<std::string>& args, std::string_view name, const std::string& value) {
  if (value.starts_with('-')) {
    args.push_back(std::string(name).append("=").append(value));
  } else {
    args.emplace_back(name);
    args.push_back(value);
  }
}

}  // namespace agent_doc::plugins
