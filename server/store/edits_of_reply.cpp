#include "server/store/edits_of_reply.hpp"

#include <algorithm>

namespace agent_doc::store {

void EditsOfReply::edit(std::size_t at, std::string_view text) {
  at = std::min(at, text_.size());
  std::string gone = text_.substr(at);
  if (!text.starts_with(gone)) taken_away_.push_back(std::move(gone));
  text_.resize(at);
  text_ += text;
}

}  // namespace agent_doc::store
