#include "server/turn/seen_text.hpp"

#include "server/text/lines.hpp"
#include "server/turn/comments.hpp"
#include "server/turn/patched_document.hpp"

#include <algorithm>
#include <optional>

namespace agent_doc::turn {
namespace {

constexpr std::string_view kLineBlanks = " \t";

std::string_view without_space_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(kLineBlanks) + 1);
}

/// Whether a line is inside a fence, by its first characters alone: a quote or a list may begin it.
/// That decides nothing but how many blank lines count, and it is the same for both texts that are
/// compared.
class Fences {
 public:
  bool is_inside() const { return length_ > 0; }

  void pass(std::string_view line) {
    const std::size_t begin = std::min(line.find_first_not_of(" \t>"), line.size());
    if (begin == line.size() || (line[begin] != '`' && line[begin] != '~')) return;
    const char mark = line[begin];
    const std::size_t end = std::min(line.find_first_not_of(mark, begin), line.size());
    const std::size_t length = end - begin;
    if (length_ == 0) {
      const bool is_code_span = mark == '`' && line.find('`', end) != std::string_view::npos;
      if (length < kShortestFence || is_code_span) return;
      mark_ = mark;
      length_ = length;
    } else if (mark == mark_ && length >= length_ && end == line.size()) {
      length_ = 0;
    }
  }

 private:
  static constexpr std::size_t kShortestFence = 3;
  char mark_ = '`';
  std::size_t length_ = 0;  ///< of the fence that is open; 0: none
};

/// What comes between two turns has one form, whoever put them there, also below a fence that is
/// none in an HTML block.
bool may_begin_turn(std::string_view line) {
  return line.starts_with("## User") || line.starts_with("## Assistant");
}

/// What as_seen() makes of a text without comments.
std::string tidied(std::string_view text) {
  std::string tidy;
  tidy.reserve(text.size() + 1);
  Fences fences;
  std::size_t blank_lines = 0;
  bool is_behind_heading = false;
  text::LineWalker lines(text);
  for (std::optional<text::LineSpan> span = lines.next(); span; span = lines.next()) {
    const std::string_view line =
        without_space_behind(text.substr(span->begin, span->end - span->begin));
    if (line.empty()) {
      ++blank_lines;
      continue;
    }
    const bool is_heading = may_begin_turn(line);
    const bool counts = fences.is_inside() && !is_heading && !is_behind_heading;
    if (!tidy.empty())
      tidy.append(counts ? blank_lines : std::min<std::size_t>(blank_lines, 1), '\n');
    blank_lines = 0;
    is_behind_heading = is_heading;
    fences.pass(line);
    tidy.append(line).push_back('\n');
  }
  return tidy;
}

}  // namespace

std::string as_seen(std::string_view body) {
  return tidied(without_comments(body, CommentGaps::Closed));
}

std::string earlier_text(const SeenDocument& seen) {
  if (seen.reply.empty()) return seen.text.substr(0, seen.above);
  const PatchedDocument patched = patched_document(seen.text, 0, seen.text.size(), seen.reply);
  // The text is not looked through for comments again: what is left of it might look like one now.
  return tidied(patched.text + "\n## Assistant\n\n" +
                without_comments(patched.said, CommentGaps::Closed));
}

}  // namespace agent_doc::turn
