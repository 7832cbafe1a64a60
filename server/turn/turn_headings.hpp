// What it is: keeps the headings `## User` and `## Assistant` of an agent's text from beginning a
// turn of the document: they become `### User` and `### Assistant`, while the text grows and
// wherever it is cut. Only where server/markdown would find a turn: not in code, HTML, lists and
// quotes.
// What it is not: a markdown parser (server/markdown/block_parser.hpp); nothing else of the text is
// changed.
// Thread rule: not thread-safe; one per text. A copy goes on with a text of its own.
#pragma once

#include "server/markdown/block_parser.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

class TurnHeadings {
 public:
  /// Appends to `out` what the next piece adds. Of a line that may become such a heading, what
  /// follows "##" is held back.
  void feed(std::string_view piece, std::string& out);
  /// The text may end here: what was held back comes out. True when there was something; then only
  /// a line end may follow.
  bool finish(std::string& out);

 private:
  enum class Stage : std::uint8_t {
    Indent,
    Marker,
    Space,   ///< between "##" and the word
    Word,    ///< in what may be "User" or "Assistant"
    Behind,  ///< behind it: spaces, "(HEAD)", "#"s
    Ordinary,
  };
  bool may_be_turn(char c);
  void feed_line(std::string_view part, std::string& out);
  void end_line(std::string& out);
  void release(const markdown::Line& line, std::string& out);

  markdown::BlockParser blocks_;
  Stage stage_ = Stage::Indent;
  std::size_t count_ = 0;  ///< spaces of the indent, "#"s of the marker
  std::string line_;       ///< so far
  std::string held_;       ///< its end that is not yet in the reply
};

}  // namespace agent_doc::turn
