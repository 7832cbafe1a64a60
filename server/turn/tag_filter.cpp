#include "server/turn/tag_filter.hpp"

#include <algorithm>

namespace agent_doc::turn {
namespace {

struct Tag {
  std::string_view opening;
  std::string_view closing;
};
constexpr std::array<Tag, 2> kTags = {Tag{"<think>", "</think>"}, Tag{"<thinking>", "</thinking>"}};

}  // namespace

void TagFilter::feed(std::string_view piece, TaggedText& out) {
  while (!piece.empty()) {
    if (open_ != kNone) {
      in_thought(piece, out);
    } else if (!held_.empty()) {
      in_tag(piece, out);
    } else {
      in_text(piece, out);
    }
  }
}

void TagFilter::in_text(std::string_view& piece, TaggedText& out) {
  const std::size_t read = code_.read_to_angle(piece);
  if (read > 0) out.text(piece.substr(0, read));
  piece.remove_prefix(read);
  if (piece.empty()) return;
  held_.assign(1, '<');
  piece.remove_prefix(1);
}

void TagFilter::in_tag(std::string_view& piece, TaggedText& out) {
  held_.push_back(piece.front());
  bool may_go_on = false;
  for (std::size_t tag = 0; tag < kTags.size(); ++tag) {
    if (is_text_[tag] || kTags[tag].opening.substr(0, held_.size()) != held_) continue;
    may_go_on = true;
    if (held_.size() == kTags[tag].opening.size()) open_ = tag;
  }
  if (may_go_on) {
    piece.remove_prefix(1);
    if (open_ != kNone) held_.clear();
    return;
  }
  held_.pop_back();
  code_.read(held_);
  out.text(held_);
  held_.clear();
}

void TagFilter::in_thought(std::string_view& piece, TaggedText& out) {
  const std::string_view closing = kTags[open_].closing;
  const std::size_t before = held_.size();
  const std::size_t from = before - std::min(before, closing.size() - 1);
  held_.append(piece);
  const std::size_t at = held_.find(closing, from);
  if (at == std::string::npos) {
    piece = {};
    return;
  }
  piece.remove_prefix(at + closing.size() - before);
  held_.resize(at);
  out.thinking(held_);
  held_.clear();
  open_ = kNone;
}

bool TagFilter::finish(TaggedText& out) {
  bool held_back = false;
  while (open_ != kNone || !held_.empty()) {
    held_back = true;
    const std::string rest = std::move(held_);
    held_.clear();
    if (open_ == kNone) {
      code_.read(rest);
      out.text(rest);
      continue;
    }
    const std::string_view opening = kTags[open_].opening;
    is_text_[open_] = true;
    open_ = kNone;
    code_.read(opening);
    out.text(opening);
    feed(rest, out);
  }
  return held_back;
}

}  // namespace agent_doc::turn
