#include "plugins/generic/generic_ids.hpp"

#include "plugins/claude/claude_messages.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// Returns true for a number, which counts lines and names nothing.
bool is_number(std::string_view id) {
  return std::all_of(id.begin(), id.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string_view TopLevelIds::message_of(std::string_view id, Piece piece) {
  if (id.empty() || is_number(id)) return {};
  if (meaning_ == Meaning::Open && !first_.empty()) {
    const bool is_other = id != first_;
    meaning_ = is_other && piece == Piece::Part ? Meaning::Line : Meaning::Message;
  }
  if (first_.empty()) first_ = id;
  message_ = meaning_ == Meaning::Line ? first_ : std::string(id);
  return message_;
}

void TopLevelIds::next_message() {
  first_.clear();
}

std::optional<std::int64_t> NamedBlocks::of_whole(std::string_view message, std::string_view text) {
  const auto known = messages_.find(message);
  if (known == messages_.end()) {
    if (messages_.size() < kMaxWatchedTexts)
      messages_.emplace(message, Message{{}, std::string(text)});
    return 0;
  }
  Message& whole = known->second;
  if (whole.block > 0 && text == whole.before + whole.text) return std::nullopt;
  const bool is_same = whole.text.starts_with(text) || text.starts_with(whole.text);
  if (!is_same) next_block(whole);
  whole.text = text;
  return whole.block;
}

std::int64_t NamedBlocks::of_piece(std::string_view message, std::string_view text) {
  const auto known = messages_.find(message);
  if (known == messages_.end()) return 0;
  if (std::exchange(known->second.ended, false)) next_block(known->second);
  known->second.text += text;
  return known->second.block;
}

void NamedBlocks::ended(std::string_view message) {
  if (const auto known = messages_.find(message); known != messages_.end())
    known->second.ended = true;
}

void NamedBlocks::next_block(Message& message) {
  message.before += std::exchange(message.text, {});
  message.block = std::min(message.block + 1, kMaxBlockIndex);
}

}  // namespace agent_doc::plugins
