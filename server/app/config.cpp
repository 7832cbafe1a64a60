#include "server/app/config.hpp"

#include "server/app/generic_agent_config.hpp"
#include "server/text/nearest_word.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

namespace agent_doc::app {

namespace {

constexpr std::string_view kTopLevelKeys[] = {"default_agent", "permissions", "agents"};
constexpr std::string_view kAgentKeys[] = {"dialect", "command", "args", "env", "permissions"};
/// Keys for agents that speak the Agent Client Protocol.
constexpr std::string_view kAcpAgentKeys[] = {"mode", "auth_method"};
struct NamedPolicy {
  std::string_view name;
  plugins::PermissionPolicy policy;
};
constexpr NamedPolicy kPolicies[] = {{"ask", plugins::PermissionPolicy::Ask},
                                     {"deny", plugins::PermissionPolicy::Deny},
                                     {"accept_edits", plugins::PermissionPolicy::AcceptEdits},
                                     {"plan", plugins::PermissionPolicy::Plan}};
std::string suggestion(std::string_view unknown, std::span<const std::string_view> known) {
  if (const std::string_view nearest = text::nearest_word(unknown, known); !nearest.empty())
    return "did you mean `" + std::string(nearest) + "`?";
  std::string all;
  for (const std::string_view key : known)
    all += (all.empty() ? "`" : ", `") + std::string(key) + "`";
  return "it may be one of " + all;
}

bool is_agent_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), allowed);
}

std::vector<std::string_view> dialect_names() {
  std::vector<std::string_view> names;
  for (const plugins::Dialect& dialect : plugins::dialects()) names.push_back(dialect.name);
  return names;
}

/// Reads the tables of one file; reports what is wrong and leaves it out.
class Reader {
 public:
  explicit Reader(Config& config) : config_(config) {}

  void read(const toml::table& file) {
    check_keys(file, kTopLevelKeys, "the file");
    config_.permissions = read_permissions(file, "the file", config_.permissions);
    if (const toml::node* agents = file.get("agents")) read_agents(*agents);
    if (const toml::node* name = file.get("default_agent")) read_default_agent(*name);
  }

  void problem(const toml::source_region& where, const std::string& what) {
    config_.problems.push_back(config_.path + ":" + std::to_string(where.begin.line) + ": " + what);
  }

 private:
  void check_keys(const toml::table& table, std::span<const std::string_view> known,
                  const std::string& place) {
    for (const auto& [key, value] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      problem(key.source(), "unknown key `" + std::string(key.str()) + "` in " + place + ": " +
                                suggestion(key.str(), known));
    }
  }

  void read_default_agent(const toml::node& node) {
    const auto name = node.value<std::string>();
    if (!name || !node.is_string())
      return problem(node.source(), "default_agent must be the name of an agent, in quotes");
    const bool configured = std::any_of(config_.agents.begin(), config_.agents.end(),
                                        [&](const auto& agent) { return agent.name == *name; });
    const plugins::Dialect* dialect = plugins::find_dialect(*name);
    // An unknown name is kept: a run reports it instead of choosing another agent.
    config_.default_agent = *name;
    if (!configured && (dialect == nullptr || dialect->command.empty())) {
      problem(node.source(), "default_agent is \"" + *name +
                                 "\", which is no agent that agent-doc knows: add [agents." +
                                 *name + "] or choose another");
    }
  }

  void read_agents(const toml::node& node) {
    const toml::table* agents = node.as_table();
    if (agents == nullptr) return problem(node.source(), "agents must be tables: [agents.NAME]");
    for (const auto& [name, agent] : *agents) {
      const toml::table* table = agent.as_table();
      if (table == nullptr) {
        problem(agent.source(), "agents." + std::string(name.str()) + " must be a table: [agents." +
                                    std::string(name.str()) + "]");
      } else if (!is_agent_name(name.str())) {
        problem(name.source(), "the agent name \"" + std::string(name.str()) +
                                   "\" may only have letters, digits, `-`, `_` and `.`");
      } else if (auto spec = read_agent(std::string(name.str()), *table)) {
        config_.agents.push_back(std::move(*spec));
      }
    }
  }

  /// Returns nullopt for an agent that cannot be used as written: half a command line is worse than
  /// none.
  std::optional<plugins::AgentSpec> read_agent(std::string name, const toml::table& table) {
    const std::string place = "[agents." + name + "]";
    std::vector<std::string_view> keys(std::begin(kAgentKeys), std::end(kAgentKeys));
    const bool is_generic = table["dialect"].value_or(std::string_view(name)) == "generic";
    if (is_generic)
      keys.insert(keys.end(), std::begin(kGenericAgentKeys), std::end(kGenericAgentKeys));
    const plugins::Dialect* dialect =
        plugins::find_dialect(table["dialect"].value_or(std::string_view(name)));
    const bool is_acp = dialect != nullptr && plugins::is_acp(*dialect);
    if (is_acp) keys.insert(keys.end(), std::begin(kAcpAgentKeys), std::end(kAcpAgentKeys));
    check_keys(table, keys, place);
    const std::size_t problems_before = config_.problems.size();
    plugins::AgentSpec spec;
    spec.dialect = read_dialect(table, name, place);
    spec.command = read_command(table, place);
    spec.args = read_args(table, place);
    spec.env = read_env(table, place);
    if (is_generic) {
      spec.generic = read_generic_agent(
          table, place, spec, [this](const toml::source_region& where, const std::string& what) {
            problem(where, what);
          });
    }
    if (is_acp) {
      spec.mode = read_text(table, "mode", place);
      spec.auth_method = read_text(table, "auth_method", place);
    }
    spec.name = std::move(name);
    if (config_.problems.size() != problems_before) return std::nullopt;
    spec.permissions = read_permissions(table, place, config_.permissions);
    return spec;
  }

