// The running turn in the client's progress display, with a cancel button:
// `window/workDoneProgress/create` and `$/progress`. turn_updates.hpp decides when to update it.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/session/turn_view.hpp"

#include <functional>
#include <string>

namespace agent_doc::lsp {

class WorkDoneProgress {
 public:
  explicit WorkDoneProgress(Client& client) : client_(client) {}

  void show(const session::TurnView& view);

 private:
  enum class State {
    Idle,  ///< -> Creating
    /// The client was asked to create the display -> Shown, or Idle when it refused or the turn is
    /// over.
    Creating,
    Shown,  ///< -> Idle
  };

  void create();
  void begin();
  void end(const std::string& message);

  Client& client_;
  State state_ = State::Idle;
  std::string turn_;  ///< the last turn that was shown
  std::string title_;
  std::string message_;  ///< what is displayed, or will be once the display exists
  bool over_ = false;
  Lifeline lifeline_;
};

/// Handles `window/workDoneProgress/cancel`: calls `stop` with the id of the turn.
void bind_progress_cancel(protocol::Endpoint& endpoint,
                          std::function<void(const std::string& turn)> stop);

}  // namespace agent_doc::lsp
