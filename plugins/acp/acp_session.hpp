// What it is: what an ACP agent says it can do (`initialize`), and which model a session works with
// and which request sets another one.
// What it is not: it sends nothing and keeps nothing; modes are acp_mode.
// Thread rule: pure functions.
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

/// Empty when there is none: an error, or something that is no object.
const boost::json::object& acp_result_of(const RpcAnswer& answer);

struct AcpAbilities {
  std::int64_t version = kAcpVersion;
  bool load = false;
  bool resume = false;
  bool fork = false;
  bool list = false;
  bool close = false;
  std::string ways_to_log_in;  ///< "Log in with Google; Gemini API key", may be empty
};
/// `started_as`: the agent's command line, which some of the ways to log in add to.
AcpAbilities read_abilities(const boost::json::object& initialize_result,
                            std::string_view started_as);

struct AcpChoice {
  std::optional<AcpSetting> setting;  ///< nothing: it is as wanted already
  std::string problem;                ///< why it cannot be as wanted; empty when it can
};

/// The model that the session works with; empty when the agent does not tell.
std::string model_of_session(const boost::json::object& session);
/// `model` is an id or a name; precondition: not empty.
AcpChoice choose_model(const boost::json::object& session, std::string_view model);

}  // namespace agent_doc::plugins
