#include "plugins/acp/acp_login.hpp"

#include "plugins/json_line.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace agent_doc::plugins {
namespace {

/// Further ways would not help.
constexpr std::size_t kMaxWays = 10;
/// Further methods are ignored.
constexpr std::size_t kMaxMethods = 100;

/// Quotes a word for a shell.
std::string quoted(std::string_view word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos)
    return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Returns the command of `type: "terminal"`: the agent's program with additional arguments and
/// environment.
std::string command_of(const boost::json::object& method, std::string_view started_as) {
  std::string command;
  if (const boost::json::object* env = object_of(method, "env")) {
    for (const auto& entry : *env)
      command.append(entry.key())
          .append("=")
          .append(quoted(string_of(*env, entry.key())))
          .append(" ");
  } else if (const boost::json::array* variables = array_of(method, "env")) {
    for (const boost::json::value& value : *variables) {
      const boost::json::object* variable = value.if_object();
      if (variable == nullptr) continue;
      command.append(string_of(*variable, "name"))
          .append("=")
          .append(quoted(string_of(*variable, "value")))
          .append(" ");
    }
  }
  command.append(started_as);
  const boost::json::array* args = array_of(method, "args");
  if (args == nullptr) return command;
  for (const boost::json::value& arg : *args) {
    if (arg.is_string()) command.append(" ").append(quoted(arg.get_string()));
  }
  return command;
}

/// Returns the variables that `type: "env_var"` requires.
std::vector<std::string> variables_of(const boost::json::object& method) {
  std::vector<std::string> names;
  const boost::json::array* variables =
      string_of(method, "type") == "env_var" ? array_of(method, "vars") : nullptr;
  if (variables == nullptr) return names;
  for (const boost::json::value& value : *variables) {
    const boost::json::object* variable = value.if_object();
    if (variable != nullptr && !is_true(*variable, "optional"))
      names.emplace_back(string_of(*variable, "name"));
  }
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string what_to_do(const boost::json::object& method, std::string_view started_as) {
  const std::string_view type = string_of(method, "type");
  if (type == "terminal") return "run `" + command_of(method, started_as) + "` in a terminal";
  const std::string variables = joined(variables_of(method));
  if (variables.empty()) return std::string(string_of(method, "description"));
  const std::string_view link = string_of(method, "link");
  return "set " + variables + " in its environment" +
         (link.empty() ? std::string() : " (" + std::string(link) + ")");
}

}  // namespace

std::string acp_ways_to_log_in(const boost::json::array& methods, std::string_view started_as) {
  std::string ways;
  std::size_t listed = 0;
  for (const boost::json::value& value : methods) {
    const boost::json::object* method = value.if_object();
    if (method == nullptr) continue;
    if (++listed > kMaxWays) return ways + "; …";
    if (!ways.empty()) ways += "; ";
    ways += string_of(*method, "name");
    if (const std::string todo = what_to_do(*method, started_as); !todo.empty())
      ways.append(": ").append(todo);
  }
  return ways;
}

std::vector<AcpLoginMethod> read_login_methods(const boost::json::object& initialize_result) {
  std::vector<AcpLoginMethod> methods;
  const boost::json::array* offered = array_of(initialize_result, "authMethods");
  if (offered == nullptr) return methods;
  for (const boost::json::value& value : *offered) {
    const boost::json::object* method = value.if_object();
    if (method == nullptr || string_of(*method, "id").empty()) continue;
    if (methods.size() == kMaxMethods) return methods;
    methods.push_back({std::string(string_of(*method, "id")),
                       std::string(string_of(*method, "name")), variables_of(*method)});
  }
  return methods;
}

const AcpLoginMethod* find_login_method(const std::vector<AcpLoginMethod>& methods,
                                        std::string_view name) {
  const auto found = std::find_if(
      methods.begin(), methods.end(),
      [name](const AcpLoginMethod& method) { return method.id == name || method.name == name; });
  return found != methods.end() ? &*found : nullptr;
}

const AcpLoginMethod* method_with_variables(const std::vector<AcpLoginMethod>& methods,
                                            const AgentSpec& spec) {
  const auto is_set = [&spec](const std::string& name) {
    const auto own = spec.env.find(name);
    return own != spec.env.end() ? !own->second.empty() : spec.inherited_variables.count(name) > 0;
  };
  const auto found =
      std::find_if(methods.begin(), methods.end(), [&is_set](const AcpLoginMethod& method) {
        return !method.variables.empty() &&
               std::all_of(method.variables.begin(), method.variables.end(), is_set);
      });
  return found != methods.end() ? &*found : nullptr;
}

}  // namespace agent_doc::plugins
