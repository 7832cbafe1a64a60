#include "plugins/registry.hpp"

#include "plugins/claude.hpp"

#include <algorithm>

namespace agent_doc::plugins {

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> kDialects = {
      {"claude", "claude",
       "Install Claude Code (`npm install -g @anthropic-ai/claude-code`) and start `claude` once to log in, or set `command` in "
       "[agents.claude] of "
       "agent-doc's config.toml.",
       "Start `claude` in a terminal and log in with /login", make_claude},
      {"tour", "agent-doc", "The tour is part of agent-doc and needs nothing.", "", make_claude},
  };
  return kDialects;
}

const Dialect* find_dialect(std::string_view name) {
  const auto found = std::find_if(dialects().begin(), dialects().end(), [name](const Dialect& dialect) { return dialect.name == name; });
  return found != dialects().end() ? &*found : nullptr;
}

std::vector<AgentSpec> built_in_agents(const std::string& self) {
  std::vector<AgentSpec> agents;
  for (const Dialect& dialect : dialects()) {
    AgentSpec spec{std::string(dialect.name), std::string(dialect.name), std::string(dialect.command), {}, {}};
    if (dialect.name == "tour") {
      spec.command = self;
      spec.args = {"tour-agent"};
    }
    agents.push_back(std::move(spec));
  }
  return agents;
}

std::unique_ptr<AgentProtocol> make_protocol(const AgentSpec& spec) {
  const Dialect* dialect = find_dialect(spec.dialect);
  return dialect != nullptr ? dialect->make(spec) : nullptr;
}

SessionSupport session_support(const AgentSpec& spec) {
  const std::unique_ptr<AgentProtocol> protocol = make_protocol(spec);
  return protocol ? protocol->session_support() : SessionSupport{};
}

}  // namespace agent_doc::plugins
