#include "server/app/server.hpp"

#include "server/app/asio_environment.hpp"
#include "tests/fakes/wire_check.hpp"

#include <doctest/doctest.h>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

namespace app_server_test {

using namespace agent_doc;
using std::chrono::milliseconds;

/// Runs until nothing is left to do.
struct EnvironmentWorld {
  boost::asio::io_context io;
  std::vector<int> exits;
  app::AsioEnvironment environment{io, app::Config{}, "", process::Orphans::LeaveEnded,
                                   [this](int code) { exits.push_back(code); }};
  std::vector<std::string> called;
  auto note(std::string name) {
    return [this, name = std::move(name)] { called.push_back(name); };
  }
};

TEST_CASE("calls come at their time, in order, and never at once") {
  EnvironmentWorld world;
  const auto now = world.environment.now();
  const auto later = world.environment.schedule(now + milliseconds{20}, world.note("later"));
  const auto soon = world.environment.schedule(now + milliseconds{5}, world.note("soon"));
  const auto at_once = world.environment.schedule(now, world.note("at once"));
  CHECK(world.called.empty());
  world.io.run();
  CHECK(world.called == std::vector<std::string>{"at once", "soon", "later"});
  CHECK(world.environment.now() >= now + milliseconds{20});
}

TEST_CASE(
    "what is destroyed is not called, also when its time has come already; and it may be destroyed "
    "from inside") {
  EnvironmentWorld world;
  const auto now = world.environment.now();
  lsp::PendingHandle second = world.environment.schedule(now, world.note("second"));
  lsp::PendingHandle late = world.environment.schedule(now + milliseconds{1}, world.note("late"));
  lsp::PendingHandle self;
  self = world.environment.schedule(now, [&] {
    self.reset();
    world.called.push_back("self");
  });
  second.reset();
  late.reset();
  world.io.run();
  CHECK(world.called == std::vector<std::string>{"self"});
}

TEST_CASE("the end of a process is noticed, of one that is gone already, too") {
  EnvironmentWorld world;
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto watch = world.environment.watch_process(child, world.note("gone"));
  const auto kill = world.environment.schedule(world.environment.now() + milliseconds{5},
                                               [&] { ::kill(child, SIGKILL); });
  world.io.run();
  CHECK(world.called == std::vector<std::string>{"gone"});
  ::waitpid(child, nullptr, 0);

  const auto too_late = world.environment.watch_process(child, world.note("was gone"));
  CHECK(world.called.size() == 1);
  world.io.restart();
  world.io.run();
  CHECK(world.called.back() == "was gone");
}

TEST_CASE("every UUID is another one") {
  EnvironmentWorld world;
  const std::string one = world.environment.make_uuid();
  CHECK(one.size() == 36);
  CHECK(one != world.environment.make_uuid());
}

TEST_CASE(
    "a client in the same process may answer from inside its sink; nothing is re-entered, and the "
    "order stays") {
  boost::asio::io_context io;
  std::unique_ptr<app::Server> server;
  std::vector<std::string> heard;
  std::vector<int> exits;
  fakes::WireCheck check;
  server = app::Server::make(
      io, {},
      [&](std::string body) {
        check.from_server(body);
        const auto message = boost::json::parse(body);
        const auto* id = message.as_object().if_contains("id");
        heard.push_back(id != nullptr ? std::string(id->as_string()) : body);
        if (heard.back() != "first") return;
        server->receive(R"({"jsonrpc":"2.0","method":"initialized","params":{}})");
        server->receive(R"({"jsonrpc":"2.0","id":"second","method":"shutdown"})");
        server->receive(R"({"jsonrpc":"2.0","id":"third","method":"shutdown"})");
        CHECK(heard.size() == 1);
      },
      [&](int code) { exits.push_back(code); });
  server->receive(
      R"({"jsonrpc":"2.0","id":"first","method":"initialize","params":{"capabilities":{}}})");
  server->receive(R"({"jsonrpc":"2.0","method":"exit"})");
  CHECK(heard.size() == 1);
  io.run();
  CHECK(heard == std::vector<std::string>{"first", "second", "third"});
  CHECK(check.take_problems().empty());
  CHECK(exits == std::vector{0});
}

TEST_CASE("a client that is gone ends the server, with code 1") {
  boost::asio::io_context io;
  std::vector<int> exits;
  const auto server = app::Server::make(
      io, {}, [](const std::string&) {}, [&](int code) { exits.push_back(code); });
  server->receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})");
  server->connection_lost();
  server->connection_lost();
  CHECK(exits.empty());
  io.run();
  CHECK(exits == std::vector{1});
}

}  // namespace app_server_test
