// Runs the server inside this process, connected in memory: two JSON-RPC endpoints that reach each
// other through the io_context, never inside a call. The messages are those that an editor gets
// over a pipe, without the frames. Belongs to the thread of the io_context.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/app/server.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace agent_doc::cli {

class LocalServer {
 public:
  LocalServer(boost::asio::io_context& io, app::Config config);
  ~LocalServer();

  const std::shared_ptr<protocol::Endpoint>& endpoint() const { return client_; }

  /// Sends `initialize`, as a client that checks versions strictly and wants turns and replies, and
  /// `initialized`. `folder` is the workspace.
  void start(const std::string& folder,
             std::function<void(std::optional<protocol::Error>)> started);
  /// Sends one of our commands (`workspace/executeCommand`).
  void execute(std::string_view command, boost::json::object argument,
               protocol::ResultHandler done);
  /// Sends `shutdown` and `exit`; calls `ended` when no agent is left.
  void shut_down(std::function<void()> ended);

 private:
  boost::asio::io_context& io_;
  std::shared_ptr<protocol::Endpoint> client_;
  std::shared_ptr<app::Server> server_;
  std::function<void()> ended_;
};

/// Returns the folder in which an agent works for the document at `path`. It is the project: the
/// nearest folder above with a .git, .hg or .agent-doc that no other person put there. Else it is
/// the document's own folder.
std::string project_folder_of(const std::string& path);

}  // namespace agent_doc::cli
