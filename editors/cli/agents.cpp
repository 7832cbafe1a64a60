#include "editors/cli/agent_trial.hpp"
#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace agents_internal {

struct Agents {
  app::Config config = app::load_config();
  std::string self = path_of_this_program();
  std::unique_ptr<session::AgentDirectory> directory = app::make_agent_directory(config, self, search_path());
  std::vector<FoundAgent> found = find_agents(app::all_agents(config, self), self);
};

std::string lines_of(const Agents& agents) {
  std::string lines;
  const std::string preferred = agents.directory->default_agent();
  for (const FoundAgent& agent : agents.found) {
    const std::string& name = agent.spec.name;
    if (agent.program.empty()) {
      lines += "– " + name + " (not found). " + agents.directory->how_to_get(name) + "\n";
    } else {
      lines += "✔ " + describe(agent) + (name == preferred ? ", used when a document names none" : "") + "\n";
    }
  }
  return lines;
}

json::object json_of(const Agents& agents) {
  json::array list;
  const std::string preferred = agents.directory->default_agent();
  for (const FoundAgent& agent : agents.found) {
    list.push_back(json::object{{"name", agent.spec.name},
                                {"dialect", agent.spec.dialect},
                                {"command", agent.spec.command},
                                {"found", !agent.program.empty()},
                                {"program", agent.program},
                                {"version", agent.version},
                                {"builtIn", agent.is_built_in},
                                {"default", agent.spec.name == preferred},
                                {"howToGet", agents.directory->how_to_get(agent.spec.name)}});
  }
  json::array problems;
  for (const std::string& problem : agents.config.problems) problems.push_back(json::string(problem));
  return {{"agents", std::move(list)}, {"configuration", agents.config.path}, {"problems", std::move(problems)}};
}

void tell_problems(const app::Config& config) {
  for (const std::string& problem : config.problems) complain(kDone, problem);
}

}  // namespace agents_internal

int list_agents(const AgentsOptions& options) {
  const agents_internal::Agents agents;
  if (options.format == Format::Json) {
    write_all(STDOUT_FILENO, protocol::serialise_json(agents_internal::json_of(agents)) + "\n");
    return kDone;
  }
  agents_internal::tell_problems(agents.config);
  write_all(STDOUT_FILENO, agents_internal::lines_of(agents));
  return kDone;
}

int show_overview(const OverviewOptions& options) {
  const agents_internal::Agents agents;
  agents_internal::tell_problems(agents.config);
  write_all(STDOUT_FILENO, options.help + "\nAgents:\n" + agents_internal::lines_of(agents));
  return kDone;
}

}  // namespace agent_doc::cli
