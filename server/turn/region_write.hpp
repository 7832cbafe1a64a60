// What it is: how a turn says what is to be written: one shape for all that an agent's words do to
// a region of the document.
// What it is not: it knows no document, no line ends ("\n" only) and no place: what a name stands
// for is for who applies it.
// Thread rule: plain values.
#pragma once

#include <cstddef>
#include <string_view>

namespace agent_doc::turn {

/// The region of the reply. An inline document has no other.
inline constexpr std::string_view kReplyRegion = "reply";

/// The text of `region` is now its first `offset` bytes and `text`.
struct RegionWrite {
  std::string_view region;
  std::size_t offset = 0;
  std::string_view text;
};

/// Applies what a turn wants written, in the order in which it comes.
class RegionWrites {
 public:
  virtual ~RegionWrites() = default;
  virtual void write(const RegionWrite& write) = 0;
};

}  // namespace agent_doc::turn
