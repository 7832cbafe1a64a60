// Reports the running turn of one document: `agentDoc/turn` and `agentDoc/reply` to clients that
// want them, and the client's own progress display. Limited to a rate that a person can read. The
// reply itself reaches the text through apply_edit.hpp.
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

/// Minimum time between two updates of one turn while its state is unchanged.
inline constexpr std::chrono::milliseconds kTurnUpdateInterval{100};

/// Returns the payload of `agentDoc/turn`.
protocol::TurnParams turn_params(const std::string& uri, const session::TurnView& view);

class TurnUpdates {
 public:
  TurnUpdates(Client& client, Environment& environment, std::string uri);

  /// Sets the URI that the client uses from now on.
  void rename(std::string uri) { uri_ = std::move(uri); }

  /// Returns true when the turn reached a state that looks new to the user.
  bool turn_changed(const session::TurnView& view);
  void reply_changed(const std::string& turn, std::size_t offset, std::string_view text);

 private:
  bool is_urgent(const session::TurnView& view) const;
  void send();

  Client& client_;
  Environment& environment_;
  std::string uri_;
  WorkDoneProgress progress_;
  std::optional<session::TurnView> latest_;  ///< sent, or pending until `later_` fires
  session::TimePoint sent_at_;
  PendingHandle later_;
};

}  // namespace agent_doc::lsp
