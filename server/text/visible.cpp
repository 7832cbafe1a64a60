#include "server/text/visible.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace agent_doc::text {

namespace {

struct CodePointRange {
  std::uint32_t first;
  std::uint32_t last;
};

/// Characters that show nothing or change how their surroundings are displayed. Sorted.
constexpr auto kHidden = std::to_array<CodePointRange>({
    {0x00, 0x08},       {0x0B, 0x1F},       {0x7F, 0xA0},       {0xAD, 0xAD},
    {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},
    {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},     {0x115F, 0x1160},
    {0x1680, 0x1680},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x2000, 0x200F},
    {0x2028, 0x202F},   {0x205F, 0x206F},   {0x23CE, 0x23CE},   {0x2800, 0x2800},
    {0x3000, 0x3000},   {0x3164, 0x3164},   {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1345F},
    {0x16FE4, 0x16FE4}, {0x1BCA0, 0x1BCA3}, {0x1D159, 0x1D159}, {0x1D173, 0x1D17A},
    {0x1FFFE, 0x1FFFF}, {0x2FFFE, 0x2FFFF}, {0x3FFFE, 0x3FFFF}, {0x40000, 0xDFFFF},
    {0xE0000, 0xE0FFF}, {0xE1000, 0xEFFFF}, {0xF0000, 0xFFFFF}, {0x100000, 0x10FFFF},
});

/// Combining characters, which are drawn onto the letter before them.
constexpr auto kMarks = std::to_array<CodePointRange>({{0x300, 0x34E},
                                                       {0x350, 0x36F},
                                                       {0x483, 0x489},
                                                       {0x1AB0, 0x1AFF},
                                                       {0x1DC0, 0x1DFF},
                                                       {0x20D0, 0x20FF}});

template <std::size_t Size>
bool is_in(const std::array<CodePointRange, Size>& ranges, std::uint32_t point) {
  const auto found =
      std::lower_bound(ranges.begin(), ranges.end(), point,
                       [](const CodePointRange& range, std::uint32_t p) { return range.last < p; });
  return found != ranges.end() && point >= found->first;
}

std::uint32_t point_of(std::string_view sequence) {
  const auto byte = [sequence](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[i]));
  };
  switch (sequence.size()) {
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
             (byte(3) & 0x3F);
    default:
      return byte(0);
  }
}

std::string name_of(std::uint32_t point) {
  std::array<char, 16> name{};
  std::snprintf(name.data(), name.size(), "U+%04X", static_cast<unsigned>(point));
  return name.data();
}

enum class LineEnds { Kept, Joined };

class Writer {
 public:
  explicit Writer(LineEnds line_ends) : line_ends_(line_ends) {}

  std::string write(std::string_view text) {
    out_.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == ' ' || c == '\t' || c == '\n') {
        at = blanks(text, at);
        continue;
      }
      const std::string_view sequence = text.substr(at, sequence_length(text, at));
      character(sequence, text.substr(at + sequence.size()));
      at += sequence.size();
    }
    close();
    return std::move(out_);
  }

 private:
  enum class Open { None, Points, Tags };

  void character(std::string_view sequence, std::string_view behind) {
    const std::uint32_t point = point_of(sequence);
    const bool is_mark = is_in(kMarks, point);
    marks_ = is_mark ? marks_ + 1 : 0;
    if (point >= 0xE0020 && point <= 0xE007E) {
      open(Open::Tags);
      out_.push_back(static_cast<char>(point - 0xE0000));
    } else if (is_in(kHidden, point) || marks_ > kMaxMarks) {
      hide(point);
    } else if (sequence == "<" && behind.starts_with("U+")) {
      hide(point);  // otherwise text could imitate a mark
    } else {
      close();
      out_.append(sequence);
    }
  }

  void hide(std::uint32_t point) {
    const bool follows = open_ == Open::Points;
    open(Open::Points);
    if (follows) out_.push_back(' ');
    out_.append(name_of(point));
  }

  void open(Open what) {
    if (open_ == what) return;
    close();
    open_ = what;
    out_.append(what == Open::Tags ? "<invisible: " : "<");
  }

  void close() {
    if (open_ != Open::None) out_.push_back('>');
    open_ = Open::None;
  }

  /// Writes a run of blanks and line ends; returns where it ends.
  std::size_t blanks(std::string_view text, std::size_t at) {
    close();
    marks_ = 0;
    const std::size_t end = std::min(text.find_first_not_of(" \t\n", at), text.size());
    const std::string_view run = text.substr(at, end - at);
    const auto line_ends = static_cast<std::size_t>(std::count(run.begin(), run.end(), '\n'));
    if (line_ends > kMaxLineEnds) {
      const std::size_t rest = run.size() - line_ends;
      out_.append("<" + std::to_string(line_ends) + " line ends" +
                  (rest > 0 ? " and " + std::to_string(rest) + " blanks>" : ">"));
      end_line();
      return end;
    }
    for (std::size_t begin = 0; begin < run.size();) {
      if (run[begin] == '\n') {
        end_line();
        ++begin;
        continue;
      }
      const std::size_t stop = std::min(run.find('\n', begin), run.size());
      stretch(run.substr(begin, stop - begin));
      begin = stop;
    }
    return end;
  }

  void stretch(std::string_view blanks) {
    const auto tabs = static_cast<std::size_t>(std::count(blanks.begin(), blanks.end(), '\t'));
    if (blanks.size() + tabs * 7 <= kMaxBlanks) {
      out_.append(blanks);
    } else {
      out_.append("<" + std::to_string(blanks.size()) + " blanks>");
    }
  }

  void end_line() { out_.append(line_ends_ == LineEnds::Kept ? "⏎\n" : "⏎ "); }

  LineEnds line_ends_;
  std::string out_;
  Open open_ = Open::None;
  std::size_t marks_ = 0;
};

}  // namespace

std::string visible(std::string_view text) {
  return Writer(LineEnds::Kept).write(text);
}

std::string visible_line(std::string_view text) {
  return Writer(LineEnds::Joined).write(text);
}

}  // namespace agent_doc::text
