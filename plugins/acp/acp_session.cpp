#include "plugins/acp/acp_session.hpp"

#include "plugins/acp/acp_login.hpp"
#include "plugins/json_line.hpp"

#include <algorithm>

namespace agent_doc::plugins {
const boost::json::object& acp_result_of(const RpcAnswer& answer) {
  static const boost::json::object kNone;
  const boost::json::object* object =
      answer.result != nullptr ? answer.result->if_object() : nullptr;
  return object != nullptr ? *object : kNone;
}

AcpAbilities read_abilities(const boost::json::object& initialize_result,
                            std::string_view started_as) {
  AcpAbilities abilities;
  abilities.version = integer_of(initialize_result, "protocolVersion", kAcpVersion);
  if (const boost::json::object* offered = object_of(initialize_result, "agentCapabilities")) {
    abilities.load = is_true(*offered, "loadSession");
    if (const boost::json::object* sessions = object_of(*offered, "sessionCapabilities")) {
      abilities.resume = object_of(*sessions, "resume") != nullptr;
      abilities.fork = object_of(*sessions, "fork") != nullptr;
      abilities.list = object_of(*sessions, "list") != nullptr;
      abilities.close = object_of(*sessions, "close") != nullptr;
    }
  }
  const boost::json::array* ways = array_of(initialize_result, "authMethods");
  if (ways != nullptr) abilities.ways_to_log_in = acp_ways_to_log_in(*ways, started_as);
  return abilities;
}

std::string model_of_session(const boost::json::object& session) {
  return std::string(models_of_session(session).current);
}

AcpChoice choose_model(const boost::json::object& session, std::string_view model) {
  const AcpSelector models = models_of_session(session);
  const auto offer =
      std::find_if(models.offers.begin(), models.offers.end(),
                   [model](const AcpOffer& o) { return o.id == model || o.name == model; });
  if (offer == models.offers.end()) {
    const std::string offered = models.offers.empty()
                                    ? "it lets nobody choose a model"
                                    : "it offers " + list_of_offers(models.offers);
    return {std::nullopt,
            "The agent does not know the model \"" + std::string(model) + "\": " + offered};
  }
  if (offer->id == models.current) return {};
  return {setting_of(models, "session/set_model", "modelId", offer->id), {}};
}

}  // namespace agent_doc::plugins
