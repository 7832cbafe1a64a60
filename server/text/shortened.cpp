#include "server/text/shortened.hpp"

#include "server/text/utf8.hpp"

namespace agent_doc::text {

std::string_view beginning(std::string_view bytes, std::size_t limit) {
  return bytes.substr(0, floor_boundary(bytes, limit));
}

std::string shortened(std::string_view bytes, std::size_t limit) {
  const std::string_view kept = beginning(bytes, limit);
  if (kept.size() == bytes.size()) return std::string(bytes);
  return std::string(kept) + "… (" + std::to_string(bytes.size() - kept.size()) + " bytes more)";
}

}  // namespace agent_doc::text
