// What it is: what a client shows of a turn (`agentDoc/turn`, hovers, lenses).
// What it is not: the turn (current_turn.hpp).
// Thread rule: plain value.
#pragma once

#include "server/turn/turn.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace agent_doc::session {

struct TurnView {
  std::string turn;  ///< id, unique in this server
  turn::TurnState state = turn::TurnState::Starting;
  turn::Phase phase = turn::Phase::Starting;
  std::string status;
  std::string agent;
  std::string model;
  std::string session_id;
  plugins::Usage usage;
  std::chrono::milliseconds elapsed{0};
  plugins::FailureKind failure_kind = plugins::FailureKind::Unknown;  ///< only in state failed
  std::string failure;                         ///< for a person; only in state failed
  std::string health;                          ///< Health::sentence()
  std::optional<turn::Permission> permission;  ///< in state waiting
  bool reply_landed = true;                    ///< the whole reply so far is in the client's text
  bool can_continue = false;                   ///< continue_reply() has something to do
  bool queued = false;                         ///< the next prompt goes when this turn is done
};

}  // namespace agent_doc::session
