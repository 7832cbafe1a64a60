// The choices that a session of an ACP agent offers (a model, a mode), in both forms of ACP:
// `models` and `modes`, or `configOptions`. acp_session.hpp and acp_mode.hpp choose. Results point
// into the JSON that they were read from.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// A request about the session, without its `sessionId`.
struct AcpSetting {
  std::string method;
  boost::json::object params;
};

struct AcpOffer {
  std::string_view id, name;
};

struct AcpSelector {
  std::string_view current;
  std::vector<AcpOffer> offers;
  std::string_view option;  ///< id of the config option; empty for the older form
};

/// Returns the older form if the session has it, else the first config option.
AcpSelector models_of_session(const boost::json::object& session);
/// Returns every selector that affects what the agent asks: some agents have a mode and,
/// separately, a setting for how much is asked.
std::vector<AcpSelector> modes_of_session(const boost::json::object& session);

/// Returns the request that selects `value`. `method` and `key` are those of the older form.
AcpSetting setting_of(const AcpSelector& selector, std::string_view method, std::string_view key,
                      std::string_view value);

/// Returns the ids as "a, b, c", shortened when there are many.
std::string list_of_offers(const std::vector<AcpOffer>& offers);

}  // namespace agent_doc::plugins
