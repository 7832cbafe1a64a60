// What it is: takes out of an agent's text what must reach neither a document nor a terminal: escape sequences (CSI, OSC, DCS, …) and control
// characters, also when they are cut over several pieces. Tab and newline stay; CRLF and CR become "\n".
// What changes the order in which the text around it is shown (U+202E and its kind) is marked, "<U+202E>"; the marks that languages need (U+200E, U+200F,
// joiners) stay.
// What it is not: it does not check UTF-8; pieces are well-formed and cut between characters.
// Thread rule: not thread-safe; one per stream of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// What is made of the characters that turn the order around.
enum class Bidi : std::uint8_t {
  Marked,
  Kept,  ///< for text::visible(), which marks them and more
};

class Sanitiser {
 public:
  explicit Sanitiser(Bidi bidi = Bidi::Marked) : bidi_(bidi) {}

  /// Appends to `out` what stays of the next piece. A string sequence (OSC, DCS) that is never closed ends with its line.
  void feed(std::string_view text, std::string& out);

 private:
  enum class State : std::uint8_t {
    Text,
    AfterCarriageReturn,
    FirstOfC1,           ///< 0xC2, which begins U+0080 to U+009F but also ordinary characters
    FirstOfBidi,         ///< 0xE2, which begins U+202A to U+202E and U+2066 to U+2069 but also ordinary characters
    SecondOfBidi,        ///< 0xE2 and second_
    Escape,              ///< ESC
    EscapeIntermediate,  ///< ESC and bytes 0x20 to 0x2F
    ControlSequence,     ///< CSI
    StringSequence,      ///< OSC, DCS, SOS, PM, APC
    StringEscape,        ///< ESC inside one: perhaps its end
    StringFirstOfC1,
  };
  void step(unsigned char byte, std::string& out);
  void in_text(unsigned char byte, std::string& out);
  void third_of_bidi(unsigned char byte, std::string& out);
  void after_escape(unsigned char byte, std::string& out);
  void in_string(unsigned char byte, std::string& out);

  Bidi bidi_;
  State state_ = State::Text;
  unsigned char second_ = 0;
};

/// `text` on one line for a status display: sanitised, every run of white space one space, at most `limit` bytes, cut with "…".
std::string one_line(std::string_view text, std::size_t limit, Bidi bidi = Bidi::Marked);

}  // namespace agent_doc::turn
