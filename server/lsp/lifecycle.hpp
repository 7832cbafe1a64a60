// What it is: the life of the connection: initialize, initialized, shutdown, exit, the death of the
// client; what may be asked when.
// What it is not: documents and commands; it only tells them when to end.
// Thread rule: the server's thread only.
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

/// From `exit`, or the client's death, to the end of all agents; whatever is left then is killed.
inline constexpr std::chrono::milliseconds kEndLimit{1800};

class Lifecycle {
 public:
  Lifecycle(Client& client, Environment& environment, Messages& messages, Workspace& workspace,
            Documents& documents);

  /// `commands` are announced to the client.
  void bind(protocol::Endpoint& endpoint, std::vector<std::string> commands);

  /// Called at `shutdown`: requests that were not answered yet are answered by it, for nothing is
  /// answered afterwards.
  void before_shutdown(std::function<void()> callback) { before_shutdown_ = std::move(callback); }

  /// The client is gone without `exit`.
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
