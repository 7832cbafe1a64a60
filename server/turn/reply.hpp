// What it is: the text of one turn as it should stand in the document, kept right after every
// AgentEvent (ARCHITECTURE, "From an agent's lines to the reply's text"): deltas append, a snapshot
// wins over the deltas of its block, replays are swallowed, rounds replace or follow.
// What it is not: it knows nothing of the document, of line ends ("\n" only) and of how edits
// travel; the phases and states are in turn.hpp.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/region_write.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// `rounds:` of the front matter.
enum class Rounds {
  Last,  ///< a new round replaces the text of the one before it
  All,   ///< every round stays, separated by a blank line
};

/// `thinking:` of the front matter.
enum class Thinking {
  None,  ///< never in the document
  Fold,  ///< in a `<details>` block before the text
};

struct ReplyCounts {
  std::uint64_t deltas = 0;
  std::uint64_t snapshots = 0;
  std::uint64_t repaired_snapshots = 0;  ///< a snapshot that diverged from its deltas
  std::uint64_t replayed_bytes = 0;      ///< swallowed, since they came twice
};

class Reply {
 public:
  /// Writes into kReplyRegion.
  Reply(Rounds rounds, Thinking thinking, RegionWrites& writes);
  ~Reply();
  Reply(Reply&&) noexcept;

  void on_event(const plugins::AgentEvent& event);
  /// The turn is over: what was held back is written (a tag that may have gone on, a fence or HTML
  /// comment that is still open is closed). Where its last message only says what the turn has
  /// failed for (`failure`), that message is taken back.
  void finish(std::string_view failure = {});

  /// The whole reply now. Always equal to all writes applied in order.
  const std::string& text() const;
  /// True from the first text of the reply on.
  bool has_text() const;
  const ReplyCounts& counts() const;
  /// Texts of the rounds that were replaced, oldest first.
  const std::vector<std::string>& earlier_rounds() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace agent_doc::turn
