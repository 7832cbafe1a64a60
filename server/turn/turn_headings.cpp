#include "server/turn/turn_headings.hpp"

#include "server/markdown/turns.hpp"

#include <algorithm>

namespace agent_doc::turn {
namespace {

constexpr std::size_t kDeepestIndent = 3;
constexpr std::size_t kLevelOfTurns = 2;
constexpr std::string_view kUser = "User";
constexpr std::string_view kAssistant = "Assistant";
/// What may stand behind the word; whether it does so in the right order is decided when the line
/// is whole.
constexpr std::string_view kBehind = " \t#(HEAD)";

bool is_space_or_tab(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

void TurnHeadings::feed(std::string_view piece, std::string& out) {
  while (!piece.empty()) {
    const std::size_t end = std::min(piece.find('\n'), piece.size());
    feed_line(piece.substr(0, end), out);
    if (end == piece.size()) return;
    end_line(out);
    piece.remove_prefix(end + 1);
  }
}

void TurnHeadings::feed_line(std::string_view part, std::string& out) {
  line_.append(part);
  while (stage_ != Stage::Ordinary && !part.empty()) {
    if (!may_be_turn(part.front())) {
      stage_ = Stage::Ordinary;
      out.append(held_);
      held_.clear();
      break;
    }
    (stage_ == Stage::Indent || stage_ == Stage::Marker ? out : held_).push_back(part.front());
    part.remove_prefix(1);
  }
  out.append(part);
}

/// The line may still begin a turn when `c` follows.
bool TurnHeadings::may_be_turn(char c) {
  switch (stage_) {
    case Stage::Indent:
      if (c == ' ') return ++count_ <= kDeepestIndent;
      stage_ = Stage::Marker;
      count_ = 1;
      return c == '#';
    case Stage::Marker:
      if (c == '#') return ++count_ <= kLevelOfTurns;
      stage_ = Stage::Space;
      return count_ == kLevelOfTurns && is_space_or_tab(c);
    case Stage::Space:
      if (is_space_or_tab(c)) return true;
      stage_ = Stage::Word;
      count_ = 1;
      return c == kUser.front() || c == kAssistant.front();
    case Stage::Word: {
      const std::string_view word = std::string_view(held_).substr(held_.size() - count_);
      const std::string_view whole = word.front() == kUser.front() ? kUser : kAssistant;
      if (word != whole) return c == whole[count_++];
      stage_ = Stage::Behind;
      return kBehind.find(c) != std::string_view::npos;
    }
    case Stage::Behind:
      return kBehind.find(c) != std::string_view::npos;
    case Stage::Ordinary:
      return false;
  }
  return false;
}

void TurnHeadings::end_line(std::string& out) {
  release(blocks_.parse(line_, 0), out);
  out.push_back('\n');
  line_.clear();
  stage_ = Stage::Indent;
  count_ = 0;
}

void TurnHeadings::release(const markdown::Line& line, std::string& out) {
  if (held_.empty()) return;
  if (markdown::turn_begun_by(line, line_)) out.push_back('#');
  out.append(held_);
  held_.clear();
}

bool TurnHeadings::finish(std::string& out) {
  if (held_.empty()) return false;
  markdown::BlockParser ahead = blocks_;
  release(ahead.parse(line_, 0), out);
  stage_ = Stage::Ordinary;
  return true;
}

}  // namespace agent_doc::turn
