#include "plugins/acp_login.hpp"

#include "plugins/json_line.hpp"

#include <boost/json.hpp>

namespace agent_doc::plugins {
namespace acp_login_internal {

/// More are no help.
constexpr std::size_t kMaxWays = 10;

/// For a shell.
std::string quoted(std::string_view word) {
  constexpr std::string_view kHarmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// `type: "terminal"`: the program that was started, with more arguments and more environment.
std::string command_of(const boost::json::object& method, std::string_view started_as) {
  std::string command;
  if (const boost::json::object* env = object_of(method, "env")) {
    for (const auto& entry : *env) command.append(entry.key()).append("=").append(quoted(string_of(*env, entry.key()))).append(" ");
  } else if (const boost::json::array* variables = array_of(method, "env")) {
    for (const boost::json::value& value : *variables) {
      const boost::json::object* variable = value.if_object();
      if (variable == nullptr) continue;
      command.append(string_of(*variable, "name")).append("=").append(quoted(string_of(*variable, "value"))).append(" ");
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

/// `type: "env_var"`: the variables that have to be set.
std::string variables_of(const boost::json::object& method) {
  std::string names;
  const boost::json::array* variables = array_of(method, "vars");
  if (variables == nullptr) return names;
  for (const boost::json::value& value : *variables) {
    const boost::json::object* variable = value.if_object();
    if (variable == nullptr || is_true(*variable, "optional")) continue;
    if (!names.empty()) names += ", ";
    names += string_of(*variable, "name");
  }
  return names;
}

std::string what_to_do(const boost::json::object& method, std::string_view started_as) {
  const std::string_view type = string_of(method, "type");
  if (type == "terminal") return "run `" + command_of(method, started_as) + "` in a terminal";
  const std::string variables = type == "env_var" ? variables_of(method) : std::string();
  if (variables.empty()) return std::string(string_of(method, "description"));
  const std::string_view link = string_of(method, "link");
  return "set " + variables + " in its environment" + (link.empty() ? std::string() : " (" + std::string(link) + ")");
}

}  // namespace acp_login_internal

std::string acp_ways_to_log_in(const boost::json::array& methods, std::string_view started_as) {
  std::string ways;
  std::size_t told = 0;
  for (const boost::json::value& value : methods) {
    const boost::json::object* method = value.if_object();
    if (method == nullptr) continue;
    if (++told > acp_login_internal::kMaxWays) return ways + "; …";
    if (!ways.empty()) ways += "; ";
    ways += string_of(*method, "name");
    if (const std::string todo = acp_login_internal::what_to_do(*method, started_as); !todo.empty()) ways.append(": ").append(todo);
  }
  return ways;
}

}  // namespace agent_doc::plugins
