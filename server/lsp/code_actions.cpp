#include "server/lsp/code_actions.hpp"

#include "protocol/agent_doc.hpp"
#include "protocol/lsp.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace code_actions_internal {

struct Offer {
  std::string_view title;
  std::string_view command;
};

std::vector<Offer> offers_for(const Document& document) {
  std::vector<Offer> offers;
  const bool running = document.session().turn_running();
  offers.push_back(running ? Offer{"agent-doc: Stop", protocol::kStopCommand} : Offer{"agent-doc: Run", protocol::kRunCommand});
  if (document.session().can_continue_reply())
    offers.push_back({"agent-doc: Write the rest of the reply", protocol::kContinueReplyCommand});
  return offers;
}

/// A kind covers itself and everything below it; the empty kind covers all (LSP 3.17, CodeActionKind).
bool asks_for_ours(const protocol::CodeActionParams& params) {
  if (!params.only) return true;
  return std::any_of(params.only->begin(), params.only->end(),
                     [](const std::string& kind) { return kind.empty() || kind == kCodeActionKind; });
}

json::value encode_offer(const Offer& offer, const std::string& uri, const Client& client) {
  protocol::Command command{std::string(offer.title), std::string(offer.command), json::object{{"uri", uri}}};
  if (!client.can.codeActionLiterals) return protocol::encode(command);
  return protocol::encode(protocol::CodeAction{std::string(offer.title), std::string(kCodeActionKind), std::move(command)});
}

}  // namespace code_actions_internal

void bind_code_actions(protocol::Endpoint& endpoint, const Client& client, const Documents& documents) {
  endpoint.on_request("textDocument/codeAction", [&client, &documents](const json::value& params, protocol::Replier reply) {
    const auto request = protocol::decode_code_action(params);
    json::array actions;
    const Document* document = documents.find(request.uri);
    if (document != nullptr && code_actions_internal::asks_for_ours(request)) {
      for (const auto& offer : code_actions_internal::offers_for(*document)) {
        actions.push_back(code_actions_internal::encode_offer(offer, document->place().uri, client));
      }
    }
    reply.result(std::move(actions));
  });
}

}  // namespace agent_doc::lsp
