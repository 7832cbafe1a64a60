#include "editors/cli/local_server.hpp"

#include "editors/cli/self.hpp"
#include "protocol/agent_doc.hpp"
#include "server/lsp/uri.hpp"

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <string_view>
#include <utility>
#include <variant>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// The LSP capabilities of this client.
json::object capabilities() {
  const json::object workspace{{"applyEdit", true},
                               {"workspaceEdit", json::object{{"documentChanges", true}}}};
  const json::object general{{"positionEncodings", json::array{"utf-8"}}};
  const json::object agent_doc{{"turn", true}, {"reply", true}, {"strictEdits", true}};
  return {{"workspace", workspace},
          {"general", general},
          {"experimental", json::object{{"agentDoc", agent_doc}}}};
}

json::object initialize_params(const std::string& folder) {
  const json::object workspace_folder{{"uri", lsp::uri_of(folder)}, {"name", folder}};
  return {{"processId", ::getpid()},
          {"clientInfo",
           json::object{{"name", "agent-doc run"}, {"version", protocol::kServerVersion}}},
          {"rootUri", lsp::uri_of(folder)},
          {"workspaceFolders", json::array{workspace_folder}},
          {"capabilities", capabilities()}};
}

/// Returns whether `folder` has an entry `name` that belongs to this person, to root, or to
/// `owner`, the owner of the document's folder. A `/tmp/.git` of somebody else must not decide
/// where an agent works.
bool has_entry(const std::string& folder, const char* name, uid_t owner) {
  struct stat status {};
  if (::lstat((folder + "/" + name).c_str(), &status) != 0) return false;
  return status.st_uid == ::geteuid() || status.st_uid == 0 || status.st_uid == owner;
}

}  // namespace

LocalServer::LocalServer(boost::asio::io_context& io, app::Config config) : io_(io) {
  const auto log = [](std::string_view) {};
  client_ = protocol::Endpoint::make(
      [this](std::string body) {
        const std::weak_ptr<app::Server> weak = server_;
        boost::asio::post(io_, [weak, body = std::move(body)] {
          if (const auto server = weak.lock()) server->receive(body);
        });
      },
      log);
  const std::weak_ptr<protocol::Endpoint> weak = client_;
  server_ = app::Server::make(
      io_, app::options_of_agents_only_process(std::move(config), path_of_this_program()),
      [this, weak](std::string body) {
        boost::asio::post(io_, [weak, body = std::move(body)] {
          if (const auto client = weak.lock()) client->receive(body);
        });
      },
      [this](int) {
        if (const auto ended = std::exchange(ended_, nullptr)) ended();
      });
}

LocalServer::~LocalServer() {
  client_->close();
}

void LocalServer::start(const std::string& folder,
                        std::function<void(std::optional<protocol::Error>)> started) {
  client_->request("initialize", initialize_params(folder),
                   [this, started = std::move(started)](protocol::Result result) {
                     if (auto* error = std::get_if<protocol::Error>(&result))
                       return started(std::move(*error));
                     client_->notify("initialized", json::object{});
                     started(std::nullopt);
                   });
}

void LocalServer::execute(std::string_view command, json::object argument,
                          protocol::ResultHandler done) {
  client_->request(
      "workspace/executeCommand",
      json::object{{"command", command}, {"arguments", json::array{std::move(argument)}}},
      std::move(done));
}

void LocalServer::shut_down(std::function<void()> ended) {
  ended_ = std::move(ended);
  client_->request("shutdown", nullptr,
                   [this](const protocol::Result&) { client_->notify("exit", nullptr); });
}

std::string project_folder_of(const std::string& path) {
  std::string own = lsp::folder_of(path);
  struct stat status {};
  const uid_t owner = ::stat(own.c_str(), &status) == 0 ? status.st_uid : ::geteuid();
  for (std::string folder = own;; folder = lsp::folder_of(folder)) {
    for (const char* name : {".git", ".hg", ".agent-doc"}) {
      if (has_entry(folder, name, owner)) return folder;
    }
    if (folder == "/") return own;
  }
}

}  // namespace agent_doc::cli
