// What it is: the thoughts of the main agent in one turn, each told once and whole, whatever of
// them stands in the document.
// What it is not: the reply (reply.hpp), which takes thoughts out of the text or folds them.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/sanitiser.hpp"
#include "server/turn/tag_filter.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// Of one thought; more is told as another one.
inline constexpr std::size_t kMaxThought = 1024 * 1024;
/// Thoughts that are remembered, so that one that is sent again is told once.
inline constexpr std::size_t kMaxKnownThoughts = 10'000;

class Thoughts {
 public:
  using Tell = std::function<void(std::string_view thought)>;

  explicit Thoughts(Tell tell) : tell_(std::move(tell)) {}

  /// Tells a thought as soon as something else follows it.
  void on_event(const plugins::AgentEvent& event);
  /// The turn is over.
  void finish();

 private:
  class Tags;

  void thought(const plugins::BlockKey& key, std::string_view text);
  void whole_thought(std::string_view text);
  void text(const plugins::BlockKey& key, std::string_view text);
  void tell_open();
  void tell(const std::string& thought);

  Tell tell_;
  std::string open_;     ///< the thought that comes
  std::string of_;       ///< its block
  std::string text_of_;  ///< the block of text that comes
  TagFilter tags_;       ///< of that
  std::set<std::size_t> known_;
};

}  // namespace agent_doc::turn
