#include "server/lsp/documents/change_order.hpp"

#include <utility>

namespace agent_doc::lsp {

Counting counting_of(std::string_view client) {
  return client == "helix" ? Counting::OneByOne : Counting::Arbitrary;
}

void ChangeOrder::opened(std::int64_t version) {
  last_ = version;
  held_.clear();
}

std::vector<protocol::DidChangeTextDocumentParams> ChangeOrder::take(
    protocol::DidChangeTextDocumentParams change) {
  std::vector<protocol::DidChangeTextDocumentParams> ready;
  const bool is_early = counting_ == Counting::OneByOne && change.version > last_ + 1;
  if (is_early && held_.size() < kMaxHeldChanges) {
    const std::int64_t version = change.version;
    held_.insert_or_assign(version, std::move(change));
    return ready;
  }
  last_ = change.version;
  ready.push_back(std::move(change));
  for (auto next = held_.begin(); next != held_.end() && next->first == last_ + 1;
       next = held_.erase(next)) {
    last_ = next->first;
    ready.push_back(std::move(next->second));
  }
  return ready;
}

}  // namespace agent_doc::lsp
