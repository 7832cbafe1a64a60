// What the user can do with changes that the agent has not seen yet: in the title of Run, and as
// commands for code actions. The commands are in turns/unseen_commands.hpp.
#pragma once

#include "protocol/lsp.hpp"

#include <cstddef>
#include <vector>

namespace agent_doc::lsp {

class Document;

/// Returns `run` with how many changes go with it in its title.
protocol::Command with_changes_told(protocol::Command run, const Document& document);

/// Returns commands for the lines that [begin, end] touches, bytes of the document, where these are
/// a change or the open prompt. Empty unless the text is as it was at the last look.
std::vector<protocol::Command> unseen_offers(const Document& document,
                                             text::PositionEncoding encoding, std::size_t begin,
                                             std::size_t end);

}  // namespace agent_doc::lsp
