// What it is: how a reply looks on the command line: append-only while it comes on a terminal, one
// block everywhere else, and the same text in both; and the line above which it comes, which says
// what the agent is doing.
// What it is not: I/O. Everything goes out through a function; time comes in.
// Thread rule: not thread-safe; one thread.
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
  Live,   ///< what is new, as soon as it comes
  Block,  ///< all of it, at the end
};
/// What is made of the markdown of a reply.
enum class Look {
  Plain,     ///< it is shown as it is in the document
  Rendered,  ///< markdown_view.hpp; live only
};

/// What must be printed so that a reader who has `shown` has `now`.
struct Suffix {
  enum class Kind {
    Continues,  ///< `rest` follows
    Behind,     ///< `now` is a part of what is shown: nothing yet, it may go on as it did
    Diverges,   ///< what is shown is not what it is now
  };
  Kind kind = Kind::Continues;
  std::string_view rest;
};
Suffix suffix(std::string_view shown, std::string_view now);

/// Prints one reply. Never moves the cursor, never sends a carriage return: a terminal that wraps,
/// a console that strips escapes and a log all show the same. Escape sequences and control
/// characters of the text are left out, whatever was done about them before.
class ReplyPrinter {
 public:
  ReplyPrinter(Pace pace, Colour colour, Write write, Look look = Look::Plain);

  /// For a reply that is rendered: how wide the terminal is from now on.
  void set_columns(int columns);

  /// The reply is now its first `offset` bytes and `text`.
  void reply(std::size_t offset, std::string_view text);
  /// No more will come.
  void finish();

  /// Somebody else is about to write on the same terminal, at the start of a line.
  void make_room();

  /// Nothing stands in the line that the next output goes to.
  bool at_line_start() const { return view_ ? view_->at_line_start() : at_line_start_; }
  /// How often what was printed turned out not to be the reply. Each time a line says so, and the
  /// reply is printed anew below it.
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
  std::unique_ptr<MarkdownView> view_;  ///< of a reply that is rendered
  turn::Sanitiser sanitiser_;
  std::string reply_;
  std::string shown_;    ///< since the last discontinuity
  bool in_step_ = true;  ///< `shown_` is the begin of `reply_`
  bool at_line_start_ = true;
  std::size_t discontinuities_ = 0;
};

/// What a person who waits wants to know.
struct Progress {
  std::string agent;
  std::string phase;
  std::string status;
  std::chrono::milliseconds elapsed{0};
  std::int64_t output_tokens = 0;
};

/// One line that is overwritten in place, never wider than the terminal.
class ProgressLine {
 public:
  ProgressLine(Colour colour, Write write) : colour_(colour), write_(std::move(write)) {}

  void show(const Progress& progress, int columns);
  /// Takes it off the screen.
  void clear();

 private:
  Colour colour_;
  Write write_;
  bool shown_ = false;
  std::size_t turn_of_spinner_ = 0;
};

/// `text` in at most `columns` columns, without control characters. A character that may be wide
/// counts as two.
std::string fitted(std::string_view text, std::size_t columns);

/// "7 s", "3 min 5 s".
std::string duration(std::chrono::milliseconds time);

}  // namespace agent_doc::cli
