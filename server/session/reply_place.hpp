// What it is: where a reply belongs in a text that has lost its place: a document that was closed
// without being saved and opened again, a reply that was cut out and put back in pieces.
// What it is not: the way a reply keeps its place while the text changes (server/sync), nor how the
// store's replies come back (recovery.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/sync/region.hpp"

#include <cstddef>
#include <string_view>
#include <variant>

namespace agent_doc::session {

/// The prompt is there, and no reply below it.
struct PlaceBelowPrompt {
  std::size_t at = 0;
  sync::Frame frame;
};
/// A beginning of the reply stands there, maybe all of it.
struct PlaceInReply {
  sync::StandingReply reply;
  sync::Frame frame;
};
/// Neither is there.
struct NoPlace {};
using ReplyPlace = std::variant<NoPlace, PlaceBelowPrompt, PlaceInReply>;

/// Looks for `reply`, with the document's line ends, and else for the `prompt` that it answers.
ReplyPlace place_of_reply(std::string_view document, std::string_view prompt,
                          std::string_view reply, std::string_view line_end);

}  // namespace agent_doc::session
