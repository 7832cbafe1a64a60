#include "server/lsp/features/code_actions.hpp"

#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/features/unseen_offers.hpp"
#include "server/lsp/offers.hpp"
#include "server/lsp/places.hpp"
#include "server/session/document_problems.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

constexpr std::string_view kTitlePrefix = "agent-doc: ";

void append(std::vector<protocol::Command>& to, std::vector<protocol::Command> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

std::vector<protocol::Command> offers_for(const Client& client, const Document& document,
                                          const protocol::CodeActionParams& request) {
  if (!session::is_session_document(document.session())) {
    // A reply may be missing together with the front matter.
    std::vector<protocol::Command> offers = last_turn_offers(document);
    if (request.trigger != protocol::CodeActionTrigger::Automatic)
      offers.insert(offers.begin(), run_offer(document));
    return offers;
  }
  std::vector<protocol::Command> offers = answer_offers(document);
  offers.push_back(document.session().turn_running() ? stop_offer(document) : run_offer(document));
  append(offers, next_prompt_offers(document));
  append(offers,
         unseen_offers(document, client.encoding, offset_of(client, document, request.range.start),
                       offset_of(client, document, request.range.end)));
  append(offers, last_turn_offers(document));
  append(offers, session_offers(document));
  return offers;
}

/// A kind includes all kinds below it; the empty kind includes everything (LSP 3.17,
/// CodeActionKind).
bool asks_for_ours(const protocol::CodeActionParams& params) {
  if (!params.only) return true;
  return std::any_of(params.only->begin(), params.only->end(), [](const std::string& kind) {
    return kind.empty() || kind == kCodeActionKind;
  });
}

json::value encode_offer(protocol::Command offer, const Client& client) {
  offer.title.insert(0, kTitlePrefix);
  if (!client.can.codeActionLiterals) return protocol::encode(offer);
  return protocol::encode(protocol::CodeAction{offer.title, std::string(kCodeActionKind), offer});
}

}  // namespace

void bind_code_actions(protocol::Endpoint& endpoint, const Client& client,
                       const Documents& documents) {
  endpoint.on_request("textDocument/codeAction",
                      [&client, &documents](const json::value& params, protocol::Replier reply) {
                        const auto request = protocol::decode_code_action(params);
                        json::array actions;
                        const Document* document = documents.find(request.uri);
                        if (document != nullptr && asks_for_ours(request)) {
                          for (auto& offer : offers_for(client, *document, request)) {
                            actions.push_back(encode_offer(std::move(offer), client));
                          }
                        }
                        reply.result(std::move(actions));
                      });
}

}  // namespace agent_doc::lsp
