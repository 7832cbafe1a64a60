#include "plugins/acp/acp_mode.hpp"

#include "plugins/json_line.hpp"
#include "plugins/permission_policy.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <span>

namespace agent_doc::plugins {
namespace {

/// Further settings are not sent: an agent could name any number of options.
constexpr std::size_t kMaxSettings = 100;

using Words = std::span<const std::string_view>;

// In the form of letters_of(), most specific first.
constexpr std::string_view kAsking[] = {
    "ask",           "default",        "manual",  "alwaysask",   "askalways",
    "askpermission", "askpermissions", "approve", "smartapprove"};
constexpr std::string_view kReadOnly[] = {"readonly"};
constexpr std::string_view kPlan[] = {"plan", "planmode", "planning"};
constexpr std::string_view kEdits[] = {"acceptedits", "autoedit", "autoacceptedits",
                                       "workspacewrite"};
constexpr std::string_view kDeny[] = {"dontask"};

/// Returns the letters of `text` in lower case: "Allow All Edits" and "allow_all_edits" are equal.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') letters.push_back(c);
    if (c >= 'A' && c <= 'Z') letters.push_back(static_cast<char>(c - 'A' + 'a'));
  }
  return letters;
}

/// Returns "plan" for "https://…/session-modes#plan"; anything but a URI is returned unchanged.
std::string_view last_fragment(std::string_view id) {
  if (const std::size_t hash = id.rfind('#'); hash != std::string_view::npos)
    return id.substr(hash + 1);
  const std::size_t slash =
      id.find("://") != std::string_view::npos ? id.rfind('/') : std::string_view::npos;
  return slash != std::string_view::npos ? id.substr(slash + 1) : id;
}

bool is_called(const AcpOffer& offer, std::string_view word) {
  return letters_of(last_fragment(offer.id)) == word || letters_of(offer.name) == word;
}

/// Checks id and name, because one may be harmless while the other reveals the mode.
bool is_wider(const AcpOffer& offer) {
  return names_wider_mode(last_fragment(offer.id)) || names_wider_mode(offer.name);
}

const AcpOffer* find_offer(const AcpSelector& selector, Words words) {
  for (const std::string_view word : words) {
    const auto found = std::find_if(
        selector.offers.begin(), selector.offers.end(),
        [word](const AcpOffer& offer) { return is_called(offer, word) && !is_wider(offer); });
    if (found != selector.offers.end()) return &*found;
  }
  return nullptr;
}

/// Finds a wider mode by words that identify one.
const AcpOffer* find_wider(const AcpSelector& selector, Words words) {
  for (const std::string_view word : words) {
    const auto found =
        std::find_if(selector.offers.begin(), selector.offers.end(),
                     [word](const AcpOffer& offer) { return is_called(offer, word); });
    if (found != selector.offers.end()) return &*found;
  }
  return nullptr;
}

const AcpOffer* find_named(const AcpSelector& selector, std::string_view named) {
  const auto is = [named](const AcpOffer& offer) {
    return offer.id == named || offer.name == named || last_fragment(offer.id) == named;
  };
  const auto found = std::find_if(selector.offers.begin(), selector.offers.end(), is);
  return found != selector.offers.end() ? &*found : nullptr;
}

const AcpOffer* find_asking(const AcpSelector& selector, std::string_view also) {
  if (const AcpOffer* offer = find_offer(selector, kAsking)) return offer;
  if (also.empty()) return nullptr;
  const auto found =
      std::find_if(selector.offers.begin(), selector.offers.end(), [also](const AcpOffer& offer) {
        return last_fragment(offer.id) == also && !is_wider(offer);
      });
  return found != selector.offers.end() ? &*found : nullptr;
}

/// The agent may not list its current mode.
AcpOffer current_of(const AcpSelector& selector) {
  const auto found =
      std::find_if(selector.offers.begin(), selector.offers.end(),
                   [&selector](const AcpOffer& offer) { return offer.id == selector.current; });
  return found != selector.offers.end() ? *found : AcpOffer{selector.current, {}};
}

bool is_one_of(const AcpOffer& offer, Words words) {
  return !is_wider(offer) &&
         std::any_of(words.begin(), words.end(),
                     [&offer](std::string_view word) { return is_called(offer, word); });
}

