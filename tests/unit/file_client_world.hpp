// What it is: what the tests of the file client share: a file, its client, and the server's side of
// the connection.
// What it is not: a test. Thread rule: one thread.
#pragma once

#include "editors/cli/file_client.hpp"
#include "protocol/lsp.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::cli::file_client_fixture {

inline constexpr std::chrono::seconds kDeadline{10};

/// A file, its client, and the server's side of the connection, which keeps a shadow as the real
/// one does.
class World {
 public:
  explicit World(const std::string& path,
                 file::FileCalls& calls = file::FileCalls::of_the_system()) {
    std::shared_ptr<protocol::Endpoint> client_end = protocol::Endpoint::make(
        [this](std::string body) {
          boost::asio::post(io, [this, body = std::move(body)] { server->receive(body); });
        },
        [](std::string_view) {});
    server = protocol::Endpoint::make(
        [this, client_end](std::string body) {
          boost::asio::post(io,
                            [client_end, body = std::move(body)] { client_end->receive(body); });
        },
        [](std::string_view) {});
    server->on_notification("textDocument/didOpen", [this](const boost::json::value& params) {
      const auto opened = protocol::decode_did_open(params);
      shadow = text::TextBuffer(opened.text);
      version = opened.version;
    });
    server->on_notification("textDocument/didChange", [this](const boost::json::value& params) {
      const auto changed = protocol::decode_did_change(params);
      REQUIRE(changed.version == version + 1);
      version = changed.version;
      for (const auto& change : changed.contentChanges) {
        const std::size_t begin =
            shadow.offset_of(change.range->start, text::PositionEncoding::Utf8);
        const std::size_t end = shadow.offset_of(change.range->end, text::PositionEncoding::Utf8);
        shadow.apply({begin, end, change.text});
      }
    });
    file::FileResult<file::DocumentFile> file = file::DocumentFile::open(path);
    REQUIRE(file.has_value());
    file->use_for_tests(calls);
    client.emplace(io, client_end, file::FileBuffer(*file, *file->read()),
                   [this](std::string_view sentence) { told.emplace_back(sentence); });
    client->open();
    wait_until([this] { return version > 0; });
  }
  ~World() { server->close(); }

  void wait_until(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + kDeadline;
    while (!condition()) {
      REQUIRE(std::chrono::steady_clock::now() < limit);
      io.run_one_for(std::chrono::milliseconds(50));
      io.restart();
    }
  }

  /// Inserts `text` at the end of the shadow; the answer comes later.
  void append(
      std::string text, std::function<void(bool applied)> answered = [](bool) {}) {
    send({shadow.size(), shadow.size(), std::move(text)}, version, std::move(answered));
  }
  void send(const text::Edit& edit, std::int64_t for_version,
            std::function<void(bool applied)> answered) {
    protocol::ApplyWorkspaceEditParams params{client->uri(), for_version, {}, edit.replacement};
    params.range = {shadow.position_of(edit.begin, text::PositionEncoding::Utf8),
                    shadow.position_of(edit.end, text::PositionEncoding::Utf8)};
    server->request("workspace/applyEdit",
                    protocol::encode(params, protocol::WorkspaceEditForm::DocumentChanges),
                    [answered](const protocol::Result& result) {
                      answered(std::holds_alternative<boost::json::value>(result) &&
                               protocol::decode_applied(std::get<boost::json::value>(result)));
                    });
  }
  bool append_and_wait(std::string text) {
    std::optional<bool> applied;
    append(std::move(text), [&applied](bool outcome) { applied = outcome; });
    wait_until([&applied] { return applied.has_value(); });
    return *applied;
  }
  FileClient::Ending finish() {
    std::optional<FileClient::Ending> ending;
    client->finish([&ending](FileClient::Ending outcome) { ending = outcome; });
    wait_until([&ending] { return ending.has_value(); });
    return *ending;
  }

  boost::asio::io_context io{1};
  std::shared_ptr<protocol::Endpoint> server;
  text::TextBuffer shadow;
  std::int64_t version = 0;
  std::vector<std::string> told;
  std::optional<FileClient> client;
};

}  // namespace agent_doc::cli::file_client_fixture
