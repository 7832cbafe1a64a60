// What it is: takes `<think>…</think>` and `<thinking>…</thinking>` out of a growing reply text,
// also when they are cut over several pieces. Tags in fenced code and in code spans are text, and
// so are a closing tag without its opening and an opening one that is never closed.
// What it is not: an HTML parser; no other tag is touched.
// Thread rule: not thread-safe; one per text.
#pragma once

#include "server/turn/code_context.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::turn {

/// What TagFilter makes of a text, in order.
class TaggedText {
 public:
  virtual ~TaggedText() = default;
  virtual void text(std::string_view piece) = 0;
  /// One whole thought.
  virtual void thinking(std::string_view thought) = 0;
};

class TagFilter {
 public:
  void feed(std::string_view piece, TaggedText& out);
  /// The text ends here: what was held back comes out. True when there was something, so that more
  /// text would have to begin anew.
  bool finish(TaggedText& out);

 private:
  void in_text(std::string_view& piece, TaggedText& out);
  void in_tag(std::string_view& piece, TaggedText& out);
  void in_thought(std::string_view& piece, TaggedText& out);

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  CodeContext code_;
  std::size_t open_ = kNone;       ///< which tag's thought is open
  std::string held_;               ///< of a thought or of what may become a tag
  std::array<bool, 2> is_text_{};  ///< tags that were found to have no end
};

}  // namespace agent_doc::turn
