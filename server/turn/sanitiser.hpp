// What it is: takes out of an agent's text what must reach neither a document nor a terminal:
// escape sequences (CSI, OSC, DCS, …) and control characters, also when they are cut over several
// pieces. Tab and newline stay; CRLF and CR become "\n". What changes the order in which the text
// around it is shown (U+202E and its kind), and what shows nothing (tags, a second variation
// selector, fillers), is marked, "<U+202E>"; what languages and emoji need (U+200B to U+200F, one
// variation selector, the tags of a flag) stays.
// What it is not: it does not check UTF-8; pieces are well-formed and cut between characters.
// Thread rule: not thread-safe; one per stream of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// What is made of the characters that turn the order around or show nothing.
enum class Hidden : std::uint8_t {
  Marked,
  Kept,  ///< for text::visible(), which marks them and more
};

class Sanitiser {
 public:
  explicit Sanitiser(Hidden hidden = Hidden::Marked) : hidden_(hidden) {}

  /// Appends to `out` what stays of the next piece. A string sequence (OSC, DCS) that is never
  /// closed ends with its line.
  void feed(std::string_view text, std::string& out);

 private:
  enum class State : std::uint8_t {
    Text,
    AfterCarriageReturn,
    FirstOfC1,           ///< 0xC2, which begins U+0080 to U+009F but also ordinary characters
    Character,           ///< character_: one of three or four bytes that may have to be marked
    Escape,              ///< ESC
    EscapeIntermediate,  ///< ESC and bytes 0x20 to 0x2F
    ControlSequence,     ///< CSI
    StringSequence,      ///< OSC, DCS, SOS, PM, APC
    StringEscape,        ///< ESC inside one: perhaps its end
    StringFirstOfC1,
  };
  void step(unsigned char byte, std::string& out);
  void in_text(unsigned char byte, std::string& out);
  void in_character(unsigned char byte, std::string& out);
  /// Whether it stays as it is, after the characters before it.
  bool shows(char32_t point);
  void after_escape(unsigned char byte, std::string& out);
  void in_string(unsigned char byte, std::string& out);

  /// The character before, as far as the next one depends on it.
  enum class Before : std::uint8_t { Any, Selector, Flag };

  Hidden hidden_;
  State state_ = State::Text;
  Before before_ = Before::Any;
  std::string character_;
  std::string flag_;  ///< letters of the tags since a black flag
};

/// `text` on one line for a status display: sanitised, every run of white space one space, at most
/// `limit` bytes, cut with "…".
std::string one_line(std::string_view text, std::size_t limit, Hidden hidden = Hidden::Marked);

}  // namespace agent_doc::turn
