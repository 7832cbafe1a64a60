#include "editors/cli/agent_hints.hpp"
#include "editors/cli/agent_trial.hpp"
#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "editors/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/text/columns.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

constexpr std::size_t kMaxShownVersion = 16;
constexpr std::size_t kFewestProgramColumns = 12;
constexpr std::size_t kNoLimitOfColumns = 100'000;

struct Agents {
  app::Config config = app::load_config();
  std::string self = path_of_this_program();
  std::unique_ptr<session::AgentDirectory> directory =
      app::make_agent_directory(config, self, search_path());
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
      lines += "✔ " + describe(agent) +
               (name == preferred ? ", used when a document names none" : "") + "\n";
    }
  }
  return lines;
}

/// Shortens a path at its beginning: the end says more.
std::string shortened(const std::string& path, std::size_t columns) {
  if (text::width_of(path) <= columns) return path;
  std::size_t at = 0;
  while (at < path.size() && text::width_of(std::string_view(path).substr(at)) + 1 > columns)
    at += text::cluster_at(path, at).length;
  return "…" + path.substr(at);
}

/// Formats a table. Columns are as wide as needed; the last one gets the rest of the terminal.
std::string table_of(const Agents& agents, std::size_t columns) {
  const std::string preferred = agents.directory->default_agent();
  std::vector<std::array<std::string, 4>> rows{{"AGENT", "VERSION", "SPEAKS", "PERMISSIONS"}};
  std::vector<std::string> ends{"PROGRAM"};
  for (const FoundAgent& agent : agents.found) {
    const bool is_found = !agent.program.empty();
    const std::string version = agent.is_built_in       ? "built in"
                                : !is_found             ? "not found"
                                : agent.version.empty() ? "?"
                                                        : agent.version;
    rows.push_back({agent.spec.name + (agent.spec.name == preferred ? " *" : ""),
                    fitted(version, kMaxShownVersion), agent.spec.dialect,
                    std::string(app::name_of(agent.spec.permissions))});
    ends.push_back(is_found ? agent.program : "-");
  }
  std::array<std::size_t, 4> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text::width_of(row[i]));
  }
  std::size_t used = 0;
  for (const std::size_t width : widths) used += width + 2;
  const std::size_t left = std::max(columns, used + kFewestProgramColumns) - used;
  std::string table;
  for (std::size_t line = 0; line < rows.size(); ++line) {
    for (std::size_t i = 0; i < widths.size(); ++i)
      table += rows[line][i] + std::string(widths[i] - text::width_of(rows[line][i]) + 2, ' ');
    table += shortened(ends[line], left) + "\n";
  }
  return table + "* replies in documents that name no agent\n" +
         hints_for_missing(agents.found, *agents.directory, agents.config.path);
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
                                {"permissions", app::name_of(agent.spec.permissions)},
                                {"builtIn", agent.is_built_in},
                                {"default", agent.spec.name == preferred},
                                {"howToGet", agents.directory->how_to_get(agent.spec.name)}});
  }
  json::array problems;
  for (const std::string& problem : agents.config.problems)
    problems.push_back(json::string(problem));
  return {{"agents", std::move(list)},
          {"configuration", agents.config.path},
          {"problems", std::move(problems)}};
}

void tell_problems(const app::Config& config) {
  for (const std::string& problem : config.problems) complain(kDone, problem);
}

}  // namespace

int list_agents(const AgentsOptions& options) {
  const Agents agents;
  if (options.format == Format::Json) {
    write_all(STDOUT_FILENO, protocol::serialise_json(json_of(agents)) + "\n");
    return kDone;
  }
  tell_problems(agents.config);
  const bool is_live = facts_of(STDOUT_FILENO).live;
  const std::string table =
      table_of(agents, is_live ? static_cast<std::size_t>(columns_of(STDOUT_FILENO)) - 1
                               : kNoLimitOfColumns);
  write_all(
      STDOUT_FILENO,
      is_live ? wrapped(table, static_cast<std::size_t>(columns_of(STDOUT_FILENO)), 2) : table);
  return kDone;
}

int show_overview(const OverviewOptions& options) {
  const Agents agents;
  tell_problems(agents.config);
  write_all(STDOUT_FILENO, options.help + "\nAgents:\n" + lines_of(agents));
  return kDone;
}

}  // namespace agent_doc::cli
