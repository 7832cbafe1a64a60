// What it is: what the blocks of a whole reply make of the components of a document, and what is
// left of the reply as said.
// What it is not: how they stream into an open document (session/component_bodies.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_doc::turn {

struct PatchedDocument {
  std::string text;
  std::string said;  ///< the reply without the blocks that went into components
};

/// Whether a beginning of what is appended may be in the document already, since a turn was cut
/// off.
enum class BegunBlocks : std::uint8_t { None, MayBeThere };

/// Returns `document`, whose body begins at byte `body_begin`, with the blocks of `reply` in its
/// components. `prompt`: a byte inside the components that the reply itself is in. Components that
/// are not closed at the end count as such, too. Costs little where `reply` has no marker.
PatchedDocument patched_document(std::string_view document, std::size_t body_begin,
                                 std::size_t prompt, std::string_view reply,
                                 BegunBlocks begun = BegunBlocks::None);

/// Whether all that `reply` has for components is in those of `document`.
bool has_patches(std::string_view document, std::size_t body_begin, std::size_t prompt,
                 std::string_view reply);

}  // namespace agent_doc::turn
