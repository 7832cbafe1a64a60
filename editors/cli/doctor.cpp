#include "editors/cli/agent_hints.hpp"
#include "editors/cli/agent_trial.hpp"
#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

enum class Health { Good, Ill, Missing };

/// Returns, for example, "0.4 s".
std::string seconds(std::chrono::milliseconds time) {
  return std::to_string(time.count() / 1000) + "." + std::to_string(time.count() % 1000 / 100) +
         " s";
}

/// Describes a working agent: what was tried, and what was not.
std::string findings(const FoundAgent& agent, Trial trial, const TrialResult& result) {
  const std::string model =
      result.model.empty() ? "" : ", model " + turn::one_line(result.model, kMaxVersionBytes);
  if (trial == Trial::Turn) return "it answered in " + seconds(result.took) + model;
  return "it began a session in " + seconds(result.took) + model +
         "; whether it is logged in shows `agent-doc doctor " + agent.spec.name + " --ask`";
}

void write_found(const std::string& text) {
  write_all(STDOUT_FILENO, wrapped_for_terminal(text, 2));
}

std::string channel_of(const FoundAgent& agent, plugins::ProcessLifetime lifetime) {
  const char* lives = lifetime == plugins::ProcessLifetime::Session ? "one process for a session"
                                                                    : "one process for each turn";
  return "  speaks " + agent.spec.dialect + ", " + lives + "; program " + agent.program + "\n";
}

/// Examines `agent` and prints its health and what to do.
Health examine_one(const FoundAgent& agent, const session::AgentDirectory& directory,
                   const DoctorOptions& options) {
  const std::string how_to_get = directory.how_to_get(agent.spec.name);
  if (agent.program.empty()) {
    if (options.agent.empty()) return Health::Missing;  // listed below the others
    write_found("– " + agent.spec.name + ": `" + agent.spec.command + "` was not found. " +
                how_to_get + "\n");
    return Health::Missing;
  }
  const plugins::ProcessLifetime lifetime = lifetime_of(agent.spec);
  const Trial trial =
      agent.is_built_in || options.ask == AskAgents::Yes || options.explain == ExplainLines::Yes
          ? Trial::Turn
          : Trial::Session;
  if (trial == Trial::Session && lifetime == plugins::ProcessLifetime::Turn) {
    write_found("✔ " + describe(agent) +
                ": found; it runs only with a prompt, which `agent-doc doctor " + agent.spec.name +
                " --ask` sends\n" + channel_of(agent, lifetime));
    return Health::Good;
  }
  LineExplainer explainer(agent.spec,
                          [](std::string_view text) { write_all(STDOUT_FILENO, text); });
  const auto waits = [&agent](const std::string& what) {
    write_all(STDERR_FILENO, "… " + agent.spec.name + ": " + what + "\n");
  };
  const TrialResult result = try_agent(
      agent.spec, trial, options.explain == ExplainLines::Yes ? &explainer : nullptr, waits);
  if (result.trouble.empty()) {
    write_found("✔ " + describe(agent) + ": " + findings(agent, trial, result) + "\n" +
                channel_of(agent, lifetime));
    return Health::Good;
  }
  std::string trouble;
  turn::Sanitiser().feed(result.trouble, trouble);
  if (const std::string prefix = agent.spec.name + ": "; trouble.starts_with(prefix))
    trouble.erase(0, prefix.size());
  const char* what = result.kind == plugins::FailureKind::Auth ? "not logged in. " : "";
  const bool may_be_broken =
      result.kind == plugins::FailureKind::Unknown || result.kind == plugins::FailureKind::Crashed;
  write_found("✘ " + describe(agent) + ": " + what + trouble + "\n" + channel_of(agent, lifetime) +
              (may_be_broken ? "  " + how_to_get + "\n" : ""));
  return Health::Ill;
}

}  // namespace

int examine(const DoctorOptions& options) {
  if (options.explain == ExplainLines::Yes && options.agent.empty()) {
    return complain(kUsage,
                    "--explain needs the name of an agent: `agent-doc doctor AGENT --explain`.");
  }
  const app::Config config = app::load_config();
  const std::string self = path_of_this_program();
  const auto directory = app::make_agent_directory(config, self, search_path());
  std::vector<plugins::AgentSpec> specs = app::all_agents(config, self);
  if (!options.agent.empty()) {
    specs.erase(
        std::remove_if(specs.begin(), specs.end(),
                       [&](const plugins::AgentSpec& spec) { return spec.name != options.agent; }),
        specs.end());
    if (specs.empty())
      return complain(kNoAgent, "there is no agent called " + options.agent + ": " +
                                    directory->how_to_get(options.agent) + ".");
  }
  for (const std::string& problem : config.problems) complain(kDone, problem);

  int code = config.problems.empty() ? kDone : kTurnFailed;
  const std::vector<FoundAgent> found = find_agents(specs, self);
  for (const FoundAgent& agent : found) {
    const Health health = examine_one(agent, *directory, options);
    // A missing agent is an error only if it was asked for or configured.
    const bool wanted = !options.agent.empty() || agent.spec.name == config.default_agent;
    if (health == Health::Ill || (health == Health::Missing && wanted)) code = kTurnFailed;
  }
  if (options.agent.empty()) write_found(hints_for_missing(found, *directory, config.path));
  return code;
}

}  // namespace agent_doc::cli
