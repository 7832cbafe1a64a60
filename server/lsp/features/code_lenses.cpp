#include "server/lsp/features/code_lenses.hpp"

#include "protocol/agent_doc.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/features/unseen_offers.hpp"
#include "server/lsp/offers.hpp"
#include "server/lsp/places.hpp"
#include "server/lsp/turns/turn_words.hpp"
#include "server/markdown/outline.hpp"
#include "server/session/document_problems.hpp"
#include "server/session/unseen_by_agent.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

/// Collects the lenses of one document.
class Lenses {
 public:
  Lenses(const Client& client, const Document& document) : client_(client), document_(document) {}

  void add(std::size_t begin, std::size_t end, protocol::Command command,
           std::string_view sign = {}) {
    command.title.insert(0, sign);
    list_.push_back(protocol::encode(
        protocol::CodeLens{range_of(client_, document_, begin, end), std::move(command)}));
  }
  void add(std::size_t begin, std::size_t end, std::vector<protocol::Command> commands) {
    for (auto& command : commands) add(begin, end, std::move(command));
  }
  json::array take() { return std::move(list_); }

 private:
  const Client& client_;
  const Document& document_;
  json::array list_;
};

/// Returns a lens with what is known of the turn; clicking it only asks for the status.
protocol::Command status_lens(const Document& document, const session::TurnView& view) {
  return {turn_words(view), std::string(protocol::kStatusCommand),
          json::object{{"uri", document.place().uri}}};
}

void add_reply_lenses(const Document& document, const markdown::OutlineEntry& reply,
                      Lenses& lenses) {
  const auto view = document.session().turn_at(reply.body_begin, reply.end);
  if (!view) return;
  const bool is_last = view->turn == document.session().turn_view()->turn;
  if (is_last && document.session().turn_running()) {
    lenses.add(reply.heading_begin, reply.heading_end, stop_offer(document), "■ ");
    lenses.add(reply.heading_begin, reply.heading_end, answer_offers(document));
    return;
  }
  if (is_last) lenses.add(reply.heading_begin, reply.heading_end, last_turn_offers(document));
  lenses.add(reply.heading_begin, reply.heading_end, status_lens(document, *view));
}

/// The lenses of a prompt below a growing reply. Inside a fence that is still open in the reply the
/// heading is no turn yet, and has none.
void add_next_prompt_lenses(const Document& document, const markdown::OutlineEntry& last,
                            Lenses& lenses) {
  if (last.speaker == markdown::Speaker::User)
    lenses.add(last.heading_begin, last.heading_end, next_prompt_offers(document));
}

json::array lenses_of(const Client& client, const Document& document) {
  Lenses lenses(client, document);
  const session::Conversation& session = document.session();
  const std::string& text = session.engine().shadow().text();
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const markdown::FrontMatterEntry* named = front_matter.find("resume");
  if (named == nullptr) named = front_matter.find("forked_from");
  if (named != nullptr)
    lenses.add(named->line_begin, named->line_begin + named->key.size(), session_offers(document));
  const auto turns = markdown::outline(text, front_matter);
  for (const markdown::OutlineEntry& turn : turns) {
    if (turn.speaker == markdown::Speaker::Assistant) add_reply_lenses(document, turn, lenses);
  }
  const markdown::OutlineEntry& last = turns.back();
  add_next_prompt_lenses(document, last, lenses);
  if (session.turn_running()) {
    // The frame is not in the text yet.
    if (!session.reply_extent())
      lenses.add(last.heading_begin, last.heading_end, stop_offer(document), "■ ");
  } else if (markdown::find_open_prompt(text, front_matter) || session.unseen().count() > 0) {
    lenses.add(last.heading_begin, last.heading_end,
               with_changes_told(run_offer(document), document), "▶ ");
  }
  return lenses.take();
}

}  // namespace

void bind_code_lenses(protocol::Endpoint& endpoint, const Client& client, Documents& documents) {
  endpoint.on_request("textDocument/codeLens", [&client, &documents](const json::value& params,
                                                                     protocol::Replier reply) {
    const Document* document = documents.find(protocol::decode_text_document_uri(params));
    if (document == nullptr || !session::is_session_document(document->session()))
      return reply.result(json::array());
    reply.result(lenses_of(client, *document));
  });
  documents.on_turn_milestone([&client](const Document&) {
    if (client.can.codeLensRefresh)
      client.endpoint->request("workspace/codeLens/refresh", nullptr,
                               [](const protocol::Result&) {});
  });
}

}  // namespace agent_doc::lsp
