#include "server/lsp/turns/fork_command.hpp"

#include "server/lsp/documents/documents.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/uri.hpp"
#include "server/text/shortened.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace agent_doc::lsp {

namespace {

using Written = std::variant<std::string, protocol::Error>;  ///< the path, or the reason why not

/// Returns `NAME-fork.md` for 1, `NAME-fork-2.md` for 2, …
std::string fork_path(const std::string& path, int number) {
  const std::size_t name = path.find_last_of('/') + 1;
  const std::size_t dot = path.find_last_of('.');
  const std::size_t stem_end = dot == std::string::npos || dot <= name ? path.size() : dot;
  const std::string suffix = number == 1 ? "-fork" : "-fork-" + std::to_string(number);
  return path.substr(0, stem_end) + suffix + path.substr(stem_end);
}

/// Accepts an absolute path, a file URI, or a path relative to the document's folder.
std::string target_path(const std::string& target, const std::string& document) {
  if (auto path = path_of(target)) return *path;
  if (target.front() == '/') return target;
  return folder_of(document) + "/" + target;
}

Written could_not_write(const std::string& path, const boost::system::error_code& error) {
  return protocol::refused(protocol::RefusalReason::Invalid, "The fork could not be written to " +
                                                                 path + ": " + error.message() +
                                                                 ". Choose another `target`.");
}

std::variant<boost::system::error_code, protocol::Error> write_fork(
    Environment& environment, const Document& document, const std::string& path,
    std::optional<std::uint64_t> turn) {
  const auto outcome = document.session().fork(path, turn);
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome)) return to_error(*refusal);
  return environment.create_file(path, std::get<session::ForkedDocument>(outcome).text);
}

Written write_to_target(Environment& environment, const Document& document, const std::string& path,
                        std::optional<std::uint64_t> turn) {
  auto result = write_fork(environment, document, path, turn);
  if (auto* refused = std::get_if<protocol::Error>(&result)) return std::move(*refused);
  const auto error = std::get<boost::system::error_code>(result);
  if (error) return could_not_write(path, error);
  return path;
}

Written write_beside(Environment& environment, const Document& document,
                     std::optional<std::uint64_t> turn) {
  std::string path;
  for (int number = 1; number <= kMaxForksOfOneName; ++number) {
    path = fork_path(document.place().path, number);
    auto result = write_fork(environment, document, path, turn);
    if (auto* refused = std::get_if<protocol::Error>(&result)) return std::move(*refused);
    const auto error = std::get<boost::system::error_code>(result);
    if (!error) return path;
    if (error != boost::system::errc::file_exists) return could_not_write(path, error);
  }
  return could_not_write(path,
                         boost::system::errc::make_error_code(boost::system::errc::file_exists));
}

void fork(const Client& client, Documents& documents, Environment& environment,
          const protocol::Fields& argument, protocol::Replier reply) {
  const auto params = protocol::decode_fork(argument);
  const Document* document = documents.find_file(params.uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(params.uri));
  if (!document->place().has_file) {
    const std::string why = params.uri + " has no file yet: save it, then fork it.";
    return refuse(client, std::move(reply),
                  protocol::refused(protocol::RefusalReason::Invalid, why));
  }
  auto written =
      params.target.empty()
          ? write_beside(environment, *document, params.turn)
          : write_to_target(environment, *document,
                            target_path(params.target, document->place().path), params.turn);
  if (auto* error = std::get_if<protocol::Error>(&written))
    return refuse(client, std::move(reply), std::move(*error));
  const std::string& path = std::get<std::string>(written);
  const std::string uri = uri_of(path);
  reply.result(boost::json::object{{"uri", uri}});
  if (client.can.showDocument) {
    client.endpoint->request("window/showDocument", protocol::encode_show_document(uri),
                             [](const protocol::Result&) {});
  } else if (!client.can.turn) {  // otherwise the user would see nothing at all
    const std::string text =
        text::shortened("The fork is " + path + ". Open it to go on there.", kMaxMessageBytes);
    client.endpoint->notify("window/showMessage",
                            protocol::encode_message(protocol::MessageType::Info, text));
  }
}

}  // namespace

void add_fork_command(Commands& commands, const Client& client, Documents& documents,
                      Environment& environment) {
  commands.add(protocol::kForkCommand, Commands::Target::Document,
               [&](const protocol::Fields& argument, protocol::Replier reply) {
                 fork(client, documents, environment, argument, std::move(reply));
               });
}

}  // namespace agent_doc::lsp
