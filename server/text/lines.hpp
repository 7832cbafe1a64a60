// Iteration over the lines of a text, with the three line ends of LSP 3.17 and CommonMark: "\n",
// "\r\n" and "\r". TextBuffer is the one with an index.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace agent_doc::text {

/// Byte offsets: [begin, end) is the line, [end, next) its line end.
struct LineSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t next = 0;
};

/// Walks over the lines of a text, which must outlive it. A text that ends with a line end has no
/// further, empty line. Costs only the lines that are visited.
class LineWalker {
 public:
  explicit LineWalker(std::string_view text, std::size_t from = 0)
      : text_(text), at_(from), next_lf_(find('\n', from, text.size())) {}

  std::optional<LineSpan> next();

 private:
  std::size_t find(char byte, std::size_t from, std::size_t to) const;

  std::string_view text_;
  std::size_t at_;
  std::size_t next_lf_;  ///< kept between calls, so that a text with only "\r" is searched once
};

}  // namespace agent_doc::text
