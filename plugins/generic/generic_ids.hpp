// Interprets the ids of an unknown agent: whether the top-level `id` of a line names the message or
// only the line, and which block of a named message a text is. generic_lines.hpp finds the ids. Use
// one for each turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// How many texts are tracked, by message; further ones count as deltas.
inline constexpr std::size_t kMaxWatchedTexts = 10'000;

class TopLevelIds {
 public:
  enum class Piece {
    Part,     ///< marked as an addition to something
    Unknown,  ///< possibly the complete message
  };

  /// Returns the message that a line with text and this `id` (possibly empty) belongs to, or an
  /// empty view when ids do not tell.
  std::string_view message_of(std::string_view id, Piece piece);
  /// Begins another message, because a tool was called.
  void next_message();

 private:
  enum class Meaning { Open, Message, Line };

  Meaning meaning_ = Meaning::Open;
  /// The first id since the last tool call; while Open, nothing contradicts that it is the
  /// message's.
  std::string first_;
  std::string message_;  ///< the last result of message_of()
};

/// Separates the blocks that a message has under one name: a complete text that does not continue
/// the previous one is the next block.
class NamedBlocks {
 public:
  /// Returns the block of a complete text; nullopt when it repeats the text of all blocks.
  std::optional<std::int64_t> of_whole(std::string_view message, std::string_view text);
  /// Returns the block of an addition, which begins the next block after a complete one.
  std::int64_t of_piece(std::string_view message, std::string_view text);
  /// Marks the last block of `message` as complete.
  void ended(std::string_view message);

 private:
  /// Exists once a complete text of the message arrived.
  struct Message {
    std::string before;  ///< the texts of the earlier blocks
    std::string text;    ///< the text of the last block
    std::int64_t block = 0;
    bool ended = false;
  };
  static void next_block(Message& message);

  std::map<std::string, Message, std::less<>> messages_;
};

}  // namespace agent_doc::plugins
