#include "server/lsp/offers.hpp"

#include "protocol/agent_doc.hpp"
#include "server/lsp/documents/document.hpp"
#include "server/turn/question.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::lsp {

namespace {

protocol::Command on_document(const Document& document, std::string title,
                              std::string_view command) {
  return {std::move(title), std::string(command),
          boost::json::object{{"uri", document.place().uri}}};
}

}  // namespace

protocol::Command run_offer(const Document& document) {
  return on_document(document, "Run", protocol::kRunCommand);
}

protocol::Command stop_offer(const Document& document) {
  return on_document(document, "Stop", protocol::kStopCommand);
}

std::vector<protocol::Command> next_prompt_offers(const Document& document) {
  const session::Conversation& session = document.session();
  std::vector<protocol::Command> offers;
  if (session.is_steering()) return offers;
  if (session.is_queued()) {
    offers.push_back(on_document(document, "Queued: take it back", protocol::kUnqueueCommand));
  } else if (session.has_next_prompt()) {
    offers.push_back(on_document(document, "Send when the turn is done", protocol::kRunCommand));
  }
  if (!offers.empty() && session.can_steer())
    offers.push_back(on_document(document, "Steer: say it now", protocol::kSteerCommand));
  return offers;
}

std::vector<protocol::Command> answer_offers(const Document& document) {
  std::vector<protocol::Command> offers;
  const auto view = document.session().turn_view();
  if (!view || !view->permission) return offers;
  const turn::Permission& permission = *view->permission;
  std::string question =
      permission.detail.empty() ? permission.tool : permission.tool + " " + permission.detail;
  question = turn::without_middle(question, kMaxQuestionBytes);
  std::replace(question.begin(), question.end(), '\n', ' ');
  for (const plugins::PermissionOption& option : permission.options) {
    offers.push_back(
        {option.label + ": " + question, std::string(protocol::kAnswerCommand),
         boost::json::object{
             {"turn", view->turn}, {"permission", permission.id}, {"option", option.id}}});
  }
  return offers;
}

std::vector<protocol::Command> last_turn_offers(const Document& document) {
  std::vector<protocol::Command> offers;
  const session::Conversation& session = document.session();
  if (session.can_recover_reply()) {
    offers.push_back(on_document(document, "Insert what is missing of the last reply",
                                 protocol::kRecoverReplyCommand));
  }
  if (!session.has_turn()) return offers;
  if (session.can_continue_reply()) {
    const std::string title(session::title_of(session.continuation()));
    offers.push_back(on_document(document, title, protocol::kContinueReplyCommand));
  } else if (!session.turn_running()) {
    offers.push_back(on_document(document, "Retry", protocol::kRetryCommand));
  }
  return offers;
}

std::vector<protocol::Command> session_offers(const Document& document) {
  std::vector<protocol::Command> offers;
  if (document.session().turn_running()) return offers;
  const auto front_matter =
      markdown::read_front_matter(document.session().engine().shadow().text());
  const bool has_session = front_matter.find("resume") != nullptr;
  if (has_session && document.place().has_file)
    offers.push_back(on_document(document, "Fork", protocol::kForkCommand));
  if (has_session || front_matter.find("forked_from") != nullptr) {
    offers.push_back(on_document(document, "New session", protocol::kNewSessionCommand));
  }
  return offers;
}

}  // namespace agent_doc::lsp
