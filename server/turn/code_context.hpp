// What it is: tells, while a markdown text grows, whether its end is inside code: a fence (also in
// a list or a quote) or an inline code span.
// What it is not: a markdown parser (server/markdown scans whole texts). Where a growing text
// leaves it open, it says "code": a span without its closing backticks counts as one up to the end
// of its paragraph.
// Thread rule: not thread-safe; a small value, one per text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_doc::turn {

class CodeContext {
 public:
  /// Reads `text` up to the first '<' that is not in code; returns the bytes read.
  std::size_t read_to_angle(std::string_view text);
  /// Reads all of `text`.
  void read(std::string_view text);

 private:
  enum class Place : std::uint8_t {
    LineStart,       ///< spaces, `>` and list markers
    ListNumber,      ///< digits that may begin a list item
    ListMarker,      ///< behind `-`, `1.`: a space must follow
    RunAtLineStart,  ///< backticks or tildes that may open a fence
    Run,             ///< backticks in a line
    Inline,
    FenceInfo,  ///< the rest of the line that opens a fence
    FenceLineStart,
    FenceRun,     ///< backticks or tildes that may close the fence
    FenceRunEnd,  ///< only spaces may follow
    FenceLine,
  };
  void step(char c);
  void at_line_start(char c);
  void in_run(char c);
  void in_fence(char c);
  void end_run();
  void end_line();
  bool in_code();

  Place place_ = Place::LineStart;
  char mark_ = 0;  ///< of the run or the fence
  bool line_has_text_ = false;
  bool nested_ = false;  ///< this line began in a list item or a quote, or is indented like one
  bool fence_is_nested_ = false;
  std::uint8_t indent_ = 0;  ///< spaces at the line start, counted to 4
  std::size_t run_ = 0;
  std::size_t fence_ = 0;  ///< length of the open fence, 0 when none is open
  std::size_t span_ = 0;   ///< length of the backtick run that opened the span, 0 when none is open
};

}  // namespace agent_doc::turn
