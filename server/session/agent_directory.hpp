// What it is: which agents there are; from the registry and the person's configuration.
// What it is not: how an agent is spoken with (plugins/agent.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "plugins/registry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

class AgentDirectory {
 public:
  virtual ~AgentDirectory() = default;
  virtual std::optional<plugins::AgentSpec> find(std::string_view name) const = 0;
  virtual std::string default_agent() const = 0;
  /// All of them, in the order in which a person should read them.
  virtual std::vector<std::string> names() const = 0;
  /// False for an agent whose program is not there.
  virtual bool is_installed(std::string_view name) const = 0;
  /// One sentence on how to get or configure `name`, for a person.
  virtual std::string how_to_get(std::string_view name) const = 0;
};

}  // namespace agent_doc::session
