#include "plugins/registry.hpp"

#include "plugins/claude.hpp"
#include "plugins/codex.hpp"
#include "plugins/codex_exec.hpp"

#include <algorithm>

namespace agent_doc::plugins {

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> kDialects = {
      {"claude", "claude",
       "Install Claude Code (`npm install -g @anthropic-ai/claude-code`) and start `claude` once to log in, or set `command` in "
       "[agents.claude] of "
       "agent-doc's config.toml.",
       "Start `claude` in a terminal and log in with /login", make_claude},
      {"codex", "codex",
       "Install Codex (`npm install -g @openai/codex`) and run `codex login`, or set `command` in [agents.codex] of agent-doc's config.toml.",
       "Run `codex login` in a terminal", make_codex},
      {"codex-exec", "codex",
       "Install Codex (`npm install -g @openai/codex`) and run `codex login`, or set `command` in [agents.codex-exec] of agent-doc's "
       "config.toml.",
       "Run `codex login` in a terminal", make_codex_exec},
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

}  // namespace agent_doc::plugins
