#include "server/app/server.hpp"

#include "server/app/asio_environment.hpp"
#include "server/lsp/language_server.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/process/process_tree.hpp"

#include <boost/asio/post.hpp>

#include <deque>
#include <utility>

namespace agent_doc::app {

namespace {

class AsioServer final : public Server {
 public:
  AsioServer(boost::asio::io_context& io, const ServerOptions& options,
             std::function<void(std::string body)> to_client,
             std::function<void(int exit_code)> on_exit)
      : io_(io),
        environment_(io, options.config, options.self, options.orphans, std::move(on_exit)),
        language_server_(environment_, [this, to_client = std::move(to_client)](std::string body) {
          send(to_client, std::move(body));
        }) {}

  /// A client in this process may answer from inside `to_client`, while the server is still at
  /// work: such messages are queued.
  void receive(std::string_view body) override {
    if (!sending_ && early_.empty()) return language_server_.receive(body);
    if (early_.empty()) boost::asio::post(io_, lifeline_.tie([this] { receive_early(); }));
    early_.emplace_back(body);
  }

  void connection_lost() override {
    boost::asio::post(io_, lifeline_.tie([this] { language_server_.connection_lost(); }));
  }

 private:
  void send(const std::function<void(std::string body)>& to_client, std::string body) {
    sending_ = true;
    to_client(std::move(body));
    sending_ = false;
  }

  void receive_early() {
    for (; !early_.empty(); early_.pop_front()) language_server_.receive(early_.front());
  }

  boost::asio::io_context& io_;
  AsioEnvironment environment_;
  bool sending_ = false;
  std::deque<std::string> early_;  ///< received while sending, in order
  lsp::LanguageServer language_server_;
  lsp::Lifeline lifeline_;
};

}  // namespace

ServerOptions options_of_agents_only_process(Config config, std::string self) {
  const bool adopts = process::become_subreaper();
  return {std::move(config), std::move(self),
          adopts ? process::Orphans::Reap : process::Orphans::LeaveEnded};
}

std::unique_ptr<Server> Server::make(boost::asio::io_context& io, const ServerOptions& options,
                                     std::function<void(std::string body)> to_client,
                                     std::function<void(int exit_code)> on_exit) {
  return std::make_unique<AsioServer>(io, options, std::move(to_client), std::move(on_exit));
}

}  // namespace agent_doc::app
