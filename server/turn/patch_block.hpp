// What it is: how a block of a reply is named that is meant for a component of the document.
// What it is not: how blocks are found (patch_blocks.hpp), or its text.
// Thread rule: a plain value.
#pragma once

#include <cstdint>
#include <string>

namespace agent_doc::turn {

enum class PatchKind : std::uint8_t {
  AsComponentSays,  ///< `patch:NAME`
  Replace,          ///< `replace:NAME`
};

struct PatchBlock {
  std::string name;
  PatchKind kind = PatchKind::AsComponentSays;
  bool is_closed = false;
};

}  // namespace agent_doc::turn
