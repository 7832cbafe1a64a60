// The last bytes of a stream that may be endless, such as an agent's standard error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::process {

class Tail {
 public:
  explicit Tail(std::size_t limit) : limit_(limit) {}

  void append(std::string_view bytes);
  /// Returns the last bytes, at most the limit, as well-formed UTF-8: ill-formed sequences become
  /// U+FFFD, and a character that was cut at the front is dropped.
  std::string text() const;

 private:
  const std::size_t limit_;
  std::string bytes_;  ///< at most twice the limit, which makes appending O(1) per byte
  bool cut_ = false;   ///< something before bytes_ was dropped
};

}  // namespace agent_doc::process
