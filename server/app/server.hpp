// What it is: the whole server, wired: the language server, its agents, its timers, on one
// io_context. The transport is the owner's: standard input and output for `agent-doc serve`, memory
// for the command line and the tests.
// What it is not: policy. It connects what the other folders do.
// Thread rule: everything runs on the one thread that runs the io_context.
#pragma once

#include "server/app/config.hpp"
#include "server/process/asio_launcher.hpp"

#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::app {

struct ServerOptions {
  Config config;
  std::string self;  ///< absolute path of the running agent-doc: the tour agent and the guard are
                     ///< the same program
  process::Orphans orphans = process::Orphans::LeaveEnded;
};

/// For a process that starts nothing but agents: it adopts and reaps what its agents leave behind.
ServerOptions options_of_agents_only_process(Config config, std::string self);

class Server {
 public:
  virtual ~Server() = default;
  /// One message body from the client.
  virtual void receive(std::string_view body) = 0;
  /// The client is gone without `exit`: running turns are interrupted and all agents ended; then
  /// `on_exit` is called.
  virtual void connection_lost() = 0;

  /// `to_client` gets one message body per call, never from inside receive()'s caller's stack frame
  /// twice for one request. `on_exit` is called once, when no agent process is left, with the code
  /// that the process should end with (LSP: 0 after shutdown, else 1).
  static std::unique_ptr<Server> make(boost::asio::io_context& io, const ServerOptions& options,
                                      std::function<void(std::string body)> to_client,
                                      std::function<void(int exit_code)> on_exit);
};

}  // namespace agent_doc::app
