#include "server/process/tail.hpp"

#include "server/text/utf8.hpp"

namespace agent_doc::process {

namespace {

constexpr std::size_t kLongestSequence = 4;

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

}  // namespace

void Tail::append(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    cut_ = cut_ || !bytes_.empty() || bytes.size() > limit_;
    bytes_.assign(bytes.substr(bytes.size() - limit_));
    return;
  }
  bytes_.append(bytes);
  if (bytes_.size() <= 2 * limit_) return;
  cut_ = true;
  bytes_.erase(0, bytes_.size() - limit_);
}

std::string Tail::text() const {
  std::string_view kept = bytes_;
  bool cut = cut_;
  if (kept.size() > limit_) {
    kept.remove_prefix(kept.size() - limit_);
    cut = true;
  }
  for (std::size_t i = 1;
       cut && i < kLongestSequence && !kept.empty() && is_continuation(kept.front()); ++i) {
    kept.remove_prefix(1);
  }
  return text::repair_utf8(kept).text;
}

}  // namespace agent_doc::process
