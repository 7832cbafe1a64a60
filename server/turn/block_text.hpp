// What it is: the raw text of one block of a message, kept right over deltas, snapshots and
// replays. Every update costs what came, not what is there.
// What it is not: it does not know where its block stands in the reply, and changes no character
// (sanitiser.hpp, tag_filter.hpp).
// Thread rule: not thread-safe; a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

class BlockText {
 public:
  /// What an update did to text().
  struct Change {
    std::size_t kept = 0;        ///< the first bytes that are as before
    bool changed = false;        ///< false: nothing happened
    bool cut = false;            ///< bytes behind `kept` were taken away; else the text only grew
    bool repaired = false;       ///< a snapshot disagreed
    std::uint64_t replayed = 0;  ///< bytes that came again and were swallowed
  };

  /// The block begins, or begins again: then what comes is compared with what is there, and
  /// swallowed while it agrees.
  void start();
  /// Its message is sent anew. The text stays until the new one disagrees.
  void restart_message();
  Change delta(std::string_view piece);
  /// The whole text so far, in the agent's own words: it wins. One that is a beginning of what is
  /// there is stale.
  Change snapshot(std::string_view whole);

  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kNotReplaying = static_cast<std::size_t>(-1);
  Change append(std::string_view piece);
  Change replay(std::string_view piece);

  std::string text_;
  std::size_t cursor_ = kNotReplaying;  ///< while replaying: what was sent again so far
  bool may_continue_ =
      false;  ///< the text was pre-filled: the next delta either repeats it or goes on behind it
  bool restart_pending_ = false;
  bool fresh_ = false;      ///< begun, and no delta since
  bool had_delta_ = false;  ///< since its message began
};

}  // namespace agent_doc::turn
