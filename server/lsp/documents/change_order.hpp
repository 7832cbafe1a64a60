// Puts the changes of one document into the order of their versions. For clients that count
// versions one by one but may send two changes in the wrong order, as Helix does when an edit of
// ours and a keystroke coincide. For clients whose versions jump (Neovim) every change is passed on
// as it arrives.
#pragma once

#include "protocol/lsp.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

/// At most this many changes are held back. Beyond that something is wrong, and the engine must see
/// the gap.
inline constexpr std::size_t kMaxHeldChanges = 100;

enum class Counting {
  OneByOne,
  Arbitrary,
};
Counting counting_of(std::string_view client);

class ChangeOrder {
 public:
  explicit ChangeOrder(Counting counting) : counting_(counting) {}

  void opened(std::int64_t version);
  /// Returns the changes that can be applied now, in order.
  std::vector<protocol::DidChangeTextDocumentParams> take(
      protocol::DidChangeTextDocumentParams change);

 private:
  Counting counting_;
  std::int64_t last_ = 0;
  std::map<std::int64_t, protocol::DidChangeTextDocumentParams>
      held_;  ///< by version; each is later than one that has not arrived
};

}  // namespace agent_doc::lsp
