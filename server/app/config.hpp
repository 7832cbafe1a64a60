// The user's own configuration, `$XDG_CONFIG_HOME/agent-doc/config.toml` (default `~/.config`). It
// is the only place that may define an agent's command (ARCHITECTURE, invariant 11); files in the
// folder of a document or in a workspace are never read. Loaded once, at the start.
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
  std::string path;  ///< where the file was looked for
  /// Empty: the first agent of the registry whose program is found, else tour.
  std::string default_agent;
  /// For all agents without a policy of their own.
  plugins::PermissionPolicy permissions = plugins::PermissionPolicy::Ask;
  /// `[agents.NAME]` with dialect, command, args, env, permissions, …; they override or extend the
  /// built-in agents.
  std::vector<plugins::AgentSpec> agents;
  /// Sentences that say what is wrong, in which line, and what to do; the rest of the file still
  /// applies.
  std::vector<std::string> problems;
};

/// Loads the configuration. A missing file is an empty configuration, and what cannot be read
/// becomes a problem.
Config load_config();
Config parse_config(std::string_view toml, std::string path);

/// Returns the name in the configuration: "ask", "deny", …
std::string_view name_of(plugins::PermissionPolicy policy);

/// Returns the built-in agents, overridden and extended by `config`. `self` is ServerOptions::self,
/// `path` the value of PATH.
std::unique_ptr<session::AgentDirectory> make_agent_directory(const Config& config,
                                                              const std::string& self,
                                                              const std::string& path);
/// Returns all agents that make_agent_directory() knows, built-in ones first.
std::vector<plugins::AgentSpec> all_agents(const Config& config, const std::string& self);

}  // namespace agent_doc::app