/// How an agent is known to behave in the mode chosen for a selector.
enum class Manner { Wanted, Asks, ChangesNothing, Unknown };

struct Pick {
  const AcpOffer* offer = nullptr;  ///< null: leave it unchanged
  Manner manner = Manner::Unknown;
};

Pick pick_asking(const AcpSelector& selector, const AcpModeWish& wish) {
  const AcpOffer current = current_of(selector);
  const bool asks = is_one_of(current, kAsking) ||
                    (!wish.also_asking.empty() && last_fragment(current.id) == wish.also_asking &&
                     !is_wider(current));
  if (asks) return {nullptr, Manner::Asks};
  if (is_one_of(current, kReadOnly)) return {nullptr, Manner::ChangesNothing};
  if (const AcpOffer* offer = find_asking(selector, wish.also_asking)) return {offer, Manner::Asks};
  if (is_one_of(current, kPlan)) return {nullptr, Manner::ChangesNothing};
  if (const AcpOffer* offer = find_offer(selector, kReadOnly))
    return {offer, Manner::ChangesNothing};
  return {};
}

Pick pick_plan(const AcpSelector& selector) {
  for (const Words words : {Words(kPlan), Words(kReadOnly)}) {
    if (const AcpOffer* offer = find_offer(selector, words)) return {offer, Manner::Wanted};
  }
  return {};
}

Pick pick(const AcpSelector& selector, const AcpModeWish& wish) {
  if (wish.policy == PermissionPolicy::AcceptEdits) {
    if (const AcpOffer* offer = find_wider(selector, kEdits)) return {offer, Manner::Wanted};
  }
  if (wish.policy == PermissionPolicy::Plan) {
    if (const Pick plan = pick_plan(selector); plan.offer != nullptr) return plan;
  }
  if (wish.policy == PermissionPolicy::Deny) {
    if (const AcpOffer* offer = find_wider(selector, kDeny)) return {offer, Manner::Wanted};
  }
  const Pick asking = pick_asking(selector, wish);
  if (asking.manner != Manner::Unknown || wish.policy != PermissionPolicy::Deny) return asking;
  const Pick plan = pick_plan(selector);
  return plan.offer != nullptr ? Pick{plan.offer, Manner::ChangesNothing} : asking;
}

void set(const AcpSelector& selector, const AcpOffer& offer, AcpModeChoice& choice) {
  if (offer.id != selector.current)
    choice.settings.push_back(setting_of(selector, "session/set_mode", "modeId", offer.id));
}

/// Turns off a switch that lets the agent do everything without asking, whatever its mode is.
void put_off(const boost::json::object& option, AcpModeChoice& choice) {
  constexpr std::string_view kOn[] = {"on", "true", "yes", "enabled"};
  constexpr std::string_view kOff[] = {"off", "false", "no", "disabled"};
  const std::string_view id = string_of(option, "id");
  const bool is_mode = string_of(option, "category") == "mode";
  if (id.empty() || is_mode ||
      (!names_wider_mode(id) && !names_wider_mode(string_of(option, "name"))))
    return;
  const boost::json::value* current = option.if_contains("currentValue");
  if (current == nullptr) return;
  AcpSetting setting{"session/set_config_option", {{"configId", id}}};
  if (current->is_bool() && current->get_bool()) {
    setting.params["type"] = "boolean";
    setting.params["value"] = false;
    choice.settings.push_back(std::move(setting));
  }
  const bool is_on =
      current->is_string() && std::find(std::begin(kOn), std::end(kOn),
                                        std::string_view(current->get_string())) != std::end(kOn);
  const boost::json::array* offers = is_on ? array_of(option, "options") : nullptr;
  if (offers == nullptr) return;
  for (const boost::json::value& offer : *offers) {
    const std::string_view value =
        offer.is_object() ? string_of(offer.get_object(), "value") : std::string_view();
    if (std::find(std::begin(kOff), std::end(kOff), value) == std::end(kOff)) continue;
    setting.params["value"] = value;
    choice.settings.push_back(std::move(setting));
    return;
  }
}

void put_off_switches(const boost::json::object& session, AcpModeChoice& choice) {
  const boost::json::array* options = array_of(session, "configOptions");
  if (options == nullptr) return;
  for (const boost::json::value& option : *options) {
    if (option.is_object() && choice.settings.size() < kMaxSettings)
      put_off(option.get_object(), choice);
  }
}

