// What it is: bytes in, text out: what stands in an agent's standard output, as soon as it stands
// there. Only a character that is cut at the end of a piece waits for its rest.
// What it is not: it looks for no line (line_reader.hpp), so no line is too long for it; it takes
// nothing out (turn/sanitiser.hpp).
// Thread rule: not thread-safe; no I/O.
#pragma once

#include <string>
#include <string_view>

namespace agent_doc::process {

class TextReader {
 public:
  /// Well-formed UTF-8, without a byte order mark at the start of the stream; may be empty. Valid
  /// until the next call.
  std::string_view take(std::string_view piece);
  /// No more bytes will come: what waited for its rest.
  std::string_view finish();

 private:
  std::string_view repaired(std::string_view bytes);

  std::string waiting_;  ///< the begin of a character, at most three bytes
  std::string joined_;
  std::string repaired_;
  bool at_stream_start_ = true;
};

}  // namespace agent_doc::process
