// What it is: the running turn as the client's own progress display with a cancel button:
// `window/workDoneProgress/create`, `$/progress`.
// What it is not: pace; turn_updates.hpp decides when there is something to show.
// Thread rule: the server's thread only.
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
    Idle,      ///< -> Creating
    Creating,  ///< the client was asked for a place to show it -> Shown, Idle (refused, or the turn
               ///< is over)
    Shown,     ///< -> Idle
  };

  void create();
  void begin();
  void end(const std::string& message);

  Client& client_;
  State state_ = State::Idle;
  std::string turn_;  ///< the last turn that was shown
  std::string title_;
  std::string message_;  ///< what is on the screen, or should be once it is created
  bool over_ = false;
  Lifeline lifeline_;
};

/// `window/workDoneProgress/cancel`: calls `stop` with the id of the turn.
void bind_progress_cancel(protocol::Endpoint& endpoint,
                          std::function<void(const std::string& turn)> stop);

}  // namespace agent_doc::lsp
