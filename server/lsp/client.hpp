// The other end of the connection: the endpoint, and what the client said about itself in
// `initialize`. Lives as long as the language server; lifecycle.cpp fills it once.
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
  std::string name;  ///< shown to the user; empty when the client gave none
};

}  // namespace agent_doc::lsp
