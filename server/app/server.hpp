// The whole server on one io_context: the language server, its agents and its timers. The owner
// provides the transport: standard input and output for `agent-doc serve`, memory for the command
// line and the tests. Everything runs on the thread that runs the io_context.
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
  /// Absolute path of the running agent-doc, which is also the tour agent and the guard.
  std::string self;
  process::Orphans orphans = process::Orphans::LeaveEnded;
};

/// Returns options for a process that starts nothing but agents: it adopts and reaps what they
/// leave behind.
ServerOptions options_of_agents_only_process(Config config, std::string self);

class Server {
 public:
  virtual ~Server() = default;
  /// Handles one message body from the client.
  virtual void receive(std::string_view body) = 0;
  /// Handles the end of a client without `exit`: interrupts running turns, ends all agents, then
  /// calls `on_exit`.
  virtual void connection_lost() = 0;

  /// Creates a server. `to_client` gets one message body per call. `on_exit` is called once, when
  /// no agent process is left, with the exit code for the process (LSP: 0 after shutdown, else 1).
  static std::unique_ptr<Server> make(boost::asio::io_context& io, const ServerOptions& options,
                                      std::function<void(std::string body)> to_client,
                                      std::function<void(int exit_code)> on_exit);
};

}  // namespace agent_doc::app
