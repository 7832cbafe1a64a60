// What it is: where a region stands in the text, and which bytes of it are ours; moved by every
// change. The engine keeps two sets of them while an edit may or may not have landed.
// What it is not: it does not decide what is written.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/text/edit.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

/// Bytes that we inserted: [begin, begin + length) of the text are the reply's bytes from
/// `reply_begin` on.
struct OwnedSpan {
  std::size_t begin = 0;
  std::size_t length = 0;
  std::size_t reply_begin = 0;
  bool stale = false;  ///< no longer part of the reply: to be deleted
  /// Of a stale one: which replacement of the reply's end took it out, so that its bytes are known
  /// by `reply_begin`, those of the reply before it. 0: nobody knows.
  std::uint32_t replacement = 0;

  std::size_t end() const { return begin + length; }
};

/// Text of the reply that one change took from its end.
struct UndoneText {
  std::string text;  ///< empty: more than text of the reply went, so no redo is known by it
  std::size_t reply_begin = 0;
  std::size_t valid = 0;          ///< so many of its bytes are still part of the reply
  bool white_space = false;       ///< no undo: editors trim lines when they save
  std::string behind = {};        ///< what went with it from behind the reply
  std::uint32_t replacement = 0;  ///< of the bytes that are no longer part of it (OwnedSpan)
};

/// A heading that one change took out, with all of its reply or without it. By an undo, a redo or a
/// paste it comes back.
struct LostBlock {
  std::string removed;  ///< all that went
  /// Bytes of `removed`.
  std::size_t frame_begin = 0;
  std::size_t heading_begin = 0;
  std::size_t heading_end = 0;
  std::size_t head_end = 0;  ///< these three may be behind it: then the reply stayed, …
  std::size_t end = 0;
  std::size_t frame_end = 0;
  bool is_whole = false;  ///< … or not: then the reply is where its block is
  std::vector<OwnedSpan> owned;
  std::string white_space;  ///< the end of the reply that stayed
};

struct RegionMarks {
  bool framed = false;    ///< false: only `place` counts
  std::size_t place = 0;  ///< where the frame goes
  text::Bias place_bias = text::Bias::Right;
  std::size_t frame_begin = 0;
  std::size_t heading_begin = 0;  ///< the frame's head without its blank lines
  std::size_t heading_end = 0;
  std::size_t head_end = 0;
  std::size_t end = 0;  ///< the insertion point: text that is typed exactly here stays behind it
  std::size_t frame_end = 0;
  std::size_t below = 0;         ///< where what follows the line ends of the frame's tail begins
  std::size_t closing = 0;       ///< of a ComponentBody: where its closing marker begins
  std::vector<OwnedSpan> owned;  ///< ascending; those that are stale come after those that are not

  // What changes did to the region, judged when no edit is undecided.
  bool heading_deleted = false;
  std::shared_ptr<const LostBlock> lost;  ///< while heading_deleted
  bool tail_deleted = false;
  bool tail_restored = false;
  std::vector<UndoneText>
      undone;  ///< deleted from the tail, the latest at the back: a redo brings it back
};

/// Moves the marks by a change that somebody else made. `removed`: the bytes that it replaces;
/// `text`: the whole text before it.
void map_foreign_change(RegionMarks& marks, const text::Edit& edit, std::string_view text);
/// The same by an edit of ours: nothing is judged.
void map_own_edit(RegionMarks& marks, const text::Edit& edit);

/// Whether some of our text there is to be deleted.
bool has_stale(const RegionMarks& marks);

/// Whether the last of our text there is to be deleted. Returns where that begins, or nothing.
std::optional<std::size_t> stale_tail(const RegionMarks& marks);

/// From reply offset `offset` on nothing owned is part of the reply any more. `replacement` is
/// another number for each of a reply.
void mark_stale_from(RegionMarks& marks, std::size_t offset, std::uint32_t replacement);
void mark_stale_from(std::vector<OwnedSpan>& owned, std::size_t offset, std::uint32_t replacement);

/// Bytes that a replacement took out of the reply, and that are said again.
struct SaidAgain {
  std::uint32_t replacement = 0;
  std::size_t old_offset = 0;  ///< in the reply before it
  std::size_t offset = 0;      ///< in the reply now
  std::size_t length = 0;
};
/// Those of them that stand there are part of the reply again. Returns up to which byte of the
/// reply now; 0 where there are none.
std::size_t revalidate(RegionMarks& marks, const SaidAgain& said);
/// The white space that somebody took from the end of the reply's first `landed` bytes: it comes
/// back before the next text.
std::string white_space_gone(const RegionMarks& marks, std::size_t landed);

/// Adds a span behind all others that are not stale, joined with the one before it where both text
/// and reply go on.
void add_owned(std::vector<OwnedSpan>& owned, OwnedSpan span);

}  // namespace agent_doc::sync
