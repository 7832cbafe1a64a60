// What it is: the server inside this process, and its connection in memory: two JSON-RPC endpoints
// that hear each other through the io_context, never from inside a call.
// What it is not: another protocol: what goes back and forth is what goes over a pipe to an editor,
// without the frames.
// Thread rule: the thread that runs the io_context.
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

  /// `initialize` as a client that checks versions strictly and wants turns and replies, and
  /// `initialized`. `folder` is the workspace.
  void start(const std::string& folder,
             std::function<void(std::optional<protocol::Error>)> started);
  /// A command of ours (`workspace/executeCommand`).
  void execute(std::string_view command, boost::json::object argument,
               protocol::ResultHandler done);
  /// `shutdown` and `exit`; `ended` is called when no agent is left.
  void shut_down(std::function<void()> ended);

 private:
  boost::asio::io_context& io_;
  std::shared_ptr<protocol::Endpoint> client_;
  std::shared_ptr<app::Server> server_;
  std::function<void()> ended_;
};

/// The folder that an agent works in for the document at `path`: that of its project (the nearest
/// one above with .git, .hg or .agent-doc that nobody else put there), else its own.
std::string project_folder_of(const std::string& path);

}  // namespace agent_doc::cli
