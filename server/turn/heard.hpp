// What it is: whether an agent said or did anything in a turn, for all agents alike: a turn in
// which it did not is no success, whatever the agent calls it.
// What it is not: the reply; what was heard may be no part of it (a thought, a tool call).
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/agent.hpp"

#include <cstdint>

namespace agent_doc::turn {

class Heard {
 public:
  void on_event(const plugins::AgentEvent& event);
  /// Returns whether there was a word of text or thought, a tool call, a question, a failure, or a
  /// session that was shortened. What was not understood, what stands in the status line, warnings,
  /// and what was used are none of these.
  bool anything() const { return anything_; }
  /// Returns how many lines, or parts of them, were not understood.
  std::uint64_t not_understood() const { return not_understood_; }

 private:
  class EventVisitor;

  bool anything_ = false;
  std::uint64_t not_understood_ = 0;
};

}  // namespace agent_doc::turn
