#include "server/turn/message_text.hpp"

#include "server/markdown/scanner.hpp"

#include <algorithm>

namespace agent_doc::turn {
namespace {

constexpr std::size_t kBlankLine = 2;
constexpr std::string_view kSpacesAndNewlines = " \t\n";

std::size_t newlines_at_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of('\n');
  return last == std::string_view::npos ? text.size() : text.size() - last - 1;
}

std::string folded(std::string_view thought) {
  const std::size_t begin = thought.find_first_not_of('\n');
  const std::size_t end = thought.find_last_not_of(kSpacesAndNewlines) + 1;
  const std::string_view trimmed = thought.substr(begin, end - begin);
  std::string details = "<details><summary>Thinking</summary>\n\n";
  details.append(trimmed);
  if (const std::string line = markdown::missing_closing_line(trimmed); !line.empty())
    details.append("\n").append(line);
  details.append("\n\n</details>\n\n");
  return details;
}

}  // namespace

MessageText::MessageText(Thinking thinking, std::string_view before) : mode_(thinking) {
  if (before.empty()) return;
  newlines_missing_ = kBlankLine - std::min(kBlankLine, newlines_at_end(before));
  std::string read;
  headings_.feed(before, read);
  headings_.finish(read);
}

MessageText MessageText::following() const {
  MessageText next(mode_, {});
  next.newlines_missing_ = newlines_missing_;
  next.headings_ = headings_;
  return next;
}

MessageText MessageText::continuing() const {
  MessageText next = following();
  next.opening_ = false;
  return next;
}

void MessageText::add_text(std::string_view raw, std::string& out) {
  out_ = &out;
  clean_.clear();
  text_sanitiser_.feed(raw, clean_);
  tags_.feed(clean_, *this);
  out_ = nullptr;
}

void MessageText::add_thinking(std::string_view raw) {
  if (mode_ == Thinking::None) return;
  clean_.clear();
  thought_sanitiser_.feed(raw, clean_);
  thinking(clean_);
}

void MessageText::finish(std::string& out) {
  out_ = &out;
  if (tags_.finish(*this)) wrote_at_finish_ = true;
  if (headings_.finish(out)) wrote_at_finish_ = true;
  out_ = nullptr;
}

void MessageText::text(std::string_view piece) {
  if (opening_) {
    const std::size_t begin = std::min(piece.find_first_not_of(kSpacesAndNewlines), piece.size());
    const std::string_view space = piece.substr(0, begin);
    const std::size_t line = space.rfind('\n');
    if (line != std::string_view::npos) leading_space_.clear();
    leading_space_.append(space.substr(line == std::string_view::npos ? 0 : line + 1));
    piece.remove_prefix(begin);
    if (piece.empty()) return;
    open();
  }
  write(piece);
  const std::size_t newlines = newlines_at_end(piece);
  const std::size_t missing = newlines == piece.size() ? newlines_missing_ : kBlankLine;
  newlines_missing_ = missing - std::min(missing, newlines);
}

void MessageText::thinking(std::string_view thought) {
  if (mode_ == Thinking::None) return;
  thought_.append(thought);
  opening_ = true;
  leading_space_.clear();
}

void MessageText::open() {
  write(std::string(newlines_missing_, '\n'));
  if (thought_.find_first_not_of(kSpacesAndNewlines) != std::string::npos) write(folded(thought_));
  thought_.clear();
  write(leading_space_);
  leading_space_.clear();
  opening_ = false;
}

}  // namespace agent_doc::turn
