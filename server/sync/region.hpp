// What it is: the words for the part of a document that holds one reply.
// What it is not: how it is kept in place while the text changes (marks.hpp).
// Thread rule: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::sync {

enum class RegionId : std::uint32_t {};

/// What a turn inserts at once, so that the reply grows inside it and never where a person types:
/// `head` + reply + `tail`.
struct Frame {
  std::string head;
  std::string tail;
};

/// What keeps a region in its place.
enum class RegionKind {
  FramedHeading,  ///< it has a heading of its own, and a tail below it: the engine inserts both
  ComponentBody,  ///< it stands between two markers of the document, which the engine never writes
};

/// Where text goes that is typed exactly at the place of a frame before the frame is there.
enum class TypedAtPlace { StaysAbove, GoesBelow };

enum class RegionState {
  Opening,   ///< the frame is not known to be in the text
  Growing,   ///< the reply may be written
  Paused,    ///< the person undid text of it
  Detached,  ///< its place was deleted
  Settled,   ///< finished, and all of it landed (or it was retracted)
};

/// The beginning of a reply that stands in the text already. Bytes of the shadow.
struct StandingReply {
  std::size_t heading_begin = 0;
  std::size_t heading_end = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Bytes [begin, begin + length) of the shadow are a region's text from its byte `text_begin` on.
struct StandingPart {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t text_begin = 0;
};
/// The beginning of a region's text that a person has edited: the parts that are left of it.
struct EditedText {
  std::size_t size = 0;                  ///< of all of it, in bytes
  std::vector<StandingPart> parts = {};  ///< ascending
};

/// A component of a document, for a region that grows in it. Bytes of the shadow.
struct ComponentBody {
  std::size_t opening_begin = 0;  ///< of the marker above it …
  std::size_t opening_end = 0;
  std::size_t begin = 0;  ///< what stands from here …
  std::size_t end = 0;  ///< … to here is the beginning of the region's text: the region grows here
  std::size_t closing_begin = 0;  ///< … and of the one below
  std::size_t closing_end = 0;
  /// What of [begin, end) is the region's text, where that is not all of it.
  std::optional<EditedText> edited = {};
};

/// Bytes of the shadow.
struct RegionExtent {
  std::size_t begin = 0;  ///< behind the frame's head, or where the region began in its component
  std::size_t end = 0;    ///< where the reply grows, before the frame's tail
};

}  // namespace agent_doc::sync
