#include "editors/cli/commands.hpp"
#include "editors/cli/file_client.hpp"
#include "editors/cli/local_server.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/agent_doc.hpp"
#include "server/app/config.hpp"
#include "server/lsp/uri.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// The path of the new document, or why there is none.
using Outcome = std::variant<std::string, protocol::Error>;

class Fork {
 public:
  explicit Fork(file::FileBuffer buffer)
      : server_(io_, app::load_config()),
        file_(io_, server_.endpoint(), std::move(buffer), [](std::string_view) {}) {}

  Outcome run(const std::string& target, std::uint32_t turn) {
    server_.start(project_folder_of(file_.buffer().file().path()),
                  [this, target, turn](std::optional<protocol::Error> error) {
                    if (error) return end(std::move(*error));
                    file_.open();
                    json::object argument{{"uri", file_.uri()}};
                    if (!target.empty())
                      argument["target"] = std::filesystem::absolute(target).string();
                    if (turn != 0) argument["turn"] = turn;
                    server_.execute(
                        protocol::kForkCommand, std::move(argument),
                        [this](protocol::Result result) { on_forked(std::move(result)); });
                  });
    io_.run();
    return std::move(outcome_);
  }

 private:
  void on_forked(protocol::Result result) {
    if (auto* error = std::get_if<protocol::Error>(&result)) return end(std::move(*error));
    const json::value& value = std::get<json::value>(result);
    end(lsp::path_of(std::string_view(value.at("uri").as_string())).value_or(""));
  }

  void end(Outcome outcome) {
    outcome_ = std::move(outcome);
    server_.shut_down([this] { io_.stop(); });
  }

  boost::asio::io_context io_{1};
  LocalServer server_;
  FileClient file_;
  Outcome outcome_;
};

}  // namespace

int fork_document(const ForkOptions& options) {
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kUsage, text.error().message);

  const Outcome outcome = Fork(file::FileBuffer(std::move(*document), std::move(*text)))
                              .run(options.target, options.turn);
  if (const auto* error = std::get_if<protocol::Error>(&outcome))
    return complain(kTurnFailed, error->message);
  const std::string& path = std::get<std::string>(outcome);
  write_all(
      STDOUT_FILENO,
      "Made " + path + ". Write your question at its end, then: agent-doc run " + path + "\n");
  return kDone;
}

}  // namespace agent_doc::cli
