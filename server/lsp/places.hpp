// Conversion between bytes of a document and positions in the encoding of the connection.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/documents/document.hpp"
#include "server/text/position.hpp"

#include <cstddef>

namespace agent_doc::lsp {

inline text::Range range_of(const Client& client, const Document& document, std::size_t begin,
                            std::size_t end) {
  const text::TextBuffer& text = document.session().engine().shadow();
  return {text.position_of(begin, client.encoding), text.position_of(end, client.encoding)};
}

inline std::size_t offset_of(const Client& client, const Document& document,
                             text::Position position) {
  return document.session().engine().shadow().offset_of(position, client.encoding);
}

}  // namespace agent_doc::lsp
