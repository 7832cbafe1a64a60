#include "server/lsp/features/unseen_offers.hpp"

#include "protocol/agent_doc.hpp"
#include "server/lsp/documents/document.hpp"
#include "server/session/document_parts.hpp"
#include "server/session/unseen_by_agent.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <utility>

namespace agent_doc::lsp {

namespace {

protocol::Command unseen_command(const Document& document, std::string title,
                                 std::string_view command) {
  return {std::move(title), std::string(command),
          boost::json::object{{"uri", document.place().uri}}};
}

void add_offers_for_place(const Document& document, text::PositionEncoding encoding,
                          const turn::UnseenPlace& place, std::vector<protocol::Command>& offers) {
  const text::TextBuffer& text = document.session().engine().shadow();
  protocol::Command leave_out =
      unseen_command(document, "Leave this change out", protocol::kLeaveOutCommand);
  leave_out.argument.as_object()["position"] =
      protocol::encode_position(text.position_of(place.begin, encoding));
  offers.push_back(std::move(leave_out));
  const std::size_t turn =
      session::turns_before(text.text(), session::parts_of(text.text()), place);
  if (turn == 0 || !document.place().has_file) return;
  protocol::Command fork =
      unseen_command(document, "Fork from before this change", protocol::kForkCommand);
  fork.argument.as_object()["turn"] = turn;
  offers.push_back(std::move(fork));
}

}  // namespace

protocol::Command with_changes_told(protocol::Command run, const Document& document) {
  const std::size_t count = document.session().unseen().count();
  if (count == 1) run.title += " · 1 change above goes with it";
  if (count > 1) run.title += " · " + std::to_string(count) + " changes above go with it";
  return run;
}

std::vector<protocol::Command> unseen_offers(const Document& document,
                                             text::PositionEncoding encoding, std::size_t begin,
                                             std::size_t end) {
  std::vector<protocol::Command> offers;
  const session::Conversation& session = document.session();
  if (!session.is_unseen_current()) return offers;
  const session::UnseenByAgent& unseen = session.unseen();
  const std::vector<std::size_t> numbers =
      unseen.places_at(session.engine().shadow().text(), begin, end);
  const bool is_in_prompt = end >= unseen.prompt_begin();
  if (numbers.empty() && !is_in_prompt) return offers;
  offers.push_back(
      unseen_command(document, "Show what will be sent", protocol::kShowPromptCommand));
  if (!numbers.empty()) {
    add_offers_for_place(document, encoding, unseen.places()[numbers.front()], offers);
  } else if (unseen.count() > 0) {
    const std::string what = unseen.count() == 1
                                 ? "the change above"
                                 : "the " + std::to_string(unseen.count()) + " changes above";
    offers.push_back(
        unseen_command(document, "Leave " + what + " out", protocol::kLeaveOutCommand));
  }
  return offers;
}

}  // namespace agent_doc::lsp
