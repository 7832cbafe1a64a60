// What it is: the other end of the connection: the endpoint, and what the client said about itself
// in `initialize`.
// What it is not: state of a document or a turn.
// Thread rule: the server's thread only. Lives as long as the language server; filled once, by
// lifecycle.cpp.
#pragma once

#include "protocol/endpoint.hpp"
#include "protocol/lsp.hpp"
#include "server/text/position.hpp"

#include <memory>
#include <string>

namespace agent_doc::lsp {

struct Client {
  std::shared_ptr<protocol::Endpoint> endpoint;
  protocol::ClientCapabilities can;
  text::PositionEncoding encoding = text::PositionEncoding::Utf16;
  std::string name;  ///< for a person; empty when it did not say
};

}  // namespace agent_doc::lsp
