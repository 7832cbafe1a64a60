#include "server/lsp/turns/permissions.hpp"

#include "server/lsp/messages.hpp"
#include "server/lsp/uri.hpp"
#include "server/turn/question.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace agent_doc::lsp {

namespace {

constexpr std::string_view kOptionProperty = "agentDocOption";
constexpr std::string_view kKindProperty = "agentDocKind";
constexpr std::string_view kToolProperty = "agentDocTool";
constexpr std::string_view kDetailProperty = "agentDocDetail";
constexpr std::string_view kShowAll = "Show all of it";

/// A button of the question. Clients return the title of the button that was pressed, so titles are
/// unique.
struct Button {
  std::string title;
  std::string option;
};

std::vector<Button> buttons_for(const turn::Permission& permission) {
  std::vector<Button> buttons;
  for (const plugins::PermissionOption& option : permission.options) {
    std::string title = option.label;
    const auto is_taken = [&] {
      return title == kShowAll ||
             std::any_of(buttons.begin(), buttons.end(),
                         [&](const Button& button) { return button.title == title; });
    };
    for (int number = 2; is_taken(); ++number)
      title = option.label + " (" + std::to_string(number) + ")";
    buttons.push_back({std::move(title), option.id});
  }
  return buttons;
}

std::string message_for(const turn::Permission& permission) {
  return permission.detail.empty() ? permission.tool : permission.tool + ": " + permission.detail;
}

/// Of many lines, keeps as many of the first as fit and the last two, with the number of lines left
/// out; of a long line, keeps the beginning and the end.
std::string shortened(const std::string& whole) {
  std::vector<std::size_t> begins{0};
  for (std::size_t at = whole.find('\n'); at != std::string::npos; at = whole.find('\n', at + 1))
    begins.push_back(at + 1);
  const std::size_t most = kPermissionMessageBegin + kPermissionMessageEnd + 1;
  if (begins.size() <= most && whole.size() <= kMaxPermissionMessageBytes) return whole;
  if (begins.size() < kPermissionMessageEnd + 2)
    return turn::without_middle(whole, kMaxPermissionMessageBytes);
  const std::string_view tail =
      std::string_view(whole).substr(begins[begins.size() - kPermissionMessageEnd]);
  for (std::size_t head =
           std::min(kPermissionMessageBegin, begins.size() - kPermissionMessageEnd - 1);
       head > 0; --head) {
    const std::size_t left_out = begins.size() - head - kPermissionMessageEnd;
    std::string text = whole.substr(0, begins[head]) + "<… " + std::to_string(left_out) +
                       (left_out == 1 ? " line is" : " lines are") + " left out here …>\n";
    text.append(tail);
    if (text.size() <= kMaxPermissionMessageBytes) return text;
  }
  return turn::without_middle(whole, kMaxPermissionMessageBytes);
}

protocol::ShowMessageRequestParams question_for(const turn::Permission& permission,
                                                const std::vector<Button>& buttons,
                                                bool with_properties) {
  protocol::ShowMessageRequestParams question;
  question.message = "The agent wants to use " + shortened(message_for(permission));
  for (const Button& button : buttons) {
    protocol::MessageActionItem action{button.title, {}};
    const auto option = std::find_if(
        permission.options.begin(), permission.options.end(),
        [&button](const plugins::PermissionOption& one) { return one.id == button.option; });
    if (with_properties && option != permission.options.end()) {
      action.properties[kOptionProperty] = option->id;
      action.properties[kKindProperty] = name_of(option->kind);
    }
    question.actions.push_back(std::move(action));
  }
  if (with_properties) {
    question.properties[kToolProperty] = permission.tool;
    question.properties[kDetailProperty] = permission.detail;
  }
  return question;
}

/// Puts refusals first: some editors (Emacs) answer with the first option when the user, who was
/// typing, presses Enter.
void put_denials_first(std::vector<plugins::PermissionOption>& options) {
  std::stable_partition(options.begin(), options.end(),
                        [](const plugins::PermissionOption& option) {
                          return option.kind == plugins::OptionKind::Deny;
                        });
}

/// Returns true when the client has no `window/showMessageRequest` (Helix), so nobody was asked.
bool is_unknown_to_client(const protocol::Result& result) {
  const auto* error = std::get_if<protocol::Error>(&result);
  return error != nullptr && error->code == protocol::ErrorCode::MethodNotFound;
}

/// Returns the title of the button that was pressed; empty for null and for an error.
std::string pressed(const protocol::Result& result) {
  const auto* value = std::get_if<boost::json::value>(&result);
  const auto* item = value == nullptr ? nullptr : value->if_object();
  const auto* title = item == nullptr ? nullptr : item->if_contains("title");
  return title != nullptr && title->is_string() ? std::string(title->get_string()) : std::string();
}

/// Returns the chosen option; empty for anything that is no button of this question.
std::string chosen(const std::string& title, const std::vector<Button>& buttons) {
  const auto button = std::find_if(buttons.begin(), buttons.end(),
                                   [&title](const Button& one) { return one.title == title; });
  return button == buttons.end() ? std::string() : button->option;
}

}  // namespace

