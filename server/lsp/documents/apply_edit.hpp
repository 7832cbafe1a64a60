// The edits of one document on their way to the client: an OutgoingEdit becomes
// `workspace/applyEdit`, and the client's response a sync::Answer. Whether an edit landed is
// decided by the SyncEngine, and how long a response may take by the session.
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
  /// `answered` is called at most once per send(), and not before it returns.
  ApplyEdit(Client& client, Environment& environment, std::string uri,
            std::function<void(sync::Answer)> answered);

  /// Sets the URI that the client uses from now on.
  void rename(std::string uri) { uri_ = std::move(uri); }

  /// Sends `edit`. `shadow` is the text at `edit.base_version`. The response to an earlier edit is
  /// ignored from now on.
  void send(const sync::OutgoingEdit& edit, const text::TextBuffer& shadow);
  /// Ignores the response to the last edit.
  void forget() { ++flight_; }

 private:
  void settle(std::uint64_t flight, sync::Answer answer);

  Client& client_;
  Environment& environment_;
  std::string uri_;
  std::function<void(sync::Answer)> answered_;
  std::uint64_t flight_ = 0;  ///< number of the edit whose response is awaited
  bool sending_ = false;
  PendingHandle later_;
  Lifeline lifeline_;
};

}  // namespace agent_doc::lsp
