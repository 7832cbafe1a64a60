// What it is: the changes of one document in the order of their versions, for clients that count
// them one by one but may send two of them the wrong way round: Helix does when an edit of ours and
// a key of the person come at the same moment.
// What it is not: for clients whose versions jump (Neovim); there every change is passed on as it
// comes.
// Thread rule: the server's thread only.
#pragma once

#include "protocol/lsp.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

/// More are not waited for: then something is wrong, and the engine has to see it.
inline constexpr std::size_t kMaxHeldChanges = 100;

enum class Counting {
  OneByOne,
  Anyhow,
};
Counting counting_of(std::string_view client);

class ChangeOrder {
 public:
  explicit ChangeOrder(Counting counting) : counting_(counting) {}

  void opened(std::int64_t version);
  /// What may be applied now, in order.
  std::vector<protocol::DidChangeTextDocumentParams> take(
      protocol::DidChangeTextDocumentParams change);

 private:
  Counting counting_;
  std::int64_t last_ = 0;
  std::map<std::int64_t, protocol::DidChangeTextDocumentParams>
      held_;  ///< by version; later than one that has not come
};

}  // namespace agent_doc::lsp
