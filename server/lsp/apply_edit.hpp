// What it is: the edits of one document on their way to the client: an OutgoingEdit becomes `workspace/applyEdit`, the client's answer (or none in
// time) becomes a sync::Answer.
// What it is not: it decides nothing; whether an edit landed is for the SyncEngine to see.
// Thread rule: the server's thread only. One edit at a time.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/sync/sync_engine.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace agent_doc::lsp {

/// A client that says nothing for so long will not: what its text shows decides.
inline constexpr std::chrono::seconds kEditAnswerTimeout{10};

class ApplyEdit {
 public:
  /// `answered` is called exactly once per send(), never before it returns.
  ApplyEdit(Client& client, Environment& environment, std::string uri, std::function<void(sync::Answer)> answered);

  /// `shadow` is the text at `edit.base_version`.
  void send(const sync::OutgoingEdit& edit, const text::TextBuffer& shadow);

 private:
  void settle(std::uint64_t flight, sync::Answer answer);

  Client& client_;
  Environment& environment_;
  std::string uri_;
  std::function<void(sync::Answer)> answered_;
  std::uint64_t flight_ = 0;  ///< number of the edit that waits for its answer
  bool waiting_ = false;
  bool sending_ = false;
  PendingHandle timeout_;
  Lifeline lifeline_;
};

}  // namespace agent_doc::lsp
