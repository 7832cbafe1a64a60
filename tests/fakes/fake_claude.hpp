// What it is: what a program that plays claude, or another agent of JSON lines, in the tests needs:
// its command line's numbers, lines from standard input with SIGINT beside them, paced and cut
// standard output, and the few of claude's frames that it makes itself.
// What it is not: part of the product, or a model of claude. The recordings are the model.
// Thread rule: one thread.
#pragma once

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::fakes {

/// Ends the program with code 2 and a message.
[[noreturn]] void usage_error(std::string_view program, std::string_view message);

/// The value of an option as a number that is not negative, or usage_error().
std::uint64_t number(std::string_view program, std::string_view option, const char* text);

/// Appends the number of this process as a line, so that a test finds everything that was ever
/// started.
void append_pid(const std::string& file);

/// Null for what is no JSON.
boost::json::value parse(std::string_view line);

/// The string at a JSON pointer, or empty.
std::string text_at(const boost::json::value& value, std::string_view pointer);

/// "user", "control_response", "control_request/SUBTYPE", or empty for what is none of them.
std::string kind_of(const boost::json::value& frame);

/// The answer of claude to a control_request that it carries out.
std::string control_response(std::string_view request_id);

/// Standard input, line by line.
class Input {
 public:
  enum class Event { Line, Interrupt, End, Time };

  /// From now on SIGINT is an event instead of the end of the program.
  void catch_interrupts();
  /// Waits for the next event; without `limit` for ever. At the end of standard input it is End
  /// each time.
  Event wait(std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// The same, but the end of standard input counts no more.
  Event wait_for_interrupt();
  std::deque<std::string>& lines() { return lines_; }

 private:
  Event wait_on(bool standard_input, std::optional<std::chrono::milliseconds> limit);
  bool take_line();

  std::string partial_;
  std::deque<std::string> lines_;
  bool ended_ = false;
  int signals_ = -1;
};

struct OutputShape {
  std::size_t chunk = 0;                ///< bytes per write; 0: a line per write
  std::optional<std::uint64_t> cut_at;  ///< after so many bytes the program ends with code 1
  std::chrono::milliseconds delay{0};   ///< after each write
  std::string copy = {};                ///< a file that gets what was written, too
};

/// Standard output.
class Output {
 public:
  explicit Output(OutputShape shape) : shape_(std::move(shape)) {}
  void print(std::string_view bytes);

 private:
  void write_piece(std::string_view piece);

  const OutputShape shape_;
  std::uint64_t written_ = 0;
};

}  // namespace agent_doc::fakes
