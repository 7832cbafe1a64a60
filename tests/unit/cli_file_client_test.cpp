#include "editors/cli/file_client.hpp"

#include "protocol/lsp.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <boost/asio/post.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::cli {

namespace file_client_test {

using namespace std::chrono_literals;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

constexpr auto kDeadline = 10s;

/// A file, its client, and the server's side of the connection, which keeps a shadow as the real one does.
class World {
 public:
  explicit World(const std::string& path) : path_(path) {
    std::shared_ptr<protocol::Endpoint> client_end = protocol::Endpoint::make(
        [this](std::string body) { boost::asio::post(io, [this, body = std::move(body)] { server->receive(body); }); },
        [](std::string_view) {});
    server = protocol::Endpoint::make(
        [this, client_end](std::string body) {
          boost::asio::post(io, [client_end, body = std::move(body)] { client_end->receive(body); });
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
        const std::size_t begin = shadow.offset_of(change.range->start, text::PositionEncoding::Utf8);
        const std::size_t end = shadow.offset_of(change.range->end, text::PositionEncoding::Utf8);
        shadow.apply({begin, end, change.text});
      }
    });
    file::FileResult<file::DocumentFile> file = file::DocumentFile::open(path);
    REQUIRE(file.has_value());
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
      io.run_one_for(50ms);
      io.restart();
    }
  }

  /// Inserts `text` at the end of the shadow; the answer comes later.
  void append(
      std::string text, std::function<void(bool applied)> answered = [](bool) {}) {
    send({shadow.size(), shadow.size(), std::move(text)}, version, std::move(answered));
  }
  void send(const text::Edit& edit, std::int64_t for_version, std::function<void(bool applied)> answered) {
    protocol::ApplyWorkspaceEditParams params{client->uri(), for_version, {}, edit.replacement};
    params.range = {shadow.position_of(edit.begin, text::PositionEncoding::Utf8),
                    shadow.position_of(edit.end, text::PositionEncoding::Utf8)};
    server->request(
        "workspace/applyEdit", protocol::encode(params, protocol::WorkspaceEditForm::DocumentChanges),
        [answered](const protocol::Result& result) {
          answered(std::holds_alternative<boost::json::value>(result) && protocol::decode_applied(std::get<boost::json::value>(result)));
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

 private:
  std::string path_;
};

TEST_CASE("an edit is told back before its answer, and is on the disk with it") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  CHECK(world.shadow.text() == "one\n");
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.version == 2);
  CHECK(world.shadow.text() == "one\ntwo\n");
  CHECK(read_file(path) == "one\ntwo\n");
  CHECK(world.finish() == FileClient::Ending::Written);
}

TEST_CASE("an edit for any other version is refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  for (const std::int64_t version : {std::int64_t{0}, world.version - 1, world.version + 1}) {
    std::optional<bool> applied;
    world.send({0, 0, "x"}, version, [&applied](bool outcome) { applied = outcome; });
    world.wait_until([&applied] { return applied.has_value(); });
    CHECK_FALSE(*applied);
  }
  CHECK(read_file(path) == "one\n");
}

TEST_CASE("while it streams the file is written four times a second, the first ones and the end at once") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "");
  World world(path);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) CHECK(world.append_and_wait(std::to_string(i)));
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(took >= (8 - kWritesAtOnce) * kWriteInterval - 10ms);
  CHECK(took < (8 - 1) * kWriteInterval);

  world.append("8");
  const auto ended = std::chrono::steady_clock::now();
  world.wait_until([&] { return world.shadow.text() == "012345678"; });
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(std::chrono::steady_clock::now() - ended < kWriteInterval);
  CHECK(read_file(path) == "012345678");
}

TEST_CASE("what other programs do is told as changes, also while an edit waits for its turn") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "prompt\n\nnext\n");
  World world(path);
  CHECK(world.append_and_wait("reply one\n"));
  tests::rename_into(path, "title\n" + read_file(path));
  world.wait_until([&] { return world.shadow.text() == "title\nprompt\n\nnext\nreply one\n"; });

  world.append("reply two\n");
  world.wait_until([&] { return world.client->buffer().dirty(); });
  write_file(path, "title\nprompt\n\nnext question\nreply one\n");
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(read_file(path) == "title\nprompt\n\nnext question\nreply one\nreply two\n");
  world.wait_until([&] { return world.shadow.text() == read_file(path); });
  CHECK(world.told.empty());
}

TEST_CASE("a file that is moved away for a moment, as editors save, is no trouble") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::rename(path, path + "~");
  world.append("two\n");
  world.wait_until([&] { return world.client->buffer().dirty(); });
  world.io.run_for(50ms);
  world.io.restart();
  write_file(path, "zero\none\n");
  world.wait_until([&] { return read_file(path) == "zero\none\ntwo\n"; });
  CHECK(world.told.empty());
}

TEST_CASE("a file that is deleted is told once, the turn goes on, and the text has everything") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::remove(path);
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.append_and_wait("three\n"));
  REQUIRE(world.told.size() == 1);
  CHECK(world.told[0] ==
        path + ": no such file. To begin it: agent-doc new " + path + " The reply goes on here, and writing is tried again.");
  CHECK(world.finish() == FileClient::Ending::NotWritten);
  CHECK(world.client->buffer().text().text() == "one\ntwo\nthree\n");
  CHECK(folder.names().empty());
}

TEST_CASE("a file that comes back gets what it missed") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.told.size() == 1);
  std::filesystem::remove(path);
  write_file(path, "one\n");
  world.wait_until([&] { return world.told.size() == 2; });
  CHECK(world.told[1] == path + " is written again; nothing is missing in it.");
  CHECK(read_file(path) == "one\ntwo\n");
  CHECK(world.finish() == FileClient::Ending::Written);
}

}  // namespace file_client_test
}  // namespace agent_doc::cli
