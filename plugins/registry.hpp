// What it is: the list of the agents that agent-doc knows, and how a name of the configuration becomes an AgentProtocol.
// What it is not: it does not look for programs (server/process) nor read the configuration (server/app).
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// One agent as the person may name it: a built-in one, or `[agents.NAME]` of the configuration.
struct AgentSpec {
  std::string name;
  std::string dialect;            ///< which AgentProtocol speaks with it
  std::string command;            ///< a name for PATH or a path
  std::vector<std::string> args;  ///< put before the dialect's own
  std::map<std::string, std::string> env;
};

struct Dialect {
  std::string_view name;
  std::string_view command;        ///< the program that is meant when nothing is configured; empty: it always has to be configured
  std::string_view how_to_get;     ///< one sentence for a person who does not have it
  std::string_view how_to_log_in;  ///< "Start `claude` …", without full stop; empty: the general words
  std::unique_ptr<AgentProtocol> (*make)(const AgentSpec& spec);
};

/// All dialects, in the order of preference for a default agent. `tour` is last and always there.
const std::vector<Dialect>& dialects();
const Dialect* find_dialect(std::string_view name);

/// The agents without any configuration: one per dialect that has a program, of the same name. `self` is the path of the running agent-doc, for `tour`.
std::vector<AgentSpec> built_in_agents(const std::string& self);

/// Nothing when the dialect of `spec` is unknown.
std::unique_ptr<AgentProtocol> make_protocol(const AgentSpec& spec);

}  // namespace agent_doc::plugins
