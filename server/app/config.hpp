// What it is: the person's own configuration, `$XDG_CONFIG_HOME/agent-doc/config.toml` (default
// `~/.config`): the only place that may say which command an agent is (ARCHITECTURE, invariant 11).
// What it is not: it never reads a file of a document's folder or workspace.
// Thread rule: plain values; loading does I/O once, at the start.
#pragma once

#include "plugins/registry.hpp"
#include "server/session/agent_directory.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::app {

inline constexpr std::size_t kMaxConfigBytes = 1024 * 1024;

struct Config {
  std::string path;  ///< where it was looked for
  std::string
      default_agent;  ///< empty: the first agent of the registry whose program is found, else tour
  plugins::PermissionPolicy permissions =
      plugins::PermissionPolicy::Ask;  ///< of all agents that have none of their own
  std::vector<plugins::AgentSpec>
      agents;  ///< `[agents.NAME]` with dialect, command, args, env, permissions, …; overrides or
               ///< adds to the built-in ones
  std::vector<std::string>
      problems;  ///< each says what, where (line) and what to do; the rest of the file still counts
};

/// A missing file is an empty configuration. Never fails: what cannot be read is a problem.
Config load_config();
Config parse_config(std::string_view toml, std::string path);

/// As it stands in the configuration: "ask", "deny", …
std::string_view name_of(plugins::PermissionPolicy policy);

/// Built-in agents with the configuration on top. `self` as in ServerOptions; `path` is the value
/// of PATH.
std::unique_ptr<session::AgentDirectory> make_agent_directory(const Config& config,
                                                              const std::string& self,
                                                              const std::string& path);
/// All names that make_agent_directory() knows, built-in ones first.
std::vector<plugins::AgentSpec> all_agents(const Config& config, const std::string& self);

}  // namespace agent_doc::app