std::string_view name_of(PermissionPolicy policy) {
  switch (policy) {
    case PermissionPolicy::Ask:
      return "ask";
    case PermissionPolicy::Deny:
      return "deny";
    case PermissionPolicy::AcceptEdits:
      return "accept_edits";
    case PermissionPolicy::Plan:
      return "plan";
  }
  return {};
}

std::string offered_by(const std::vector<AcpSelector>& selectors) {
  std::string text;
  for (const AcpSelector& selector : selectors) {
    if (selector.offers.empty()) continue;
    text += (text.empty() ? "it offers " : "; ") + list_of_offers(selector.offers);
  }
  return text.empty() ? "it lets nobody choose a mode" : text;
}

AcpModeChoice choose_named(const std::vector<AcpSelector>& selectors, const AcpModeWish& wish) {
  AcpModeChoice choice;
  const std::string mode = "mode = \"" + std::string(wish.named) + "\"";
  for (const AcpSelector& selector : selectors) {
    const AcpOffer* offer = find_named(selector, wish.named);
    if (offer == nullptr) continue;
    const bool must_change_nothing = !may_change_files(wish.policy);
    if (must_change_nothing && is_wider(*offer)) {
      choice.refusal = "`" + mode + "` asks less than `permissions = \"" +
                       std::string(name_of(wish.policy)) +
                       "\"` wants: mend one of the two in "
                       "the agent's table of agent-doc's config.toml.";
      return choice;
    }
    set(selector, *offer, choice);
    return choice;
  }
  choice.refusal = "The agent does not know the mode of `" + mode + "`: " + offered_by(selectors) +
                   ". Mend it in agent-doc's config.toml.";
  return choice;
}

/// Reports that no selector is known to restrain the agent.
void report_unknown(const std::vector<AcpSelector>& selectors, const AcpModeWish& wish,
                    AcpModeChoice& choice) {
  const std::string why = "the agent has no mode that is known to ask before it changes files (" +
                          offered_by(selectors) + ")";
  if (wish.policy == PermissionPolicy::Ask || wish.policy == PermissionPolicy::AcceptEdits) {
    choice.warning = why +
                     ": it may change files without asking; `mode = \"…\"` in its table of "
                     "agent-doc's config.toml names one that you trust";
    return;
  }
  choice.settings.clear();
  choice.refusal = "`permissions = \"" + std::string(name_of(wish.policy)) +
                   "\"` cannot be kept: " + why +
                   ". Name one that changes nothing by `mode = \"…\"` in its table of agent-doc's "
                   "config.toml, or set `permissions = \"ask\"` there.";
}

}  // namespace

bool names_wider_mode(std::string_view text) {
  constexpr std::array<std::string_view, 14> kWider = {
      "bypass",         "yolo",        "acceptedits", "autoedit",  "alledits",
      "autoaccept",     "autoapprove", "fullaccess",  "fullauto",  "dontask",
      "skippermission", "allowall",    "alltools",    "everything"};
  const std::string letters = letters_of(text);
  return std::any_of(kWider.begin(), kWider.end(), [&letters](std::string_view word) {
    return letters.find(word) != std::string::npos;
  });
}

AcpModeChoice choose_mode(const boost::json::object& session, const AcpModeWish& wish) {
  const std::vector<AcpSelector> selectors = modes_of_session(session);
  if (!wish.named.empty()) return choose_named(selectors, wish);
  AcpModeChoice choice;
  Manner best = Manner::Unknown;
  for (const AcpSelector& selector : selectors) {
    const Pick picked = pick(selector, wish);
    if (picked.offer != nullptr) set(selector, *picked.offer, choice);
    best = std::min(best, picked.manner);
  }
  put_off_switches(session, choice);
  if (best == Manner::Unknown) {
    report_unknown(selectors, wish, choice);
  } else if (wish.policy == PermissionPolicy::Plan && best == Manner::Asks) {
    choice.warning =
        "the agent has no mode for `permissions = \"plan\"`: what it asks is denied when it "
        "changes files";
  } else if (wish.policy == PermissionPolicy::AcceptEdits && best != Manner::Wanted) {
    choice.warning =
        "the agent has no mode for `permissions = \"accept_edits\"`: what it asks is asked of you";
  }
  return choice;
}

}  // namespace agent_doc::plugins
