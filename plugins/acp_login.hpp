// What it is: the ways to log in that an ACP agent offers (`authMethods`), in words that a person can follow.
// What it is not: it logs nobody in. Most ways open a browser or change the agent's own settings: that is for the person to begin, in the agent.
// Thread rule: pure functions.
#pragma once

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// "Log in with Us: your account; API key: set US_KEY in its environment; Sign in: run `us --acp login` in a terminal". `started_as`: the command line
/// that the agent was started with. Empty when there are none.
std::string acp_ways_to_log_in(const boost::json::array& methods, std::string_view started_as);

}  // namespace agent_doc::plugins
