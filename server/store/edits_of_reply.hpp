// What it is: a reply, put together again from the edits that it was told in.
// What it is not: what the edits mean (server/turn/reply.hpp).
// Thread rule: a plain value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::store {

class EditsOfReply {
 public:
  /// The reply is now its first `at` bytes and `text`. What that takes away is a part (a round,
  /// mostly) that nothing else remembers, unless `text` begins with it.
  void edit(std::size_t at, std::string_view text);

  const std::string& text() const { return text_; }
  /// Oldest first.
  const std::vector<std::string>& taken_away() const { return taken_away_; }

 private:
  std::string text_;
  std::vector<std::string> taken_away_;
};

}  // namespace agent_doc::store
