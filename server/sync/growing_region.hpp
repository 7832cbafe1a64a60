// What it is: one region of the engine: what it still has to write, and where it stands, in the
// text of now and in each text that the edit in flight may have made.
// What it is not: it decides nothing; SyncEngine does.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/sync/marks.hpp"
#include "server/sync/region.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::sync {

/// Of one reply: whoever takes line ends away more often may have the reply in one line with what
/// follows.
inline constexpr int kMaxLineEndsRestored = 50;

enum class RegionEnding { None, Finish, Retract };

struct GrowingRegion {
  RegionId id{};
  RegionKind kind = RegionKind::FramedHeading;
  Frame frame;  ///< of a ComponentBody: no head, and as the tail a line end and the closing marker
  RegionState state = RegionState::Opening;
  RegionEnding ending = RegionEnding::None;
  std::size_t landed =
      0;  ///< so many bytes of the reply are in the text, or were and a person changed them
  std::string pending;  ///< the reply's bytes from `landed` on
  int line_ends_restored = 0;
  std::uint32_t replacements = 0;  ///< so many times its end was replaced
  bool given_up = false;

  RegionMarks marks;  ///< in the shadow, if the edit in flight has not landed
  // These count only while an edit is in flight.
  RegionMarks marks_at_base;     ///< in the text that it was made for
  RegionMarks marks_if_echo;     ///< in the shadow, once Flight::echo says that it may have landed
  RegionMarks marks_if_literal;  ///< in the shadow, while there is a Flight::literal_landing
};

/// Looks where the closing marker of a ComponentBody is, as it may have come back elsewhere than it
/// was. Returns whether it is there.
bool find_closing_marker(GrowingRegion& region, std::string_view text);

/// Line ends that are missing at `place`.
struct Gap {
  std::size_t place = 0;
  std::string line_ends;
};

/// Returns whether the reply would go on in the line of its heading, because what stood between
/// them was deleted.
bool joins_heading(const GrowingRegion& region, std::string_view text);
/// Above a reply that has no text yet: blank lines were tidied, and it would begin in the line of
/// its heading.
std::optional<Gap> gap_above(const GrowingRegion& region);
/// Below the reply: what follows it is a heading only when it begins a line. What a person typed
/// right behind the reply stays there.
std::optional<Gap> gap_below(const GrowingRegion& region, std::string_view text);

}  // namespace agent_doc::sync
