// What it is: what an agent writes on standard error, and how long it has said nothing else: after
// a while of silence its last line there stands in the status, and what it wrote in the silence
// tells why a turn failed or was stopped.
// What it is not: it has no clock. What it returns is hostile text made visible (text/visible.hpp),
// one line or several.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/session/edit_pacer.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::session {

/// So long an agent says nothing before the last line of its standard error takes the place of its
/// status.
inline constexpr std::chrono::milliseconds kSilenceLimit{5000};
/// A line that follows waits so long: an agent may write many.
inline constexpr std::chrono::milliseconds kSilenceInterval{1000};
/// Kept of what a turn's agent writes on standard error, the newest.
inline constexpr std::size_t kMaxErrorOutput = 16 * 1024;

class Silence {
 public:
  explicit Silence(TimePoint now) : next_look_(now + kSilenceLimit) {}

  /// A line of the agent's standard output, or the person's answer to its question: what was
  /// written before tells no more why nothing comes.
  void heard(TimePoint now);
  /// What that line had to say was said. Until then it may be the failure that the silence before
  /// it led to.
  void settled() { told_from_ = silent_from_; }
  /// Any bytes, cut anywhere.
  void error_output(std::string_view bytes);

  /// When wake() must be called, if at all.
  std::optional<TimePoint> wakeup() const;
  void wake(TimePoint now);
  /// The last line that was written since the agent was heard, when that is long ago; else empty.
  /// Changed by wake() and heard().
  const std::string& status() const { return status_; }
  /// The last lines that were written since the agent was heard, or in the silence that the line
  /// ended which is not settled yet; empty when there are none.
  std::string written_in_silence() const;
  /// All that was kept.
  std::string written() const;

 private:
  TimePoint next_look_;   ///< not before it
  bool changed_ = false;  ///< something was written since the last look
  std::string status_;
  std::string kept_;             ///< at most twice kMaxErrorOutput, so that a byte costs O(1)
  std::size_t silent_from_ = 0;  ///< of kept_: written since the agent was heard
  std::size_t told_from_ = 0;    ///< the same, before the line that is not settled
};

}  // namespace agent_doc::session
