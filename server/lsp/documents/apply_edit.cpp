#include "server/lsp/documents/apply_edit.hpp"

#include "protocol/fields.hpp"

#include <utility>
#include <variant>

namespace agent_doc::lsp {

namespace {

sync::Answer read_answer(const protocol::Result& result) {
  const auto* value = std::get_if<boost::json::value>(&result);
  if (value == nullptr) return sync::Answer::Failed;
  try {
    return protocol::decode_applied(*value) ? sync::Answer::Applied : sync::Answer::Refused;
  } catch (const protocol::InvalidField&) {
    return sync::Answer::Failed;
  }
}

}  // namespace

ApplyEdit::ApplyEdit(Client& client, Environment& environment, std::string uri,
                     std::function<void(sync::Answer)> answered)
    : client_(client),
      environment_(environment),
      uri_(std::move(uri)),
      answered_(std::move(answered)) {}

void ApplyEdit::send(const sync::OutgoingEdit& edit, const text::TextBuffer& shadow) {
  protocol::ApplyWorkspaceEditParams params;
  params.uri = uri_;
  params.version = edit.base_version;
  params.range = {shadow.position_of(edit.edit.begin, client_.encoding),
                  shadow.position_of(edit.edit.end, client_.encoding)};
  params.newText = edit.edit.replacement;
  const auto form = client_.can.documentChanges ? protocol::WorkspaceEditForm::DocumentChanges
                                                : protocol::WorkspaceEditForm::Changes;

  auto on_result = [this, flight = ++flight_](const protocol::Result& result) {
    settle(flight, read_answer(result));
  };
  sending_ = true;
  client_.endpoint->request("workspace/applyEdit", protocol::encode(params, form),
                            lifeline_.tie(std::move(on_result)));
  sending_ = false;
}

void ApplyEdit::settle(std::uint64_t flight, sync::Answer answer) {
  if (flight != flight_) return;
  if (sending_) {  // the connection is closed, so nothing was sent
    later_ = environment_.schedule(environment_.now(),
                                   [this, flight, answer] { settle(flight, answer); });
    return;
  }
  forget();
  answered_(answer);
}

}  // namespace agent_doc::lsp
