// Turns an agent's standard output into text as it arrives. Only a character that is cut at the end
// of a piece is held back until its rest arrives. Lines do not matter here (line_reader.hpp), and
// nothing is removed (turn/sanitiser.hpp).
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::process {

class TextReader {
 public:
  /// Returns the text of `piece`: well-formed UTF-8, without a byte order mark at the start of the
  /// stream; may be empty. Valid until the next call.
  std::string_view take(std::string_view piece);
  /// Ends the stream; returns what was held back.
  std::string_view finish();

 private:
  std::string_view repaired(std::string_view bytes);

  std::string waiting_;  ///< the beginning of a character, at most three bytes
  std::string joined_;
  std::string repaired_;
  bool at_stream_start_ = true;
};

}  // namespace agent_doc::process
