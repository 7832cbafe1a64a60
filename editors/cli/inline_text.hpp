// Renders a paragraph while it grows: emphasis, code, links. A word is written as soon as no later
// text can change its look. An open construct (`**bold`) is held back, up to a limit. cmark parses
// each complete piece; markdown_view.hpp handles blocks. Not thread-safe.
#pragma once

#include "editors/cli/line_writer.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// An open construct is held back up to this many bytes; then it is text.
inline constexpr std::size_t kMaxHeldInline = 400;

/// The character before a piece of text. It decides where emphasis begins and ends.
enum class Before { Space, Letter, Punctuation };

/// Writes a complete piece of a paragraph, as cmark parses it.
void write_inline(LineWriter& writer, std::string_view piece, Before before, Style style);

/// Returns whether `piece` opens something that later text may close. A space or the end of a word
/// follows it.
bool has_open_construct(std::string_view piece, Before before);

class InlineText {
 public:
  explicit InlineText(LineWriter& writer) : writer_(writer) {}

  /// Adds the next character, which is not a line end.
  void feed(std::string_view character);
  /// Ends a line of the paragraph, which also ends a line on the terminal.
  void end_line();
  /// Ends the paragraph; text that is still held back is written.
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
      0;  ///< the next run of so many backticks closes code that was given up
};

}  // namespace agent_doc::cli
