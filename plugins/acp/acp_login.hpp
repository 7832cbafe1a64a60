// What it is: the ways to log in that an ACP agent offers (`authMethods`): in words that a person
// can follow, and which of them may be taken without asking.
// What it is not: it logs nobody in. Most ways open a browser or change the agent's own settings:
// that is for the person to begin, in the agent or by `auth_method` of the configuration.
// Thread rule: pure functions.
#pragma once

#include "plugins/registry.hpp"

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// "Log in with Us: your account; API key: set US_KEY in its environment; Sign in: run `us --acp
/// login` in a terminal". `started_as`: the command line that the agent was started with. Empty
/// when there are none.
std::string acp_ways_to_log_in(const boost::json::array& methods, std::string_view started_as);

struct AcpLoginMethod {
  std::string id, name;
  std::vector<std::string> variables =
      {};  ///< of `type: "env_var"`: those that must be set; empty for every other type
};
/// Those that can be named in a request, a few at most.
std::vector<AcpLoginMethod> read_login_methods(const boost::json::object& initialize_result);
/// By its id or its name; null when there is none.
const AcpLoginMethod* find_login_method(const std::vector<AcpLoginMethod>& methods,
                                        std::string_view name);
/// The first one whose variables the agent that is started as `spec` has all; null when there is
/// none.
const AcpLoginMethod* method_with_variables(const std::vector<AcpLoginMethod>& methods,
                                            const AgentSpec& spec);

}  // namespace agent_doc::plugins
