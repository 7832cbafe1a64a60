// What it is: the messages of the main agent in one turn and their blocks, and which block an event
// is about.
// What it is not: it decides nothing about the reply (reply.cpp).
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/block_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace agent_doc::turn {

inline constexpr std::size_t kNoSegment = static_cast<std::size_t>(-1);

struct Block {
  plugins::BlockKind kind = plugins::BlockKind::Text;
  BlockText text;
  std::size_t segment = kNoSegment;  ///< of the reply; none before its first text
  bool has_snapshot =
      false;  ///< one that did not tell its index; nothing else came for the block since
  bool index_is_guess = false;  ///< known by snapshots only, which do not tell the index
  bool given_up = false;        ///< the agent abandoned it: it stands until something replaces it
};

struct Message {
  std::map<std::int64_t, Block> blocks;
  std::size_t last_segment = kNoSegment;
  bool ended = false;
  bool cut =
      false;  ///< ended at the limit of its length: the next message goes on where it stopped
  std::array<std::int64_t, 2>
      all_snapshots_below{};  ///< by kind: blocks before this index have their snapshot
};

struct FoundBlock {
  Block& block;
  std::size_t disturbed =
      kNoSegment;  ///< the first segment whose blocks changed their order, or went, to make place
};

class Messages {
 public:
  Message* find(std::string_view id);
  Message& get(std::string_view id);

  /// The block that stands, or will stand, at `index`. A block of the same kind that was known by
  /// snapshots only is taken for it; one of another kind makes place.
  static FoundBlock at_index(Message& message, std::int64_t index, plugins::BlockKind kind);
  /// For a snapshot that does not tell its index: the first block of `kind` that has not got one
  /// yet, else a new last block.
  static Block& for_snapshot(Message& message, plugins::BlockKind kind);
  /// The agent begins to send the whole message anew.
  static void restart(Message& message);

 private:
  std::map<std::string, Message, std::less<>> by_id_;
  std::map<std::string, Message, std::less<>>::iterator last_ = by_id_.end();
};

}  // namespace agent_doc::turn
