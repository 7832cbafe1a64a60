#include "editors/cli/agent_trial.hpp"
#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"

#include <algorithm>

#include <unistd.h>

namespace agent_doc::cli {

namespace doctor_internal {

enum class Health { Good, Ill, Missing };

/// Tells in one line (or two) how `agent` is.
Health examine_one(const FoundAgent& agent, const session::AgentDirectory& directory) {
  const std::string how_to_get = directory.how_to_get(agent.spec.name);
  if (agent.program.empty()) {
    write_all(STDOUT_FILENO, "– " + agent.spec.name + ": `" + agent.spec.command + "` was not found. " + how_to_get + "\n");
    return Health::Missing;
  }
  const Trial trial = agent.is_built_in ? Trial::Turn : Trial::Start;
  const std::string trouble = try_agent(agent.spec, trial);
  if (!trouble.empty()) {
    write_all(STDOUT_FILENO, "✘ " + describe(agent) + ": " + trouble + "\n  Program: " + agent.program + ". " + how_to_get + "\n");
    return Health::Ill;
  }
  const char* proof = trial == Trial::Turn ? "started, and answered" : "started, and waits for a prompt";
  write_all(STDOUT_FILENO, "✔ " + describe(agent) + ": " + proof + " (" + agent.program + ")\n");
  return Health::Good;
}

}  // namespace doctor_internal

int examine(const DoctorOptions& options) {
  const app::Config config = app::load_config();
  const std::string self = path_of_this_program();
  const auto directory = app::make_agent_directory(config, self, search_path());
  std::vector<plugins::AgentSpec> specs = app::all_agents(config, self);
  if (!options.agent.empty()) {
    specs.erase(std::remove_if(specs.begin(), specs.end(), [&](const plugins::AgentSpec& spec) { return spec.name != options.agent; }),
                specs.end());
    if (specs.empty()) return complain(kUsage, "there is no agent " + options.agent + "; " + directory->how_to_get(options.agent) + ".");
  }
  for (const std::string& problem : config.problems) complain(kDone, problem);

  int code = config.problems.empty() ? kDone : kTurnFailed;
  for (const FoundAgent& agent : find_agents(specs, self)) {
    const doctor_internal::Health health = doctor_internal::examine_one(agent, *directory);
    // That an agent is not installed is no illness, unless it was asked for or configured.
    const bool wanted = !options.agent.empty() || agent.spec.name == config.default_agent;
    if (health == doctor_internal::Health::Ill || (health == doctor_internal::Health::Missing && wanted)) code = kTurnFailed;
  }
  return code;
}

}  // namespace agent_doc::cli
