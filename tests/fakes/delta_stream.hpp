// What it is: an endless source of claude's partial messages: each user line is answered by N text
// deltas at a steady pace.
// What it is not: a recording; the frames have only the fields that carry meaning.
// Thread rule: one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace agent_doc::fakes {

/// The text of delta `index` (from 0) of turn `turn` (from 1): "w7 ", every twelfth ends with a
/// newline instead; from turn 2 on "t2w7 ".
std::string delta_text(std::uint64_t turn, std::uint64_t index);

struct DeltaStream {
  std::uint64_t deltas = 0;
  std::chrono::milliseconds interval{0};
  std::chrono::milliseconds thinking{
      0};                  ///< from the line with the session to the first text of a turn
  std::string session_id;  ///< empty: one that is always the same
};

/// Until standard input closes. An interrupt request or SIGINT ends the turn as claude does; after
/// SIGINT the program ends, too. Returns the exit code.
int stream_deltas(DeltaStream stream);

}  // namespace agent_doc::fakes
