// What it is: what ids tell of the messages of an agent that nobody described: whether the `id` at
// the top of a line is its message's or only the line's own, and which block of a named message a
// text is.
// What it is not: it looks for no id in a line (generic_lines.hpp).
// Thread rule: not thread-safe; one per turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Texts whose growth is watched, by message; more are taken for deltas.
inline constexpr std::size_t kMaxWatchedTexts = 10'000;

class TopLevelIds {
 public:
  enum class Piece {
    Part,     ///< it says that it is new text of something
    Unknown,  ///< it may be all of its message
  };

  /// `id` of a line with text, may be empty. Returns the message that it belongs to; empty when ids
  /// tell nothing of that.
  std::string_view message_of(std::string_view id, Piece piece);
  /// What comes next belongs to another message (a tool was called).
  void next_message();

 private:
  enum class Meaning { Open, Message, Line };

  Meaning meaning_ = Meaning::Open;
  std::string first_;  ///< the first one since the last tool call; while open, nothing contradicted
                       ///< that it is the message's
  std::string message_;  ///< what message_of() returned
};

/// A message may have several blocks under its one name: a whole text that is not the one before
/// it, gone on, is the next of them.
class NamedBlocks {
 public:
  /// Of a whole text; nothing when it says again what all blocks have said.
  std::optional<std::int64_t> of_whole(std::string_view message, std::string_view text);
  /// Of new text: behind a block that is complete it begins the next one.
  std::int64_t of_piece(std::string_view message, std::string_view text);
  /// Its last block is complete.
  void ended(std::string_view message);

 private:
  /// Known once a whole text of it came.
  struct Message {
    std::string before;  ///< the texts of its earlier blocks
    std::string text;    ///< of its last block
    std::int64_t block = 0;
    bool ended = false;
  };
  static void next_block(Message& message);

  std::map<std::string, Message, std::less<>> messages_;
};

}  // namespace agent_doc::plugins
