// What it is: what the person is told: `window/showMessage`, and `window/logMessage` for what is
// only worth a look afterwards.
// What it is not: questions (permissions.hpp) nor the server's own log.
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/session/document_client.hpp"

#include <string>
#include <string_view>

namespace agent_doc::lsp {

/// Longer messages are cut, and say so.
inline constexpr std::size_t kMaxMessageBytes = 4 * 1024;

/// Why no reply can be written into a document of `client`, which announced no
/// `workspace.applyEdit`, and what to do instead.
std::string why_nothing_can_be_written(const Client& client);

class Messages {
 public:
  Messages(Client& client, Environment& environment) : client_(client), environment_(environment) {}

  void show(session::MessageKind kind, std::string_view message);
  void log(std::string_view line);

 private:
  Client& client_;
  Environment& environment_;
};

}  // namespace agent_doc::lsp