std::string_view name_of(plugins::OptionKind kind) {
  switch (kind) {
    case plugins::OptionKind::AllowOnce:
      return "allow_once";
    case plugins::OptionKind::AllowAlways:
      return "allow_always";
    case plugins::OptionKind::Widen:
      return "widen";
    case plugins::OptionKind::Deny:
      break;
  }
  return "deny";
}

Permissions::Permissions(Client& client, Environment& environment, Messages& messages,
                         Answered answered)
    : client_(client),
      environment_(environment),
      messages_(messages),
      answered_(std::move(answered)) {}

void Permissions::ask(const std::string& turn, const turn::Permission& asked) {
  Question question{asked, {}, 0, nullptr};
  if (!client_.can.turn) put_denials_first(question.permission.options);
  const Name name{turn, asked.id};
  send(name, open_.insert_or_assign(name, std::move(question)).first->second);
}

void Permissions::send(const Name& name, Question& question) {
  const std::string whole = message_for(question.permission);
  const bool is_cut = shortened(whole) != whole;
  auto params =
      question_for(question.permission, buttons_for(question.permission), client_.can.turn);
  if (is_cut && client_.can.showDocument && question.showings < kMaxShowings) {
    params.actions.push_back({std::string(kShowAll), {}});
  }
  // Clients with a plugin of ours get all of it in `agentDocDetail`.
  if (is_cut && !client_.can.showDocument && !client_.can.turn)
    params.message += describe_whole_file(question);
  question.request = client_.endpoint->request(
      "window/showMessageRequest", protocol::encode(params),
      lifeline_.tie([this, name](const protocol::Result& result) { answered(name, result); }));
}

void Permissions::answered(const Name& name, const protocol::Result& result) {
  const auto found = open_.find(name);
  if (found == open_.end()) return;
  Question& question = found->second;
  const auto buttons = buttons_for(question.permission);
  const std::string title = pressed(result);
  const std::string option = chosen(title, buttons);
  if (option.empty() && title == kShowAll && question.showings < kMaxShowings) {
    show_whole(question);
    return send(name, question);
  }
  if (is_unknown_to_client(result)) return cannot_ask(question);
  open_.erase(found);
  answered_(name.first, name.second, option);
}

void Permissions::cannot_ask(Question& question) {
  question.request.reset();
  const std::string whole = message_for(question.permission);
  std::string text = question_for(question.permission, {}, client_.can.turn).message;
  if (shortened(whole) != whole) text += describe_whole_file(question);
  messages_.show(session::MessageKind::Warning, text + ". Answer by a code action.");
}

std::string Permissions::describe_whole_file(Question& question) {
  if (!question.whole)
    question.whole = environment_.make_shown_file(message_for(question.permission), "question");
  return question.whole ? "\nAll of it is in " + question.whole->path() : std::string();
}

void Permissions::show_whole(Question& question) {
  ++question.showings;
  describe_whole_file(question);
  if (!question.whole)
    return messages_.show(session::MessageKind::Warning,
                          "The whole question could not be put into a file to show it.");
  client_.endpoint->request("window/showDocument",
                            protocol::encode_show_document(uri_of(question.whole->path())),
                            [](const protocol::Result&) {});
}

void Permissions::withdraw(const std::string& turn, const std::string& permission) {
  const auto question = open_.find({turn, permission});
  if (question == open_.end()) return;
  const std::optional<protocol::Id> request = std::move(question->second.request);
  open_.erase(question);
  if (request) client_.endpoint->cancel(*request);
}

}  // namespace agent_doc::lsp
