#include "server/lsp/lifecycle.hpp"

#include "protocol/agent_doc.hpp"
#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/features/code_actions.hpp"
#include "server/lsp/uri.hpp"

#include <limits>
#include <utility>

namespace agent_doc::lsp {

namespace {

std::string join_lines(const std::vector<std::string>& lines) {
  std::string joined;
  for (const std::string& line : lines) joined += (joined.empty() ? "" : "\n") + line;
  return joined;
}

/// Returns true for Helix, which shows documents on request without listing that among its
/// capabilities; older versions answer with an error.
bool shows_documents_without_saying_so(std::string_view client) {
  return client == "helix";
}

/// `rootPath` is a path, but some clients send a URI.
std::string uri_of_root(const std::string& root_path) {
  return root_path.starts_with('/') ? uri_of(root_path) : root_path;
}

}  // namespace

Lifecycle::Lifecycle(Client& client, Environment& environment, Messages& messages,
                     Workspace& workspace, Documents& documents)
    : client_(client),
      environment_(environment),
      messages_(messages),
      workspace_(workspace),
      documents_(documents) {}

void Lifecycle::bind(protocol::Endpoint& endpoint, std::vector<std::string> commands) {
  endpoint.set_gate([this](std::string_view method) { return gate(method); });
  endpoint.on_request("initialize", [this, commands = std::move(commands)](
                                        const boost::json::value& params, protocol::Replier reply) {
    reply.result(initialize(params, commands));
  });
  endpoint.on_notification("initialized", [this](const boost::json::value&) { initialized(); });
  endpoint.on_request("shutdown", [this](const boost::json::value&, protocol::Replier reply) {
    state_ = State::ShutDown;
    if (before_shutdown_) before_shutdown_();
    reply.result(nullptr);
    client_.endpoint
        ->only_answer();  // turns go on until `exit`; the store keeps what their agents say
  });
  endpoint.on_notification("exit", [this](const boost::json::value&) {
    client_.endpoint->only_answer();
    end();
  });
}

std::optional<protocol::Error> Lifecycle::gate(std::string_view method) const {
  if (method == "exit") return std::nullopt;
  switch (state_) {
    case State::Uninitialized:
      if (method == "initialize") return std::nullopt;
      return protocol::Error{protocol::ErrorCode::ServerNotInitialized,
                             "the first request must be initialize", nullptr};
    case State::Running:
      if (method != "initialize") return std::nullopt;
      return protocol::Error{protocol::ErrorCode::InvalidRequest,
                             "initialize was already sent on this connection", nullptr};
    case State::ShutDown:
      break;
  }
  return protocol::Error{protocol::ErrorCode::InvalidRequest,
                         "the server was shut down; only exit may follow", nullptr};
}

boost::json::value Lifecycle::initialize(const boost::json::value& params,
                                         const std::vector<std::string>& commands) {
  auto request = protocol::decode_initialize(params);
  client_.name = std::move(request.clientName);
  client_.encoding = protocol::negotiate(request.capabilities.positionEncodings);
  client_.can = std::move(request.capabilities);
  client_.can.showDocument |= shows_documents_without_saying_so(client_.name);
  workspace_.add(request.workspaceFolders);
  if (!request.rootPath.empty()) workspace_.add({{uri_of_root(request.rootPath)}});
  if (request.processId && *request.processId > 0 &&
      *request.processId <= std::numeric_limits<int>::max()) {
    client_watch_ = environment_.watch_process(static_cast<int>(*request.processId),
                                               [this] { connection_lost(); });
  }
  state_ = State::Running;
  environment_.log(LogLevel::Info, "client: " + client_.name + " " + request.clientVersion);

  protocol::InitializeResult result;
  result.positionEncoding = client_.encoding;
  result.serverName = protocol::kServerName;
  result.serverVersion = protocol::kServerVersion;
  result.protocol = protocol::kProtocolNumber;
  result.commands = commands;
  if (client_.can.codeActionLiterals) result.codeActionKinds = {std::string(kCodeActionKind)};
  return protocol::encode(result);
}

void Lifecycle::initialized() {
  const auto& problems = environment_.configuration_problems();
  if (!problems.empty()) messages_.show(session::MessageKind::Warning, join_lines(problems));
}

void Lifecycle::connection_lost() {
  client_.endpoint->close();
  end();
}

void Lifecycle::end() {
  if (std::exchange(ending_, true)) return;
  deadline_ = environment_.schedule(environment_.now() + kEndLimit, [this] { finish(); });
  documents_.shut_down([this] { finish(); });
}

void Lifecycle::finish() {
  deadline_.reset();
  client_watch_.reset();
  documents_.clear();
  client_.endpoint->close();
  environment_.request_exit(state_ == State::ShutDown ? 0 : 1);
}

}  // namespace agent_doc::lsp