  std::string read_dialect(const toml::table& table, const std::string& name,
                           const std::string& place) {
    const toml::node* node = table.get("dialect");
    const auto names = dialect_names();
    if (node == nullptr && plugins::find_dialect(name) != nullptr) return name;
    if (node == nullptr) {
      problem(table.source(), place + " needs a `dialect`, the protocol that the agent speaks: " +
                                  suggestion("", names));
      return {};
    }
    const auto dialect = node->value<std::string>().value_or("");
    if (plugins::find_dialect(dialect) == nullptr) {
      problem(node->source(), "there is no dialect \"" + dialect + "\" (" + place +
                                  "): " + suggestion(dialect, names));
    }
    return dialect;
  }

  std::string read_command(const toml::table& table, const std::string& place) {
    const toml::node* node = table.get("command");
    if (node == nullptr) return {};
    const auto command = node->value<std::string>().value_or("");
    if (!node->is_string() || command.empty()) {
      problem(node->source(),
              "command in " + place +
                  " must be a program, in quotes; what is given to it goes into `args`");
    } else if (command.find('/') != std::string::npos && command.front() != '/') {
      problem(node->source(), "command in " + place + " is \"" + command +
                                  "\", which would mean another program in every folder: write the "
                                  "absolute path, or a name that is in PATH");
    }
    return command;
  }

  std::string read_text(const toml::table& table, std::string_view key, const std::string& place) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return {};
    const auto text = node->value<std::string>().value_or("");
    if (!node->is_string() || text.empty()) {
      problem(node->source(), std::string(key) + " in " + place +
                                  " must be one of the agent's own words, in quotes");
    }
    return text;
  }

  std::vector<std::string> read_args(const toml::table& table, const std::string& place) {
    const toml::node* node = table.get("args");
    if (node == nullptr) return {};
    std::vector<std::string> args;
    const toml::array* array = node->as_array();
    if (array == nullptr || !(array->empty() || array->is_homogeneous(toml::node_type::string))) {
      problem(node->source(),
              "args in " + place + " must be a list of strings: [\"--flag\", \"value\"]");
      return args;
    }
    for (const toml::node& arg : *array) args.push_back(arg.value<std::string>().value_or(""));
    return args;
  }

  std::map<std::string, std::string> read_env(const toml::table& table, const std::string& place) {
    const toml::node* node = table.get("env");
    if (node == nullptr) return {};
    std::map<std::string, std::string> env;
    const toml::table* variables = node->as_table();
    if (variables == nullptr ||
        !(variables->empty() || variables->is_homogeneous(toml::node_type::string))) {
      problem(node->source(),
              "env in " + place + " must be a table of strings: {NAME = \"value\"}");
      return env;
    }
    for (const auto& [name, value] : *variables)
      env.emplace(name.str(), value.value<std::string>().value_or(""));
    return env;
  }

  /// A malformed value becomes the strictest policy: a typo must not permit anything.
  plugins::PermissionPolicy read_permissions(const toml::table& table, const std::string& place,
                                             plugins::PermissionPolicy otherwise) {
    const toml::node* node = table.get("permissions");
    if (node == nullptr) return otherwise;
    const auto name = node->value<std::string>().value_or("");
    const auto* named = std::find_if(std::begin(kPolicies), std::end(kPolicies),
                                     [&](const NamedPolicy& one) { return one.name == name; });
    if (named != std::end(kPolicies)) return named->policy;
    std::vector<std::string_view> names;
    for (const NamedPolicy& one : kPolicies) names.push_back(one.name);
    problem(node->source(), "permissions in " + place + " is \"" + name +
                                "\", so every question is denied: " + suggestion(name, names));
    return plugins::PermissionPolicy::Deny;
  }

  Config& config_;
};

std::string config_path() {
  const char* directory = std::getenv("XDG_CONFIG_HOME");
  if (directory != nullptr && directory[0] == '/')
    return std::string(directory) + "/agent-doc/config.toml";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/')
    return std::string(home) + "/.config/agent-doc/config.toml";
  return {};
}

Config unreadable(std::string path, const std::string& why) {
  Config config;
  config.problems.push_back(path + ": " + why + "; agent-doc goes on without it");
  config.path = std::move(path);
  return config;
}

}  // namespace

std::string_view name_of(plugins::PermissionPolicy policy) {
  for (const NamedPolicy& named : kPolicies) {
    if (named.policy == policy) return named.name;
  }
  return {};
}

Config parse_config(std::string_view toml, std::string path) {
  Config config;
  config.path = std::move(path);
  Reader reader(config);
  try {
    reader.read(toml::parse(toml));
  } catch (const toml::parse_error& error) {
    reader.problem(error.source(), std::string(error.description()) +
                                       "; nothing of this file counts until that is mended");
  }
  return config;
}

Config load_config() {
  namespace fs = std::filesystem;
  std::string path = config_path();
  std::error_code error;
  const fs::file_status status =
      path.empty() ? fs::file_status(fs::file_type::not_found) : fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return parse_config({}, std::move(path));
  if (status.type() != fs::file_type::regular) {
    return unreadable(std::move(path), error ? error.message() : "this is not a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(std::move(path), "it cannot be read: check its permissions");
  std::string text(kMaxConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return unreadable(std::move(path), "it cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxConfigBytes) {
    return unreadable(std::move(path), "it has more than " + std::to_string(kMaxConfigBytes) +
                                           " bytes, which is no configuration");
  }
  return parse_config(text, std::move(path));
}

}  // namespace agent_doc::app
