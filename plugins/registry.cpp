#include "plugins/registry.hpp"

#include "plugins/acp/acp.hpp"
#include "plugins/claude/claude.hpp"
#include "plugins/codex/codex.hpp"
#include "plugins/codex/codex_exec.hpp"

#include <algorithm>

namespace agent_doc::plugins {

// Each is defined in the file of its agent.
std::unique_ptr<AgentProtocol> make_cursor_agent(const AgentSpec& spec);
std::unique_ptr<AgentProtocol> make_gemini_stream(const AgentSpec& spec);
std::unique_ptr<AgentProtocol> make_generic(const AgentSpec& spec);
std::unique_ptr<AgentProtocol> make_opencode_run(const AgentSpec& spec);

const std::vector<Dialect>& dialects() {
  static const std::vector<Dialect> kDialects = {
      {"claude", "claude",
       "Install Claude Code (`npm install -g @anthropic-ai/claude-code`) and start `claude` once "
       "to log in.",
       "Start `claude` in a terminal and log in with /login", make_claude},
      {"codex", "codex", "Install Codex (`npm install -g @openai/codex`) and run `codex login`.",
       "Run `codex login` in a terminal", make_codex},
      {"gemini", "gemini",
       "Install the Gemini CLI (`npm install -g @google/gemini-cli`) and start `gemini` once to "
       "log in.",
       "Start `gemini` in a terminal and log in with /auth", make_acp},
      {"opencode", "opencode",
       "Install opencode (`npm install -g opencode-ai`) and run `opencode auth login` once.",
       "Run `opencode auth login` in a terminal", make_acp},
      {"claude-code-acp", "claude-code-acp",
       "Install it (`npm install -g @zed-industries/claude-code-acp`) and run `claude /login` "
       "once.",
       "Run `claude /login` in a terminal", make_acp},
      {"claude-agent-acp", "claude-agent-acp",
       "Install it (`npm install -g @agentclientprotocol/claude-agent-acp`) and run `claude "
       "/login`.",
       "Run `claude /login` in a terminal", make_acp},
      {"codex-acp", "codex-acp",
       "Install it (`npm install -g @agentclientprotocol/codex-acp`) and run `codex login` once.",
       "Run `codex login` in a terminal, or set `auth_method` in [agents.codex-acp] of agent-doc's "
       "config.toml",
       make_acp},
      {"qwen", "qwen",
       "Install Qwen Code (`npm install -g @qwen-code/qwen-code`) and start `qwen` once to log in.",
       "Start `qwen` in a terminal and log in with /auth", make_acp},
      {"copilot", "copilot",
       "Install the GitHub Copilot CLI (`npm install -g @github/copilot`) and start `copilot` once "
       "to log in.",
       "Start `copilot` in a terminal and log in with /login", make_acp},
      {"vibe", "vibe-acp",
       "Install Mistral Vibe (`pip install mistral-vibe`) and start `vibe` once to set its API "
       "key.",
       "Start `vibe` in a terminal and set its API key", make_acp},
      {"cline", "cline", "Install Cline (`npm install -g cline`) and run `cline auth` once.",
       "Run `cline auth` in a terminal", make_acp},
      {"kilo", "kilo",
       "Install Kilo Code (`npm install -g @kilocode/cli`) and run `kilo auth login` once.",
       "Run `kilo auth login` in a terminal", make_acp},
      {"goose", "goose", "Install goose and run `goose configure` once.",
       "Run `goose configure` in a terminal", make_acp},
      {"acp", "",
       "Set `command`, and `args` where it needs them, in its [agents.NAME] of agent-doc's "
       "config.toml to a program that speaks the Agent "
       "Client Protocol.",
       "", make_acp},
      {"codex-exec", "codex",
       "Install Codex (`npm install -g @openai/codex`) and run `codex login`.",
       "Run `codex login` in a terminal", make_codex_exec},
      {"gemini-stream", "gemini",
       "Install Gemini CLI (`npm install -g @google/gemini-cli`) and start `gemini` once to log "
       "in.",
       "Start `gemini` in a terminal and log in with /auth", make_gemini_stream},
      {"opencode-run", "opencode",
       "Install opencode (`npm install -g opencode-ai`) and log in with `opencode auth login`.",
       "Log in with `opencode auth login`", make_opencode_run},
      {"cursor-agent", "cursor-agent",
       "Install Cursor's command line (cursor.com/cli) and log in with `cursor-agent login`.",
       "Log in with `cursor-agent login`", make_cursor_agent},
      {"generic", "",
       "Say in [agents.NAME] of agent-doc's config.toml which `command` it is, and how it is used.",
       "", make_generic},
      {"tour", "agent-doc", "The tour is part of agent-doc and needs nothing.", "", make_claude},
  };
  return kDialects;
}

const Dialect* find_dialect(std::string_view name) {
  const auto found = std::find_if(dialects().begin(), dialects().end(),
                                  [name](const Dialect& dialect) { return dialect.name == name; });
  return found != dialects().end() ? &*found : nullptr;
}

bool is_acp(const Dialect& dialect) {
  return dialect.make == &make_acp;
}

std::vector<AgentSpec> built_in_agents(const std::string& self) {
  std::vector<AgentSpec> agents;
  for (const Dialect& dialect : dialects()) {
    if (dialect.command.empty()) continue;
    AgentSpec spec{
        std::string(dialect.name), std::string(dialect.name), std::string(dialect.command), {}, {}};
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
