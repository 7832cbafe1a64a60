#include "server/lsp/permissions.hpp"

#include "server/lsp/messages.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace agent_doc::lsp {

namespace permissions_internal {

constexpr std::string_view kOptionProperty = "agentDocOption";
constexpr std::string_view kKindProperty = "agentDocKind";

/// A button of the question; clients tell by the title which one was pressed, so titles are unique.
struct Button {
  std::string title;
  std::string option;
};

std::vector<Button> buttons_for(const turn::Permission& permission) {
  std::vector<Button> buttons;
  for (const plugins::PermissionOption& option : permission.options) {
    std::string title = option.label;
    const auto is_taken = [&] {
      return std::any_of(buttons.begin(), buttons.end(), [&](const Button& button) { return button.title == title; });
    };
    for (int number = 2; is_taken(); ++number) title = option.label + " (" + std::to_string(number) + ")";
    buttons.push_back({std::move(title), option.id});
  }
  return buttons;
}

protocol::ShowMessageRequestParams question_for(const turn::Permission& permission, const std::vector<Button>& buttons,
                                                bool with_properties) {
  protocol::ShowMessageRequestParams question;
  question.message = "The agent wants to use " + permission.tool;
  if (!permission.detail.empty()) question.message += ": " + shortened(permission.detail, kMaxPermissionDetailBytes);
  for (std::size_t i = 0; i < buttons.size(); ++i) {
    protocol::MessageActionItem action{buttons[i].title, {}};
    if (with_properties) {
      action.properties[kOptionProperty] = buttons[i].option;
      action.properties[kKindProperty] = name_of(permission.options[i].kind);
    }
    question.actions.push_back(std::move(action));
  }
  return question;
}

/// Some editors (Emacs) answer with the first option when the person, who was typing, presses Enter.
void put_no_first(std::vector<plugins::PermissionOption>& options) {
  std::stable_partition(options.begin(), options.end(),
                        [](const plugins::PermissionOption& option) { return option.kind == plugins::OptionKind::Deny; });
}

/// Some editors (Helix) have no `window/showMessageRequest` at all: nobody was asked.
bool is_unknown_to_client(const protocol::Result& result) {
  const auto* error = std::get_if<protocol::Error>(&result);
  return error != nullptr && error->code == protocol::ErrorCode::MethodNotFound;
}

/// The chosen option; empty for null, an error, and anything that is no button of this question.
std::string chosen(const protocol::Result& result, const std::vector<Button>& buttons) {
  const auto* value = std::get_if<boost::json::value>(&result);
  const auto* item = value == nullptr ? nullptr : value->if_object();
  const auto* title = item == nullptr ? nullptr : item->if_contains("title");
  if (title == nullptr || !title->is_string()) return {};
  for (const Button& button : buttons) {
    if (std::string_view(title->get_string()) == button.title) return button.option;
  }
  return {};
}

}  // namespace permissions_internal

std::string_view name_of(plugins::OptionKind kind) {
  switch (kind) {
    case plugins::OptionKind::AllowOnce:
      return "allow_once";
    case plugins::OptionKind::AllowAlways:
      return "allow_always";
    case plugins::OptionKind::Deny:
      break;
  }
  return "deny";
}

Permissions::Permissions(Client& client, Messages& messages, Answered answered)
    : client_(client), messages_(messages), answered_(std::move(answered)) {}

void Permissions::ask(const std::string& turn, const turn::Permission& asked) {
  Question question{turn, asked.id};
  turn::Permission permission = asked;
  if (!client_.can.turn) permissions_internal::put_no_first(permission.options);
  auto buttons = permissions_internal::buttons_for(permission);
  const auto params = permissions_internal::question_for(permission, buttons, client_.can.turn);
  auto on_answer = [this, question, text = params.message, buttons = std::move(buttons)](const protocol::Result& result) {
    if (open_.erase(question) == 0) return;
    if (permissions_internal::is_unknown_to_client(result)) {
      messages_.show(session::MessageKind::Warning, text + ". Answer by a code action.");
      return;
    }
    answered_(question.first, question.second, permissions_internal::chosen(result, buttons));
  };
  const protocol::Id id =
      client_.endpoint->request("window/showMessageRequest", protocol::encode(params), lifeline_.tie(std::move(on_answer)));
  open_.insert_or_assign(std::move(question), id);
}

void Permissions::withdraw(const std::string& turn, const std::string& permission) {
  const auto question = open_.find({turn, permission});
  if (question == open_.end()) return;
  const protocol::Id id = question->second;
  open_.erase(question);
  client_.endpoint->cancel(id);
}

}  // namespace agent_doc::lsp
