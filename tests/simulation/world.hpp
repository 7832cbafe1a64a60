// What it is: one run: a client, a server, the wires between them, a person and an agent with a
// script; logical time, and the checks.
// What it is not: it has no clock and no chance of its own: the same script gives the same run.
// Thread rule: one object per run.
#pragma once

#include "tests/simulation/client.hpp"
#include "tests/simulation/dice.hpp"
#include "tests/simulation/oracle.hpp"
#include "tests/simulation/person.hpp"
#include "tests/simulation/script.hpp"
#include "tests/simulation/trace.hpp"
#include "tests/simulation/writer.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::simulation {

struct RunResult {
  std::string failure;  ///< empty: all is well
  std::string trace;
  WriterCounts counts;
  bool by_text_only = false;
  int applied_to_other_text = 0;
  int regions = 0;
  int paused = 0;
  int detached = 0;
};

enum class Tracing { Off, On };

class World {
 public:
  World(const ClientModel& model, const Script& script, Tracing tracing);

  RunResult run();

 private:
  template <class Message>
  using Wire = std::deque<std::pair<Time, Message>>;

  enum class Source { ToServer, ToClient, Client, Writer, Step, End, None };

  std::pair<Time, Source> next() const;
  void happen(Source source);
  void take(const Step& step);
  void restart();
  void finish();
  void collect();
  std::string judge_end();
  /// How much can be demanded of this run.
  Evidence evidence() const;
  Evidence evidence_in_place() const;

  const ClientModel& model_;
  const Script& script_;
  Trace trace_;
  Dice dice_;
  Client client_;
  Person person_;
  std::vector<WantedRegion> wanted_;
  WriterCounts counts_;
  std::unique_ptr<Writer> writer_;
  Wire<FromClient> to_server_;
  Wire<EditRequest> to_client_;
  Time now_ = 0;
  Time frozen_until_ = 0;
  std::size_t next_step_ = 0;
  bool finished_ = false;
  bool told_as_a_whole_ = false;
  RunResult result_;
};

RunResult run_script(const ClientModel& model, const Script& script, Tracing tracing);

}  // namespace agent_doc::simulation
