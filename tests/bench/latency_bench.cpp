// From an agent's write() of a line to its text in the hands of an LSP client, through the real
// binary: pipe, line reader, engine, frame, pipe. The document has 1 MB. The deltas come further
// apart than the pace, so nothing waits for it. What the server takes is less by one wake-up of the
// client.

#include "tests/bench/marked_lines.hpp"
#include "tests/bench/real_server.hpp"

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace {

void BM_AgentLineToEdit(benchmark::State& state) {
  constexpr int kDeltas = 200;
  agent_doc::bench::Ages ages;
  for (auto _ : state) {
    agent_doc::bench::RealServer server(kDeltas, agent_doc::bench::kMillisecondsBetweenLines);
    // A client that holds no text: it looks at the clock, and echoes each edit as an editor would.
    std::int64_t version = 1;
    auto& client = *server.client;
    client.on_request("workspace/applyEdit", [&](const boost::json::value& params,
                                                 agent_doc::protocol::Replier reply) {
      const auto& edit = params.at("edit").at("documentChanges").at(0).at("edits").at(0);
      ages.see(edit.at("newText").as_string());
      boost::json::object change{{"range", edit.at("range")}, {"text", edit.at("newText")}};
      client.notify(
          "textDocument/didChange",
          boost::json::object{
              {"textDocument", boost::json::object{{"uri", server.uri()}, {"version", ++version}}},
              {"contentChanges", boost::json::array{std::move(change)}}});
      reply.result(boost::json::object{{"applied", true}});
    });
    client.initialize();
    client.notify(
        "textDocument/didOpen",
        boost::json::object{
            {"textDocument",
             boost::json::object{{"uri", server.uri()},
                                 {"languageId", "markdown"},
                                 {"version", version},
                                 {"text", agent_doc::bench::document_of(
                                              static_cast<std::size_t>(state.range(0)))}}}});
    client.request(
        "workspace/executeCommand",
        boost::json::object{
            {"command", "agentDoc.run"},
            {"arguments", boost::json::array{boost::json::object{{"uri", server.uri()}}}}});
    client.wait_for_notification(
        "agentDoc/turn",
        [](const boost::json::value& params) { return params.at("state").as_string() == "done"; },
        std::chrono::seconds{60});
    client.shut_down();
  }
  ages.report(state);
}
BENCHMARK(BM_AgentLineToEdit)
    ->Arg(10'000)
    ->Arg(1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
