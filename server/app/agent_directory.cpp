// Implements the part of config.hpp that combines the configuration with the built-in agents.
#include "server/app/config.hpp"
#include "server/process/child.hpp"
#include "server/text/nearest_word.hpp"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

namespace agent_doc::app {

namespace {

const plugins::AgentSpec* agent_named(const std::vector<plugins::AgentSpec>& agents,
                                      std::string_view name) {
  const auto found =
      std::find_if(agents.begin(), agents.end(),
                   [&](const plugins::AgentSpec& agent) { return agent.name == name; });
  return found == agents.end() ? nullptr : &*found;
}

/// Returns `configured`, with the program of its dialect when it names none.
plugins::AgentSpec completed(plugins::AgentSpec configured,
                             const std::vector<plugins::AgentSpec>& built_in) {
  const plugins::AgentSpec* model = agent_named(built_in, configured.dialect);
  if (!configured.command.empty() || model == nullptr) return configured;
  configured.command = model->command;
  configured.args.insert(configured.args.begin(), model->args.begin(), model->args.end());
  return configured;
}

/// Returns true when the user's configuration names the program.
bool has_own_command(const plugins::AgentSpec& agent) {
  if (agent.command.empty()) return false;
  const std::vector<plugins::AgentSpec> built_in = plugins::built_in_agents({});
  const plugins::AgentSpec* model = agent_named(built_in, agent.dialect);
  return agent.dialect != "tour" && (model == nullptr || model->command != agent.command);
}

/// Returns the names of this process's environment variables, which its agents inherit.
std::set<std::string, std::less<>> names_of_variables() {
  std::set<std::string, std::less<>> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::size_t equals = variable.find('=');
    if (equals != std::string_view::npos && equals + 1 < variable.size())
      names.emplace(variable.substr(0, equals));
  }
  return names;
}

/// Returns true for commands that are also names of other programs (goose also migrates databases).
/// Such an agent becomes the default only by configuration.
bool may_be_another_program(std::string_view command) {
  return command == "goose";
}

class ConfiguredAgents final : public session::AgentDirectory {
 public:
  ConfiguredAgents(const Config& config, const std::string& self, std::string path)
      : agents_(all_agents(config, self)),
        default_agent_(config.default_agent),
        path_(std::move(path)) {}

  std::optional<plugins::AgentSpec> find(std::string_view name) const override {
    const plugins::AgentSpec* agent = agent_named(agents_, name);
    if (agent == nullptr) return std::nullopt;
    return *agent;
  }

  std::string default_agent() const override {
    if (!default_agent_.empty()) return default_agent_;
    for (const plugins::Dialect& dialect : plugins::dialects()) {
      const plugins::AgentSpec* agent = agent_named(agents_, dialect.name);
      if (agent == nullptr || may_be_another_program(agent->command)) continue;
      if (!process::find_executable(agent->command, path_).empty()) return agent->name;
    }
    return "tour";
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const plugins::AgentSpec& agent : agents_) result.push_back(agent.name);
    return result;
  }

  bool is_installed(std::string_view name) const override {
    const plugins::AgentSpec* agent = agent_named(agents_, name);
    return agent != nullptr && !process::find_executable(agent->command, path_).empty();
  }

  std::string how_to_get(std::string_view name) const override {
    const plugins::AgentSpec* agent = agent_named(agents_, name);
    const plugins::Dialect* dialect =
        agent == nullptr ? nullptr : plugins::find_dialect(agent->dialect);
    if (dialect != nullptr && has_own_command(*agent))
      return "Correct `command` in [agents." + agent->name + "] of agent-doc's config.toml.";
    if (dialect != nullptr) return std::string(dialect->how_to_get);
    const std::vector<std::string> known = names();
    const std::vector<std::string_view> words(known.begin(), known.end());
    const std::string_view nearest = text::nearest_word(name, words);
    return (nearest.empty() ? "" : "did you mean " + std::string(nearest) + "? ") +
           "`agent-doc agents` lists all of them";
  }

 private:
  std::vector<plugins::AgentSpec> agents_;
  std::string default_agent_;
  std::string path_;
};

}  // namespace

std::vector<plugins::AgentSpec> all_agents(const Config& config, const std::string& self) {
  const std::vector<plugins::AgentSpec> built_in = plugins::built_in_agents(self);
  std::vector<plugins::AgentSpec> agents = built_in;
  for (plugins::AgentSpec& agent : agents) agent.permissions = config.permissions;
  for (const plugins::AgentSpec& configured : config.agents) {
    plugins::AgentSpec agent = completed(configured, built_in);
    const auto same =
        std::find_if(agents.begin(), agents.end(),
                     [&](const plugins::AgentSpec& one) { return one.name == agent.name; });
    if (same != agents.end()) {
      *same = std::move(agent);
    } else {
      agents.push_back(std::move(agent));
    }
  }
  for (plugins::AgentSpec& agent : agents) {
    const plugins::Dialect* dialect = plugins::find_dialect(agent.dialect);
    if (dialect != nullptr && plugins::is_acp(*dialect))
      agent.inherited_variables = names_of_variables();
  }
  return agents;
}

std::unique_ptr<session::AgentDirectory> make_agent_directory(const Config& config,
                                                              const std::string& self,
                                                              const std::string& path) {
  return std::make_unique<ConfiguredAgents>(config, self, path);
}

}  // namespace agent_doc::app
