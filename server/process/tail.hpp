// What it is: the last bytes of a stream that may be endless (an agent's standard error).
// What it is not: it reads nothing.
// Thread rule: not thread-safe; no I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::process {

class Tail {
 public:
  explicit Tail(std::size_t limit) : limit_(limit) {}

  void append(std::string_view bytes);
  /// The last bytes, at most the limit, as well-formed UTF-8 (ill-formed sequences are U+FFFD; a
  /// character that was cut at the front is left out).
  std::string text() const;

 private:
  const std::size_t limit_;
  std::string bytes_;  ///< at most twice the limit, so that appending costs O(1) per byte
  bool cut_ = false;   ///< something before bytes_ was dropped
};

}  // namespace agent_doc::process
