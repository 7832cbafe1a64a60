#include "plugins/acp/acp_selector.hpp"

#include "plugins/json_line.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>

namespace agent_doc::plugins {
namespace {

/// Limit for offers listed in a message.
constexpr std::size_t kMaxListed = 20;
/// Further options are ignored.
constexpr std::size_t kMaxOptions = 100;

void add_offers(const boost::json::array& entries, std::string_view id_key,
                std::vector<AcpOffer>& offers) {
  for (const boost::json::value& value : entries) {
    const boost::json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    if (const std::string_view id = string_of(*entry, id_key); !id.empty())
      offers.push_back({id, string_of(*entry, "name")});
    const boost::json::array* group = array_of(*entry, "options");
    if (group == nullptr) continue;
    for (const boost::json::value& member : *group) {
      const boost::json::object* object = member.if_object();
      if (object != nullptr)
        offers.push_back({string_of(*object, id_key), string_of(*object, "name")});
    }
  }
}

AcpSelector of_state(const boost::json::object& state, std::string_view list_key,
                     std::string_view current_key, std::string_view id_key) {
  AcpSelector selector;
  selector.current = string_of(state, current_key);
  if (const boost::json::array* list = array_of(state, list_key))
    add_offers(*list, id_key, selector.offers);
  return selector;
}

AcpSelector of_option(const boost::json::object& option) {
  AcpSelector selector;
  selector.option = string_of(option, "id");
  selector.current = string_of(option, "currentValue");
  if (const boost::json::array* list = array_of(option, "options"))
    add_offers(*list, "value", selector.offers);
  return selector;
}

/// Guesses by words, because not every agent sends the category.
bool is_about_modes(const boost::json::object& option) {
  constexpr std::array<std::string_view, 5> kWords = {"permission", "approval", "approve", "mode_",
                                                      "_mode"};
  const std::string_view category = string_of(option, "category");
  if (!category.empty() && category.front() != '_') return category == "mode";
  const std::string_view id = string_of(option, "id");
  return id == "mode" || std::any_of(kWords.begin(), kWords.end(), [id](std::string_view word) {
           return id.find(word) != std::string_view::npos;
         });
}

bool same_offers(const AcpSelector& left, const AcpSelector& right) {
  return std::equal(left.offers.begin(), left.offers.end(), right.offers.begin(),
                    right.offers.end(),
                    [](const AcpOffer& a, const AcpOffer& b) { return a.id == b.id; });
}

}  // namespace

AcpSelector models_of_session(const boost::json::object& session) {
  if (const boost::json::object* state = object_of(session, "models")) {
    return of_state(*state, "availableModels", "currentModelId", "modelId");
  }
  const boost::json::array* options = array_of(session, "configOptions");
  if (options == nullptr) return {};
  for (const boost::json::value& value : *options) {
    const boost::json::object* option = value.if_object();
    if (option != nullptr && string_of(*option, "category") == "model") return of_option(*option);
  }
  return {};
}

std::vector<AcpSelector> modes_of_session(const boost::json::object& session) {
  std::vector<AcpSelector> selectors;
  if (const boost::json::object* state = object_of(session, "modes")) {
    selectors.push_back(of_state(*state, "availableModes", "currentModeId", "id"));
  }
  const boost::json::array* options = array_of(session, "configOptions");
  if (options == nullptr) return selectors;
  for (const boost::json::value& value : *options) {
    const boost::json::object* option = value.if_object();
    if (option == nullptr || !is_about_modes(*option)) continue;
    if (selectors.size() >= kMaxOptions) break;
    AcpSelector selector = of_option(*option);
    const bool is_told = !selectors.empty() && same_offers(selectors.front(), selector);
    if (!is_told && !selector.option.empty()) selectors.push_back(std::move(selector));
  }
  return selectors;
}

AcpSetting setting_of(const AcpSelector& selector, std::string_view method, std::string_view key,
                      std::string_view value) {
  if (selector.option.empty()) return {std::string(method), {{key, value}}};
  return {"session/set_config_option", {{"configId", selector.option}, {"value", value}}};
}

std::string list_of_offers(const std::vector<AcpOffer>& offers) {
  std::string list;
  for (std::size_t index = 0; index < offers.size() && index < kMaxListed; ++index) {
    if (index > 0) list += ", ";
    list += offers[index].id;
  }
  if (offers.size() > kMaxListed) {
    list += ", and " + std::to_string(offers.size() - kMaxListed) + " more";
  }
  return list;
}

}  // namespace agent_doc::plugins
