// What it is: the words of a paragraph while it grows: emphasis, code, links. A word is written as
// soon as nothing that is still to come can change what it looks like; what may still close
// (`**bold`) is held back, but not for ever.
// What it is not: it knows no blocks (markdown_view.hpp). What a whole piece means is what cmark
// says.
// Thread rule: not thread-safe; a value.
#pragma once

#include "editors/cli/line_writer.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// What may still close is held back for as many bytes; then it is text.
inline constexpr std::size_t kMaxHeldInline = 400;

/// What stands before a piece of text; it decides where emphasis begins and ends.
enum class Before { Space, Letter, Punctuation };

/// Writes a whole piece of a paragraph, as cmark understands it.
void write_inline(LineWriter& writer, std::string_view piece, Before before, Style style);

/// Returns true when something begins in `piece` that what follows may close. A space, or the end
/// of a word, follows.
bool has_open_construct(std::string_view piece, Before before);

class InlineText {
 public:
  explicit InlineText(LineWriter& writer) : writer_(writer) {}

  /// The next character, which is no line end.
  void feed(std::string_view character);
  /// A line of the paragraph ends; that is a line end on the terminal, too.
  void end_line();
  /// No more will come: what is held is text.
  void end();

 private:
  void write_if_closed();
  void write_all();
  void escape_closing_run();
  std::size_t open_run() const;

  LineWriter& writer_;
  std::string piece_;  ///< held back
  Before before_ = Before::Space;
  std::size_t spaces_ = 0;  ///< since the last character
  std::size_t literal_run_ =
      0;  ///< backticks: the next run of as many closes code that was given up
};

}  // namespace agent_doc::cli
