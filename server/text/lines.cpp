#include "server/text/lines.hpp"

#include <cstring>

namespace agent_doc::text {

std::size_t LineWalker::find(char byte, std::size_t from, std::size_t to) const {
  if (from >= to) return to;
  const void* hit = std::memchr(text_.data() + from, byte, to - from);
  return hit == nullptr ? to
                        : static_cast<std::size_t>(static_cast<const char*>(hit) - text_.data());
}

std::optional<LineSpan> LineWalker::next() {
  if (at_ >= text_.size()) return std::nullopt;
  if (next_lf_ < at_) next_lf_ = find('\n', at_, text_.size());

  LineSpan line{at_, find('\r', at_, next_lf_), 0};
  const bool cr_lf = line.end + 1 == next_lf_ && next_lf_ < text_.size();
  line.next = line.end + (line.end == text_.size() ? 0 : cr_lf ? 2 : 1);
  at_ = line.next;
  return line;
}

}  // namespace agent_doc::text
