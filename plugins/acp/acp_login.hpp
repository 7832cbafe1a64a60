// The ways to log in that an ACP agent offers (`authMethods`): described for the user, and which of
// them may be used without asking. Most ways open a browser or change the agent's own settings, so
// the user must start them, in the agent or by `auth_method` of the configuration.
#pragma once

#include "plugins/registry.hpp"

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// Returns "Log in with Us: your account; API key: set US_KEY in its environment; Sign in: run `us
/// --acp login` in a terminal", or an empty string when there are no ways. `started_as` is the
/// agent's command line.
std::string acp_ways_to_log_in(const boost::json::array& methods, std::string_view started_as);

struct AcpLoginMethod {
  std::string id, name;
  /// For `type: "env_var"`, the variables that must be set; empty for every other type.
  std::vector<std::string> variables = {};
};
/// Returns the methods that a request can name, within a limit.
std::vector<AcpLoginMethod> read_login_methods(const boost::json::object& initialize_result);
/// Finds a method by its id or its name. Returns null when there is none.
const AcpLoginMethod* find_login_method(const std::vector<AcpLoginMethod>& methods,
                                        std::string_view name);
/// Returns the first method whose variables are all set for an agent started as `spec`, or null.
const AcpLoginMethod* method_with_variables(const std::vector<AcpLoginMethod>& methods,
                                            const AgentSpec& spec);

}  // namespace agent_doc::plugins
