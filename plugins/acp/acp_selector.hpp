// What it is: what a session of an ACP agent lets choose (a model, a mode), in either of the two
// ways of ACP: `models` and `modes`, or `configOptions`.
// What it is not: it chooses nothing (acp_session, acp_mode) and sends nothing.
// Thread rule: pure functions. What is returned points into the JSON that it was read from.
#pragma once

#include <boost/json/fwd.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// A request about the session; its `sessionId` is still missing.
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
  std::string_view option;  ///< id of the config option; empty for the older way
};

/// The older way, where the session has it, else the first config option.
AcpSelector models_of_session(const boost::json::object& session);
/// Every one that decides what the agent asks: some tell of a mode and, beside it, of how much is
/// asked.
std::vector<AcpSelector> modes_of_session(const boost::json::object& session);

/// `method` and `key` are those of the older way.
AcpSetting setting_of(const AcpSelector& selector, std::string_view method, std::string_view key,
                      std::string_view value);

/// "a, b, c", the ids; cut where there are many.
std::string list_of_offers(const std::vector<AcpOffer>& offers);

}  // namespace agent_doc::plugins
