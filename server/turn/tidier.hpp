// The white space of turn::as_seen(): makes a text tidy piece by piece, and knows where each of its
// lines came from. Comments are taken out before (comments.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// The bytes of a piece that a line of the tidy text was made of. Of a blank line: where the blank
/// lines begin.
struct LineSource {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Says which lines are inside of a fence, by their first characters alone: a quote or a list may
/// begin such a line. That decides nothing but how many blank lines count, and it is the same for
/// both texts that are compared.
class Fences {
 public:
  bool is_inside() const { return length_ > 0; }
  void pass(std::string_view line);
  bool operator==(const Fences& other) const = default;

 private:
  char mark_ = '`';
  std::size_t length_ = 0;  ///< of the fence that is open; 0: none
};

class Tidier {
 public:
  /// Appends what the next piece of the text adds to the tidy text. Each piece begins a line.
  /// `sources` gets one entry for each line that is appended; null: nobody wants to know.
  void add(std::string_view piece, std::string& tidy, std::vector<LineSource>* sources = nullptr);

  /// Returns true when both make the same of everything from `piece` on.
  bool goes_on_like(const Tidier& other, std::string_view piece) const;

 private:
  Fences fences_;
  std::size_t blank_lines_ = 0;
  bool has_text_ = false;
  bool is_behind_heading_ = false;
};

}  // namespace agent_doc::turn
