#include "server/turn/block_text.hpp"

#include <algorithm>

namespace agent_doc::turn {
namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(shorter), b.begin()).first -
      a.begin());
}

}  // namespace

void BlockText::start() {
  fresh_ = true;
  cursor_ = text_.empty() ? kNotReplaying : 0;
  may_continue_ = !restart_pending_ && !had_delta_;
  restart_pending_ = false;
}

void BlockText::restart_message() {
  restart_pending_ = true;
  had_delta_ = false;
}

BlockText::Change BlockText::delta(std::string_view piece) {
  if (restart_pending_) {
    restart_pending_ = false;
    may_continue_ = false;
    cursor_ = text_.empty() ? kNotReplaying : 0;
  }
  fresh_ = false;
  had_delta_ = true;
  return cursor_ == kNotReplaying ? append(piece) : replay(piece);
}

BlockText::Change BlockText::append(std::string_view piece) {
  Change change;
  change.kept = text_.size();
  change.changed = !piece.empty();
  text_.append(piece);
  return change;
}

BlockText::Change BlockText::replay(std::string_view piece) {
  const std::string_view ahead = std::string_view(text_).substr(cursor_);
  const std::size_t agreed = common_prefix(ahead, piece);
  const bool agrees = agreed == std::min(ahead.size(), piece.size());
  if (!agrees && may_continue_) {
    cursor_ = kNotReplaying;
    return append(piece);
  }
  if (!piece.empty()) may_continue_ = false;
  const std::size_t at = cursor_ + agreed;
  Change change;
  if (agrees && at < text_.size()) {
    cursor_ = at;
    change.kept = text_.size();
  } else {
    cursor_ = kNotReplaying;
    const std::size_t before = text_.size();
    text_.resize(at);
    change = append(piece.substr(agreed));
    change.cut = at < before;
    change.changed = change.changed || change.cut;
  }
  change.replayed = agreed;
  return change;
}

BlockText::Change BlockText::snapshot(std::string_view whole) {
  const std::size_t agreed = common_prefix(text_, whole);
  Change change;
  change.kept = agreed;
  if (agreed == whole.size() && agreed < text_.size()) {
    // Stale, unless it is exactly what was sent again: then the new text is shorter than the old
    // one.
    const bool sent_again = cursor_ != kNotReplaying && cursor_ > 0 && cursor_ == agreed;
    if (!sent_again) return change;
    change.cut = true;
    change.repaired = true;
  } else {
    change.cut = agreed < text_.size();
    change.repaired = change.cut;
  }
  change.changed = change.cut || agreed < whole.size();
  text_.resize(agreed);
  text_.append(whole.substr(agreed));
  if (!fresh_) {
    cursor_ = kNotReplaying;
  } else if (cursor_ == kNotReplaying && !text_.empty()) {
    cursor_ = 0;
    may_continue_ = true;
  }
  return change;
}

}  // namespace agent_doc::turn
