#include "server/turn/tidier.hpp"

#include "server/text/lines.hpp"

#include <algorithm>
#include <optional>

namespace agent_doc::turn {
namespace {

constexpr std::string_view kLineBlanks = " \t";

std::string_view without_space_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kLineBlanks) + 1);
}

/// What comes between two turns has one form, whoever put them there, also below a fence that is
/// none in an HTML block.
bool may_begin_turn(std::string_view line) {
  return line.starts_with("## User") || line.starts_with("## Assistant");
}

}  // namespace

void Fences::pass(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t>"), line.size());
  if (begin == line.size() || (line[begin] != '`' && line[begin] != '~')) return;
  const char mark = line[begin];
  const std::size_t end = std::min(line.find_first_not_of(mark, begin), line.size());
  const std::size_t length = end - begin;
  if (length_ == 0) {
    constexpr std::size_t kShortestFence = 3;
    const bool is_code_span = mark == '`' && line.find('`', end) != std::string_view::npos;
    if (length < kShortestFence || is_code_span) return;
    mark_ = mark;
    length_ = length;
  } else if (mark == mark_ && length >= length_ && end == line.size()) {
    mark_ = '`';
    length_ = 0;
  }
}

void Tidier::add(std::string_view piece, std::string& tidy, std::vector<LineSource>* sources) {
  std::size_t blank_begin = 0;
  text::LineWalker lines(piece);
  for (std::optional<text::LineSpan> span = lines.next(); span; span = lines.next()) {
    const std::string_view line =
        without_space_behind(piece.substr(span->begin, span->end - span->begin));
    if (line.empty()) {
      ++blank_lines_;
      continue;
    }
    const bool is_heading = may_begin_turn(line);
    const bool counts = fences_.is_inside() && !is_heading && !is_behind_heading_;
    if (has_text_) {
      const std::size_t kept = counts ? blank_lines_ : std::min<std::size_t>(blank_lines_, 1);
      tidy.append(kept, '\n');
      if (sources != nullptr)
        sources->insert(sources->end(), kept, LineSource{blank_begin, blank_begin});
    }
    blank_lines_ = 0;
    is_behind_heading_ = is_heading;
    has_text_ = true;
    fences_.pass(line);
    tidy.append(line).push_back('\n');
    if (sources != nullptr) sources->push_back({span->begin, span->begin + line.size()});
    blank_begin = span->next;
  }
}

bool Tidier::goes_on_like(const Tidier& other, std::string_view piece) const {
  const bool blank_lines_count = !may_begin_turn(piece);
  const bool same_lines = blank_lines_count ? blank_lines_ == other.blank_lines_
                                            : (blank_lines_ > 0) == (other.blank_lines_ > 0);
  return same_lines && has_text_ == other.has_text_ && fences_ == other.fences_ &&
         is_behind_heading_ == other.is_behind_heading_;
}

}  // namespace agent_doc::turn
