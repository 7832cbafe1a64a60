// What it is: the running turn of one document as the client sees it: `agentDoc/turn` and
// `agentDoc/reply` for clients that ask for them, the client's progress display for the others'
// sake too; at most so often as a person can read.
// What it is not: the reply in the document's text (apply_edit.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/agent_doc.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/turns/work_done_progress.hpp"
#include "server/session/turn_view.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::lsp {

/// Between two updates of one turn, unless its state changes.
inline constexpr std::chrono::milliseconds kTurnUpdateInterval{100};

/// The payload of `agentDoc/turn`.
protocol::TurnParams turn_params(const std::string& uri, const session::TurnView& view);

class TurnUpdates {
 public:
  TurnUpdates(Client& client, Environment& environment, std::string uri);

  /// The client calls the document so from now on.
  void rename(std::string uri) { uri_ = std::move(uri); }

  /// True when the turn came to a new state, as far as a person can see.
  bool turn_changed(const session::TurnView& view);
  void reply_changed(const std::string& turn, std::size_t offset, std::string_view text);

 private:
  bool is_urgent(const session::TurnView& view) const;
  void send();

  Client& client_;
  Environment& environment_;
  std::string uri_;
  WorkDoneProgress progress_;
  std::optional<session::TurnView> latest_;  ///< sent, or to be sent when `later_` calls back
  session::TimePoint sent_at_;
  PendingHandle later_;
};

}  // namespace agent_doc::lsp
