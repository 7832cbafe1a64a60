#include "server/app/stdio_connection.hpp"

#include "server/process/file_descriptor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace agent_doc::app {

namespace stdio_connection_test {

using process::FileDescriptor;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    reader = FileDescriptor(ends[0]);
    writer = FileDescriptor(ends[1]);
  }
  FileDescriptor reader, writer;
};

void put(const FileDescriptor& writer, std::string_view bytes) {
  REQUIRE(::write(writer.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

/// A connection on two pipes.
struct World {
  World() {
    connection = std::make_unique<StdioConnection>(
        io, from_client.reader.get(), to_client.writer.get(),
        [this](std::string_view body) { received.emplace_back(body); },
        [this](ConnectionEnd how, const std::string& reason) {
          end = how;
          why = reason;
        });
  }
  void wait_until(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
      REQUIRE(std::chrono::steady_clock::now() < limit);
      io.run_one_for(std::chrono::milliseconds(50));
      io.restart();
    }
  }

  Pipe from_client, to_client;
  boost::asio::io_context io{1};
  std::vector<std::string> received;
  std::optional<ConnectionEnd> end;
  std::string why;
  std::unique_ptr<StdioConnection> connection;
};

TEST_CASE("messages come and go as frames, in order") {
  World world;
  put(world.from_client.writer, "Content-Length: 2\r\n\r\n{}Content-Length: 4\r\n\r\nnu");
  put(world.from_client.writer, "ll");
  world.wait_until([&] { return world.received.size() == 2; });
  CHECK(world.received == std::vector<std::string>{"{}", "null"});

  for (const char* body : {"one", "two", "three"}) world.connection->send(body);
  bool flushed = false;
  world.connection->flush([&flushed] { flushed = true; });
  world.wait_until([&flushed] { return flushed; });
  std::string bytes(200, '\0');
  bytes.resize(
      static_cast<std::size_t>(::read(world.to_client.reader.get(), bytes.data(), bytes.size())));
  CHECK(bytes ==
        "Content-Length: 3\r\n\r\noneContent-Length: 3\r\n\r\ntwoContent-Length: 5\r\n\r\nthree");
  CHECK_FALSE(world.end);
}

TEST_CASE("how the client ends the stream is told") {
  struct Case {
    const char* bytes;
    ConnectionEnd end;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"", ConnectionEnd::Closed, "the client's stream ended: End of file"},
      {"Content-Length: 2\r\n\r\n{}", ConnectionEnd::Closed,
       "the client's stream ended: End of file"},
      {"Content-Length: 2\r\n\r\n{", ConnectionEnd::Broken,
       "the client's stream ended inside a message"},
      {"Content-Le", ConnectionEnd::Broken, "the client's stream ended inside a message"},
  };
  for (const Case& expected : cases) {
    World world;
    put(world.from_client.writer, expected.bytes);
    world.from_client.writer = FileDescriptor();
    world.wait_until([&] { return world.end.has_value(); });
    CHECK(*world.end == expected.end);
    CHECK(world.why == expected.why);
  }
}

TEST_CASE("bad framing ends the connection, and what came before it was received") {
  World world;
  put(world.from_client.writer, "Content-Length: 2\r\n\r\n{}Content-Length: many\r\n\r\n");
  world.wait_until([&] { return world.end.has_value(); });
  CHECK(*world.end == ConnectionEnd::Broken);
  CHECK(world.why.starts_with("the client's stream cannot be read on: "));
  CHECK(world.received == std::vector<std::string>{"{}"});
}

TEST_CASE("a client that does not read is given up above the limit, and memory with it") {
  World world;
  const std::string large(1024 * 1024, 'x');
  for (std::size_t i = 0; i <= kMaxQueuedBytes / large.size(); ++i) world.connection->send(large);
  CHECK_FALSE(world.end);
  world.wait_until([&] { return world.end.has_value(); });
  CHECK(*world.end == ConnectionEnd::Refused);
  CHECK(world.why.starts_with("the client does not read: "));
}

TEST_CASE("a client that is gone is told, not died of") {
  ::signal(SIGPIPE, SIG_IGN);  // as main() does
  World world;
  world.to_client.reader = FileDescriptor();
  world.connection->send("{}");
  world.wait_until([&] { return world.end.has_value(); });
  CHECK(*world.end == ConnectionEnd::Refused);
}

TEST_CASE("the descriptors stay open and get their flags back") {
  World world;
  world.connection->send("{}");
  put(world.from_client.writer, "Content-Length: 2\r\n\r\n{}");
  world.wait_until([&] { return world.received.size() == 1; });
  CHECK((::fcntl(world.from_client.reader.get(), F_GETFL) & O_NONBLOCK) != 0);
  world.connection.reset();
  CHECK((::fcntl(world.from_client.reader.get(), F_GETFL) & O_NONBLOCK) == 0);
  CHECK((::fcntl(world.to_client.writer.get(), F_GETFL) & O_NONBLOCK) == 0);
}

}  // namespace stdio_connection_test
}  // namespace agent_doc::app
