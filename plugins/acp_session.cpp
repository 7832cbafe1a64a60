#include "plugins/acp_session.hpp"

#include "plugins/acp_login.hpp"
#include "plugins/json_line.hpp"

#include <algorithm>
#include <vector>

namespace agent_doc::plugins {
namespace acp_session_internal {

/// Of a message that lists what is offered.
constexpr std::size_t kMaxListed = 20;

struct Offer {
  std::string_view id, name;
};

/// A thing that the session lets choose, in either of the two ways of ACP.
struct Selector {
  std::string_view current;
  std::vector<Offer> offers;
  std::string_view option;  ///< id of the config option; empty for the older way
};

void add_offers(const boost::json::array& entries, std::string_view id_key, std::vector<Offer>& offers) {
  for (const boost::json::value& value : entries) {
    const boost::json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    if (const std::string_view id = string_of(*entry, id_key); !id.empty()) offers.push_back({id, string_of(*entry, "name")});
    const boost::json::array* group = array_of(*entry, "options");
    if (group == nullptr) continue;
    for (const boost::json::value& member : *group) {
      const boost::json::object* object = member.if_object();
      if (object != nullptr) offers.push_back({string_of(*object, id_key), string_of(*object, "name")});
    }
  }
}

Selector selector_of(const boost::json::object& session, std::string_view category, std::string_view state_key, std::string_view list_key,
                     std::string_view current_key, std::string_view id_key) {
  Selector selector;
  if (const boost::json::object* state = object_of(session, state_key)) {
    selector.current = string_of(*state, current_key);
    if (const boost::json::array* list = array_of(*state, list_key)) add_offers(*list, id_key, selector.offers);
    return selector;
  }
  const boost::json::array* options = array_of(session, "configOptions");
  if (options == nullptr) return selector;
  for (const boost::json::value& value : *options) {
    const boost::json::object* option = value.if_object();
    if (option == nullptr || string_of(*option, "category") != category) continue;
    selector.option = string_of(*option, "id");
    selector.current = string_of(*option, "currentValue");
    if (const boost::json::array* list = array_of(*option, "options")) add_offers(*list, "value", selector.offers);
    return selector;
  }
  return selector;
}

Selector models_of(const boost::json::object& session) {
  return selector_of(session, "model", "models", "availableModels", "currentModelId", "modelId");
}

Selector modes_of(const boost::json::object& session) {
  return selector_of(session, "mode", "modes", "availableModes", "currentModeId", "id");
}

AcpSetting setting(const Selector& selector, std::string_view method, std::string_view key, std::string_view value) {
  if (selector.option.empty()) return {std::string(method), {{key, value}}};
  return {"session/set_config_option", {{"configId", selector.option}, {"value", value}}};
}

std::string list_of(const std::vector<Offer>& offers) {
  std::string list;
  for (std::size_t index = 0; index < offers.size() && index < kMaxListed; ++index) {
    if (index > 0) list += ", ";
    list += offers[index].id;
  }
  if (offers.size() > kMaxListed) list += ", and " + std::to_string(offers.size() - kMaxListed) + " more";
  return list;
}

/// The names under which agents know the modes, the most telling first.
std::vector<std::string_view> names_of_mode(PermissionPolicy policy) {
  switch (policy) {
    case PermissionPolicy::Ask:
      return {};
    case PermissionPolicy::Deny:
      return {"dontAsk"};
    case PermissionPolicy::AcceptEdits:
      return {"acceptEdits", "autoEdit", "accept_edits", "auto_edit", "accept-edits", "auto-edit"};
    case PermissionPolicy::Plan:
      return {"plan", "read-only", "readOnly", "read_only"};
  }
  return {};
}

}  // namespace acp_session_internal

const boost::json::object& acp_result_of(const RpcAnswer& answer) {
  static const boost::json::object kNone;
  const boost::json::object* object = answer.result != nullptr ? answer.result->if_object() : nullptr;
  return object != nullptr ? *object : kNone;
}

AcpAbilities read_abilities(const boost::json::object& initialize_result, std::string_view started_as) {
  AcpAbilities abilities;
  abilities.version = integer_of(initialize_result, "protocolVersion", kAcpVersion);
  if (const boost::json::object* told = object_of(initialize_result, "agentCapabilities")) {
    abilities.load = is_true(*told, "loadSession");
    if (const boost::json::object* sessions = object_of(*told, "sessionCapabilities")) {
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
  return std::string(acp_session_internal::models_of(session).current);
}

AcpChoice choose_model(const boost::json::object& session, std::string_view model) {
  const acp_session_internal::Selector models = acp_session_internal::models_of(session);
  const auto offer = std::find_if(models.offers.begin(), models.offers.end(),
                                  [model](const acp_session_internal::Offer& o) { return o.id == model || o.name == model; });
  if (offer == models.offers.end()) {
    const std::string offered =
        models.offers.empty() ? "it lets nobody choose a model" : "it offers " + acp_session_internal::list_of(models.offers);
    return {std::nullopt, "The agent does not know the model \"" + std::string(model) + "\": " + offered};
  }
  if (offer->id == models.current) return {};
  return {acp_session_internal::setting(models, "session/set_model", "modelId", offer->id), {}};
}

AcpChoice choose_mode(const boost::json::object& session, PermissionPolicy policy) {
  const std::vector<std::string_view> names = acp_session_internal::names_of_mode(policy);
  if (names.empty()) return {};
  const acp_session_internal::Selector modes = acp_session_internal::modes_of(session);
  for (const std::string_view name : names) {
    const bool offered =
        std::any_of(modes.offers.begin(), modes.offers.end(), [name](const acp_session_internal::Offer& o) { return o.id == name; });
    if (!offered) continue;
    if (name == modes.current) return {};
    return {acp_session_internal::setting(modes, "session/set_mode", "modeId", name), {}};
  }
  if (policy == PermissionPolicy::Deny) return {};
  const std::string_view wanted = policy == PermissionPolicy::Plan ? "plan" : "accept_edits";
  return {std::nullopt, "the agent has no mode for `permissions = \"" + std::string(wanted) + "\"`: what it asks is " +
                            (policy == PermissionPolicy::Plan ? "denied when it changes files" : "asked of you")};
}

}  // namespace agent_doc::plugins
