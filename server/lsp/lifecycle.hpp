// The life of the connection: initialize, initialized, shutdown, exit, the death of the client, and
// which requests are allowed when.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/workspace.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

class Documents;

/// How long agents may take to end after `exit` or the client's death before they are killed.
inline constexpr std::chrono::milliseconds kEndLimit{1800};

class Lifecycle {
 public:
  Lifecycle(Client& client, Environment& environment, Messages& messages, Workspace& workspace,
            Documents& documents);

  /// Binds the handlers. `commands` are announced to the client.
  void bind(protocol::Endpoint& endpoint, std::vector<std::string> commands);

  /// Sets a function that runs at `shutdown` and must answer all requests that are still open,
  /// because nothing is answered afterwards.
  void before_shutdown(std::function<void()> callback) { before_shutdown_ = std::move(callback); }

  /// Handles the end of a client without `exit`.
  void connection_lost();

 private:
  enum class State {
    Uninitialized,  ///< -> Running by `initialize`
    Running,        ///< -> ShutDown by `shutdown`
    ShutDown,       ///< only `exit` is left
  };

  std::optional<protocol::Error> gate(std::string_view method) const;
  boost::json::value initialize(const boost::json::value& params,
                                const std::vector<std::string>& commands);
  void initialized();
  void end();
  void finish();

  Client& client_;
  Environment& environment_;
  Messages& messages_;
  Workspace& workspace_;
  Documents& documents_;
  std::function<void()> before_shutdown_;
  State state_ = State::Uninitialized;
  bool ending_ = false;
  PendingHandle client_watch_;
  PendingHandle deadline_;
};

}  // namespace agent_doc::lsp
