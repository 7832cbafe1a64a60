// Messages to the user: `window/showMessage`, and `window/logMessage` for what is only worth
// reading later. Questions are in permissions.hpp.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/session/document_client.hpp"

#include <string>
#include <string_view>

namespace agent_doc::lsp {

/// Longer messages are cut and say so.
inline constexpr std::size_t kMaxMessageBytes = 4 * 1024;

/// Returns the reason why no reply can be written into documents of `client`, which lacks
/// `workspace.applyEdit`, and what to do instead.
std::string missing_apply_edit_message(const Client& client);

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
