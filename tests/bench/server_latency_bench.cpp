// From an agent's line to the frame of its edit, inside the server: the agent is a real process on
// real pipes, the server and its transport are those of `agent-doc serve`, in this process; the
// client is at the other end of the server's pipes, on the same thread, and has nothing to do while
// a line is on its way. A time begins with the clock in the agent just before its write(), and ends
// with the clock here when the write() of the frame has returned.
//
// BM_AgentLineToFrame/waiting: the thread sleeps in epoll_wait, as a server does; the time has the
// kernel's wake-up of it in it. BM_AgentLineToFrame/spinning: the thread polls; the time is the
// agent's write(), and all that the server does from its read() to its write().

#include "protocol/endpoint.hpp"
#include "server/app/server.hpp"
#include "server/app/stdio_connection.hpp"
#include "server/process/file_descriptor.hpp"
#include "tests/bench/marked_lines.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <benchmark/benchmark.h>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace {

using namespace agent_doc;
namespace json = boost::json;

constexpr int kLines = 200;

enum class Loop { Waiting, Spinning };

struct Pipe {
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    out = process::FileDescriptor(ends[0]);
    in = process::FileDescriptor(ends[1]);
  }
  process::FileDescriptor out, in;
};

app::Config configuration() {
  return app::parse_config(
      "default_agent = \"bench\"\n[agents.bench]\ndialect = \"claude\"\ncommand = \"" BENCH_AGENT
      "\"\nargs = [\"" +
          std::to_string(kLines) + "\", \"" + std::to_string(bench::kMillisecondsBetweenLines) +
          "\"]\n",
      "config.toml");
}

json::object initialize_params() {
  return {
      {"processId", nullptr},
      {"rootUri", nullptr},
      {"capabilities",
       json::object{
           {"general", json::object{{"positionEncodings", json::array{"utf-16"}}}},
           {"workspace", json::object{{"applyEdit", true},
                                      {"workspaceEdit", json::object{{"documentChanges", true}}}}},
           {"experimental",
            json::object{{"agentDoc", json::object{{"turn", true}, {"strictEdits", true}}}}}}}};
}

/// The server and a client that holds no text: it echoes each edit as an editor would.
class World {
 public:
  explicit World(std::size_t document_bytes)
      : server_end_(
            io_, to_server_.out.get(), to_client_.in.get(),
            [this](std::string_view body) { server_->receive(body); },
            [](app::ConnectionEnd, const std::string&) {}),
        client_end_(
            io_, to_client_.out.get(), to_server_.in.get(),
            [this](std::string_view body) { client_->receive(body); },
            [](app::ConnectionEnd, const std::string&) {}),
        server_(app::Server::make(
            io_, {configuration(), AGENT_DOC_BINARY},
            [this](const std::string& body) {
              server_end_.send(body);
              ages.see(body);
            },
            [this](int code) { exit_code_ = code; })),
        client_(protocol::Endpoint::make(
            [this](const std::string& body) { client_end_.send(body); }, [](std::string_view) {})) {
    client_->on_request("workspace/applyEdit",
                        [this](const json::value& params, protocol::Replier reply) {
                          echo(params, std::move(reply));
                        });
    client_->on_request("window/workDoneProgress/create",
                        [](const json::value&, protocol::Replier reply) { reply.result(nullptr); });
    client_->on_notification("agentDoc/turn", [this](const json::value& params) {
      turn_state_ = params.at("state").as_string();
    });
    client_->request("initialize", initialize_params(), [](const protocol::Result&) {});
    client_->notify("initialized", json::object());
    client_->notify(
        "textDocument/didOpen",
        json::object{{"textDocument", json::object{{"uri", uri()},
                                                   {"languageId", "markdown"},
                                                   {"version", version_},
                                                   {"text", bench::document_of(document_bytes)}}}});
  }

  /// One run, and the end of the server.
  void play(Loop loop) {
    const json::object argument{{"uri", uri()}};
    client_->request(
        "workspace/executeCommand",
        json::object{{"command", "agentDoc.run"}, {"arguments", json::array{argument}}},
        [](const protocol::Result&) {});
    while (turn_state_ != "done" && turn_state_ != "failed") {
      if (loop == Loop::Waiting) {
        io_.run_one();
      } else {
        io_.poll();
      }
    }
    client_->request("shutdown", nullptr,
                     [this](const protocol::Result&) { client_->notify("exit", nullptr); });
    while (!exit_code_) io_.run_one();
  }

  const std::string& turn_state() const { return turn_state_; }

  bench::Ages ages;

 private:
  std::string uri() const { return "file://" + (folder_ / "doc.md"); }

  void echo(const json::value& params, protocol::Replier reply) {
    const json::value& edit = params.at("edit").at("documentChanges").at(0).at("edits").at(0);
    const json::object change{{"range", edit.at("range")}, {"text", edit.at("newText")}};
    client_->notify(
        "textDocument/didChange",
        json::object{{"textDocument", json::object{{"uri", uri()}, {"version", ++version_}}},
                     {"contentChanges", json::array{change}}});
    reply.result(json::object{{"applied", true}});
  }

  tests::TemporaryFolder folder_;
  boost::asio::io_context io_{1};
  Pipe to_server_, to_client_;
  app::StdioConnection server_end_, client_end_;
  std::unique_ptr<app::Server> server_;
  std::shared_ptr<protocol::Endpoint> client_;
  std::int64_t version_ = 1;
  std::string turn_state_;
  std::optional<int> exit_code_;
};

void BM_AgentLineToFrame(benchmark::State& state, Loop loop) {
  for (auto _ : state) {
    World world(static_cast<std::size_t>(state.range(0)));
    world.play(loop);
    if (world.turn_state() != "done") return state.SkipWithError("the turn failed");
    world.ages.report(state);
  }
}
BENCHMARK_CAPTURE(BM_AgentLineToFrame, waiting, Loop::Waiting)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_AgentLineToFrame, spinning, Loop::Spinning)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
