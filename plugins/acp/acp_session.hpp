// The abilities of an ACP agent (`initialize`), the model of a session, and the request that
// selects another one. Modes are in acp_mode.hpp.
#pragma once

#include "plugins/acp/acp_selector.hpp"
#include "plugins/agent.hpp"
#include "plugins/json_rpc_lines.hpp"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

inline constexpr std::int64_t kAcpVersion = 1;

/// Returns an empty object when the result is an error or no object.
const boost::json::object& acp_result_of(const RpcAnswer& answer);

struct AcpAbilities {
  std::int64_t version = kAcpVersion;
  bool load = false;
  bool resume = false;
  bool fork = false;
  bool list = false;
  bool close = false;
  std::string ways_to_log_in;  ///< "Log in with Google; Gemini API key"; may be empty
};
/// Reads the abilities. `started_as` is the agent's command line, to which some ways to log in add
/// arguments.
AcpAbilities read_abilities(const boost::json::object& initialize_result,
                            std::string_view started_as);

struct AcpChoice {
  std::optional<AcpSetting> setting;  ///< absent when it is selected already
  std::string problem;                ///< why it cannot be selected; empty when it can
};

/// Returns the model of the session; empty when the agent does not report it.
std::string model_of_session(const boost::json::object& session);
/// Selects `model`, an id or a name. Precondition: not empty.
AcpChoice choose_model(const boost::json::object& session, std::string_view model);

}  // namespace agent_doc::plugins
