// What it is: the edits of one document on their way to the client: an OutgoingEdit becomes
// `workspace/applyEdit`, the client's answer becomes a sync::Answer.
// What it is not: it decides nothing. Whether an edit landed is for the SyncEngine to see; how long
// an answer may take, for the session.
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/sync/sync_engine.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace agent_doc::lsp {

class ApplyEdit {
 public:
  /// `answered` is called at most once per send(), never before it returns.
  ApplyEdit(Client& client, Environment& environment, std::string uri,
            std::function<void(sync::Answer)> answered);

  /// The client calls the document so from now on.
  void rename(std::string uri) { uri_ = std::move(uri); }

  /// `shadow` is the text at `edit.base_version`. The answer to an earlier edit is of no interest
  /// any more.
  void send(const sync::OutgoingEdit& edit, const text::TextBuffer& shadow);
  /// The answer to the last edit is of no interest any more.
  void forget() { ++flight_; }

 private:
  void settle(std::uint64_t flight, sync::Answer answer);

  Client& client_;
  Environment& environment_;
  std::string uri_;
  std::function<void(sync::Answer)> answered_;
  std::uint64_t flight_ = 0;  ///< number of the edit whose answer is awaited
  bool sending_ = false;
  PendingHandle later_;
  Lifeline lifeline_;
};

}  // namespace agent_doc::lsp
