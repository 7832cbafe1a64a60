#include "server/turn/messages.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::turn {
namespace {

std::int64_t next_index(const Message& message) {
  return message.blocks.empty() ? 0 : message.blocks.rbegin()->first + 1;
}

std::int64_t& all_snapshots_below(Message& message, plugins::BlockKind kind) {
  return message.all_snapshots_below[kind == plugins::BlockKind::Text ? 0 : 1];
}

}  // namespace

Message* Messages::find(std::string_view id) {
  if (last_ != by_id_.end() && last_->first == id) return &last_->second;
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return nullptr;
  last_ = found;
  return &found->second;
}

Message& Messages::get(std::string_view id) {
  if (Message* message = find(id)) return *message;
  last_ = by_id_.emplace(std::string(id), Message{}).first;
  return last_->second;
}

FoundBlock Messages::at_index(Message& message, std::int64_t index, plugins::BlockKind kind) {
  std::int64_t& done = all_snapshots_below(message, kind);
  done = std::min(done, index);
  const auto there = message.blocks.find(index);
  if (there != message.blocks.end() && !there->second.index_is_guess &&
      there->second.kind == kind) {
    there->second.has_snapshot = false;
    return {there->second};
  }
  const auto guessed =
      std::find_if(message.blocks.begin(), message.blocks.end(), [kind](const auto& entry) {
        return entry.second.index_is_guess && entry.second.kind == kind;
      });
  std::size_t disturbed = kNoSegment;
  std::map<std::int64_t, Block>::node_type own;
  if (guessed != message.blocks.end()) {
    if (guessed->first != index) disturbed = guessed->second.segment;
    own = message.blocks.extract(guessed);
  }
  if (auto other = message.blocks.extract(index); !other.empty()) {
    disturbed = std::min(disturbed, other.mapped().segment);
    if (other.mapped().index_is_guess) {
      other.key() = std::max(next_index(message), index + 1);
      message.blocks.insert(std::move(other));
    }
  }
  if (own.empty()) {
    Block& block = message.blocks[index];
    block.kind = kind;
    return {block, disturbed};
  }
  own.key() = index;
  own.mapped().index_is_guess = false;
  own.mapped().has_snapshot = false;
  return {message.blocks.insert(std::move(own)).position->second, disturbed};
}

Block& Messages::for_snapshot(Message& message, plugins::BlockKind kind) {
  std::int64_t& done = all_snapshots_below(message, kind);
  for (auto entry = message.blocks.lower_bound(done); entry != message.blocks.end(); ++entry) {
    done = entry->first;
    if (entry->second.kind != kind || entry->second.has_snapshot) continue;
    entry->second.has_snapshot = true;
    return entry->second;
  }
  done = next_index(message);
  Block& block = message.blocks[done];
  block.kind = kind;
  block.has_snapshot = true;
  block.index_is_guess = true;
  return block;
}

void Messages::restart(Message& message) {
  message.all_snapshots_below = {};
  for (auto& [index, block] : message.blocks) {
    block.text.restart_message();
    block.has_snapshot = false;
    block.given_up = false;
  }
}

}  // namespace agent_doc::turn
