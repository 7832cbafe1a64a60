// From an agent's write() of a line to its text in the hands of an LSP client, through the real binary: pipe, line reader, engine, frame, pipe. The document
// has 1 MB. The deltas come further apart than the pace, so nothing waits for it. What the server takes is less by one wake-up of the client.

#include "tests/bench/real_server.hpp"

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

namespace {

std::string document_of(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "A line of the document, as long as lines of prose are wont to be in one.\n";
  return text;
}

/// All marks "@" and 19 digits in `text` that are newer than `newest`: the age of each in microseconds.
void collect_ages(std::string_view text, long long& newest, std::vector<double>& ages) {
  const auto now = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  for (std::size_t at = text.find('@'); at != std::string_view::npos && at + 20 <= text.size(); at = text.find('@', at + 1)) {
    const long long mark = std::atoll(std::string(text.substr(at + 1, 19)).c_str());
    if (mark <= newest) continue;
    newest = mark;
    ages.push_back(static_cast<double>(now - mark) / 1000.0);
  }
}

void BM_AgentLineToEdit(benchmark::State& state) {
  constexpr int kDeltas = 400;
  std::vector<double> ages;
  for (auto _ : state) {
    agent_doc::bench::RealServer server(kDeltas, 40);
    // A client that holds no text: it looks at the clock, and echoes each edit as an editor would.
    std::int64_t version = 1;
    long long newest = 0;
    auto& client = *server.client;
    client.on_request("workspace/applyEdit", [&](const boost::json::value& params, agent_doc::protocol::Replier reply) {
      const auto& edit = params.at("edit").at("documentChanges").at(0).at("edits").at(0);
      collect_ages(edit.at("newText").as_string(), newest, ages);
      boost::json::object change{{"range", edit.at("range")}, {"text", edit.at("newText")}};
      client.notify("textDocument/didChange", boost::json::object{{"textDocument", boost::json::object{{"uri", server.uri()}, {"version", ++version}}},
                                                                  {"contentChanges", boost::json::array{std::move(change)}}});
      reply.result(boost::json::object{{"applied", true}});
    });
    client.initialize();
    client.notify("textDocument/didOpen",
                  boost::json::object{{"textDocument", boost::json::object{{"uri", server.uri()},
                                                                           {"languageId", "markdown"},
                                                                           {"version", version},
                                                                           {"text", document_of(static_cast<std::size_t>(state.range(0)))}}}});
    client.request("workspace/executeCommand", boost::json::object{{"command", "agentDoc.run"}, {"arguments", boost::json::array{boost::json::object{{"uri", server.uri()}}}}});
    client.wait_for_notification("agentDoc/turn", [](const boost::json::value& params) { return params.at("state").as_string() == "done"; },
                                         std::chrono::seconds{60});
    client.shut_down();
  }
  if (ages.empty()) {
    state.SkipWithError("no text arrived");
    return;
  }
  std::sort(ages.begin(), ages.end());
  state.counters["p50_us"] = ages[ages.size() / 2];
  state.counters["p99_us"] = ages[ages.size() * 99 / 100];
  state.counters["samples"] = static_cast<double>(ages.size());
}
BENCHMARK(BM_AgentLineToEdit)->Arg(10'000)->Arg(1'000'000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
