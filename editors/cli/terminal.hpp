// Shows a reply on the command line: append-only on a terminal while it arrives, one block
// everywhere else, with the same text. Below it, a line says what the agent is doing. No I/O: a
// function gets the output, and the time is a parameter. Not thread-safe.
#pragma once

#include "editors/cli/line_writer.hpp"
#include "editors/cli/markdown_view.hpp"
#include "server/turn/sanitiser.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::cli {

using Write = std::function<void(std::string_view)>;

enum class Pace {
  Live,   ///< new text as soon as it arrives
  Block,  ///< the whole reply, at its end
};
/// How to show the markdown of a reply.
enum class Look {
  Plain,     ///< as source text
  Rendered,  ///< markdown_view.hpp; live only
};

/// What to print so that a reader who has seen `shown` has `now`.
struct Suffix {
  enum class Kind {
    Continues,  ///< `rest` follows
    Behind,  ///< `now` is the beginning of `shown`: print nothing yet, it may grow again as it did
    Diverges,  ///< `shown` is not the beginning of `now`
  };
  Kind kind = Kind::Continues;
  std::string_view rest;
};
Suffix suffix(std::string_view shown, std::string_view now);

/// Prints one reply. Never moves the cursor or sends a carriage return, so a terminal that wraps, a
/// console that strips escape sequences and a log all show the same. Removes escape sequences and
/// control characters from the text, even if they were removed before.
class ReplyPrinter {
 public:
  ReplyPrinter(Pace pace, Colour colour, Write write, Look look = Look::Plain);

  /// Sets the width of the terminal for the rest of a rendered reply.
  void set_columns(int columns);

  /// Sets the reply to its first `offset` bytes and `text`.
  void reply(std::size_t offset, std::string_view text);
  /// Ends the reply.
  void finish();

  /// Called before somebody else writes on the same terminal, at the start of a line.
  void make_room();

  /// Returns whether the current line of the terminal is empty.
  bool at_line_start() const { return view_ ? view_->at_line_start() : at_line_start_; }
  /// Returns how often the printed text turned out not to be the reply. Each time, a line says so,
  /// and the reply is printed again below it.
  std::size_t discontinuities() const { return discontinuities_; }

 private:
  void show();
  void go_on();
  void print(std::string_view text);
  void begin_anew();
  void make_view();

  Pace pace_;
  Colour colour_;
  Write write_;
  Look look_;
  int columns_ = 80;
  std::unique_ptr<MarkdownView> view_;  ///< null unless the reply is rendered
  turn::Sanitiser sanitiser_;
  std::string reply_;
  std::string shown_;    ///< since the last discontinuity
  bool in_step_ = true;  ///< `shown_` is the beginning of `reply_`
  bool at_line_start_ = true;
  std::size_t discontinuities_ = 0;
};

/// The progress of a turn, for the person who waits.
struct Progress {
  std::string agent;
  std::string phase;
  std::string status;
  std::chrono::milliseconds elapsed{0};
  std::int64_t output_tokens = 0;
};

/// A line that is overwritten in place and never wider than the terminal.
class ProgressLine {
 public:
  ProgressLine(Colour colour, Write write) : colour_(colour), write_(std::move(write)) {}

  void show(const Progress& progress, int columns);
  /// Removes the line from the screen.
  void clear();

 private:
  Colour colour_;
  Write write_;
  bool shown_ = false;
  std::size_t turn_of_spinner_ = 0;
};

/// Returns the beginning of `text` that fits into `columns` columns, without control characters. A
/// character that may be wide counts as two.
std::string fitted(std::string_view text, std::size_t columns);

/// Returns, for example, "7 s" or "3 min 5 s".
std::string duration(std::chrono::milliseconds time);

}  // namespace agent_doc::cli
