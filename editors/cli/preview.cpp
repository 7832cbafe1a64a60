#include "editors/cli/preview.hpp"

#include "editors/cli/local_server.hpp"
#include "editors/cli/run_session.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/agent_doc.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/file/document_file.hpp"
#include "server/lsp/uri.hpp"
#include "server/turn/sanitiser.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

using PreviewOutcome = std::variant<json::object, protocol::Error>;

/// The server in this process, with the document as if an editor had it open.
class Asking {
 public:
  Asking() : server_(io_, app::load_config()) {}

  PreviewOutcome run(const std::string& path, const std::string& text, const RunOptions& options) {
    server_.start(project_folder_of(path),
                  [this, &path, &text, &options](std::optional<protocol::Error> error) {
                    if (error) return end(std::move(*error));
                    const std::string uri = lsp::uri_of(path);
                    json::object document{
                        {"uri", uri}, {"languageId", "markdown"}, {"version", 1}, {"text", text}};
                    server_.endpoint()->notify("textDocument/didOpen",
                                               json::object{{"textDocument", std::move(document)}});
                    json::object argument{{"uri", uri}};
                    if (!options.agent.empty()) argument["agent"] = options.agent;
                    if (!options.model.empty()) argument["model"] = options.model;
                    server_.execute(protocol::kPreviewCommand, std::move(argument),
                                    [this](protocol::Result result) {
                                      if (auto* refusal = std::get_if<protocol::Error>(&result))
                                        return end(std::move(*refusal));
                                      end(std::get<json::value>(result).as_object());
                                    });
                  });
    io_.run();
    return std::move(outcome_);
  }

 private:
  void end(PreviewOutcome outcome) {
    outcome_ = std::move(outcome);
    server_.shut_down([this] { io_.stop(); });
  }

  boost::asio::io_context io_{1};
  LocalServer server_;
  PreviewOutcome outcome_;
};

std::string text_of(const json::object& preview, std::string_view field) {
  return std::string(preview.at(field).as_string());
}

/// Agents have written a part of it: a terminal gets nothing of it that is a command.
void print(std::string_view text) {
  if (::isatty(STDOUT_FILENO) == 0) {
    write_all(STDOUT_FILENO, text);
    return;
  }
  std::string shown;
  turn::Sanitiser().feed(text, shown);
  write_all(STDOUT_FILENO, shown);
}

void print_json(const std::string& path, json::object preview) {
  preview["file"] = path;
  print(protocol::serialise_json(preview) + "\n");
}

std::string size_of(const json::object& preview) {
  return std::to_string(preview.at("bytes").to_number<std::uint64_t>()) + " bytes, about " +
         std::to_string(preview.at("estimatedTokens").to_number<std::uint64_t>()) +
         " tokens (estimated by the length)";
}

/// Why a diff is empty.
std::string why_no_changes(const json::object& preview, const std::string& file) {
  const std::string agent = text_of(preview, "agent");
  if (text_of(preview, "session") == "new")
    return agent + " has no session in " + file + " yet: a run sends the document.";
  if (!preview.at("known").as_bool())
    return "what " + agent + " has seen of " + file +
           " is not known here: a run sends the question alone.";
  if (text_of(preview, "shape") == "document") return agent + " gets all of " + file + ".";
  return "nothing above the question in " + file + " was changed since " + agent +
         " saw it: a run sends the question alone.";
}

}  // namespace

int show_prompt(const RunOptions& options, const std::string& path, const std::string& text) {
  PreviewOutcome outcome = Asking().run(path, text, options);
  if (const auto* error = std::get_if<protocol::Error>(&outcome))
    return complain(exit_code_of(*error), error->message);
  json::object& preview = std::get<json::object>(outcome);
  if (options.format == Format::Json) {
    print_json(path, std::move(preview));
    return kDone;
  }
  print(text_of(preview, "text") + "\n");
  return complain(kDone,
                  size_of(preview) + " for " + text_of(preview, "agent") + "; nothing was sent.");
}

int show_changes(const DiffOptions& options) {
  const file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kUsage, text.error().message);
  RunOptions run;
  run.agent = options.agent;
  PreviewOutcome outcome = Asking().run(document->path(), *text, run);
  if (const auto* error = std::get_if<protocol::Error>(&outcome))
    return complain(exit_code_of(*error), error->message);
  json::object& preview = std::get<json::object>(outcome);
  if (options.format == Format::Json) {
    preview.erase("text");
    print_json(document->path(), std::move(preview));
    return kDone;
  }
  const std::string changes = text_of(preview, "changes");
  if (changes.empty()) return complain(kDone, why_no_changes(preview, options.file));
  print("--- " + options.file + " as " + text_of(preview, "agent") + " has seen it\n+++ " +
        options.file + "\n" + changes);
  return complain(kDone, "a run sends " + size_of(preview) + ".");
}

}  // namespace agent_doc::cli
