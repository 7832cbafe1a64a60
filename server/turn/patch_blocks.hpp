// What it is: splits a reply into what is said and what is meant for components of the document:
// `<!-- patch:NAME -->` … `<!-- /patch:NAME -->` (also `replace:NAME`), while the reply streams.
// What it is not: it knows no document and no component's mode; who applies the blocks does.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "server/markdown/block_parser.hpp"
#include "server/turn/patch_block.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// A line that may hold a marker waits for its end, up to this many bytes; then it is text.
inline constexpr std::size_t kMaxMarkerLine = 4096;
/// Of one reply; what follows is text.
inline constexpr std::size_t kMaxPatchBlocks = 1000;

/// Applies the parts of a reply, in the order in which they come. Part 0 is what is outside of all
/// blocks; part N is block N - 1.
class PatchPartWrites {
 public:
  virtual ~PatchPartWrites() = default;
  /// The text of `part` is now its first `offset` bytes and `text`. The first write of a block
  /// begins it.
  virtual void write_part(std::size_t part, std::size_t offset, std::string_view text) = 0;
  /// The reply has taken block `part` back; it was the last one.
  virtual void withdraw_part(std::size_t part) = 0;
};

/// Where the block of a name goes.
enum class PatchTarget : std::uint8_t {
  Nowhere,    ///< there is no such component: markers and block are text
  Component,  ///< a part of its own
  Reply,      ///< the component that the reply itself is in: the block is said
};

class PatchBlocks {
 public:
  /// Gives the same answer during a turn.
  using TargetOf = std::function<PatchTarget(std::string_view name)>;
  PatchBlocks(TargetOf target_of, PatchPartWrites& writes);

  /// The reply is now its first `offset` bytes and `text`. Costs O(offset) where that cuts it.
  void write(std::size_t offset, std::string_view text);
  /// No more will come: what was held back is text.
  void finish();

  /// In the order of the reply. Parts have neither the line end after an opening marker nor those
  /// around them.
  const std::vector<PatchBlock>& blocks() const { return state_.blocks; }

 private:
  enum class LineEnd : std::uint8_t { Missing, There };
  /// All that follows from the reply so far; nothing in it depends on how the reply was cut.
  struct State {
    markdown::BlockParser parser;          ///< of the part that is written
    markdown::BlockParser outside_parser;  ///< of part 0 while a block is written
    std::size_t at = 0;                    ///< bytes of the reply that are in parts
    std::size_t line_begin = 0;            ///< of the line that `at` is in
    std::size_t part = 0;                  ///< that is written now
    std::string said_marker;  ///< of the block for the reply that is open: "patch:NAME"
    std::vector<PatchBlock> blocks;
    std::vector<std::size_t> sizes{0};                 ///< of the parts
    std::size_t line_ends = 0;                         ///< at the end of the part, not written yet
    std::vector<std::string> open_components;          ///< by the part that is written
    std::vector<std::string> outside_open_components;  ///< by part 0 while a block is written
    std::size_t block_line = 0;         ///< where the line begins that its block begins in
    std::size_t outside_line_ends = 0;  ///< those of part 0 while a block is written
    std::size_t line_ends_before = 0;   ///< of part 0, those before the last block
  };
  struct PatchMarker {
    std::size_t length = 0;  ///< 0: there is none
    std::size_t begin = 0;   ///< in its line
    std::size_t end = 0;
    bool is_closing = false;
    PatchKind kind = PatchKind::AsComponentSays;
    std::string_view name;
    std::string_view word;  ///< "patch:NAME"
  };

  void advance(LineEnd end_of_reply);
  /// Returns false when the line must wait for its end.
  bool advance_in_line(std::size_t line_end, LineEnd end);
  void finish_line(std::size_t line_end, LineEnd end);
  void put_long_line(std::string_view line, LineEnd end);
  void take_whole_line(std::string_view line);
  void take_line_with_markers(std::string_view line, PatchMarker marker);
  PatchMarker next_marker(std::string_view line, std::size_t from) const;
  bool is_said_marker_alone(std::string_view line, std::string_view of_outside) const;
  std::string escaped(std::string_view text) const;
  static PatchMarker marker_at(std::string_view text);
  /// Whether a marker begins with `text`, the beginning of a line's rest.
  enum class MarkerBegin : std::uint8_t { No, Perhaps, Yes };
  static MarkerBegin marker_begin(std::string_view text);
  bool is_taken(const PatchMarker& marker) const;
  void take(const PatchMarker& marker);
  void open_block(const PatchMarker& marker);
  void close_block();
  void close_what_is_open();
  bool is_balanced_block(std::string_view line, markdown::LineKind kind);
  void put(std::string_view text);
  void put_line(std::string_view text);
  void flush();

  TargetOf target_of_;
  PatchPartWrites& writes_;
  std::string reply_;
  State state_;
  std::string unwritten_;      ///< of the part that is written now
  bool is_line_gone_ = false;  ///< the line is nothing but a marker of a block that is said
  bool is_silent_ = false;
};

}  // namespace agent_doc::turn
