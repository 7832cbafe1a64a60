// The protocol between SyncEngine and clients as they are, in thousands of seeded runs.
//   AGENT_DOC_SIMULATION_RUNS  runs of all cases together (10,000)
//   AGENT_DOC_SIMULATION_SEED  the first seed (1)
// A failure tells its seed and how to run it again, after it has been made as short as possible.

#include "tests/simulation/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace agent_doc::simulation {

namespace simulation_test_internal {

constexpr std::uint64_t kDefaultRuns = 10'000;
constexpr int kShrinkTries = 3'000;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::strtoull(value, nullptr, 10);
}

std::string report(const ClientModel& model, const Script& script,
                   const std::string& first_failure) {
  const Script shorter = shrunk(
      script,
      [&](const Script& candidate) {
        return !run_script(model, candidate, Tracing::Off).failure.empty();
      },
      kShrinkTries);
  const RunResult result = run_script(model, shorter, Tracing::On);
  return "client: " + std::string(model.name) + ", seed " + std::to_string(script.seed) + ": " +
         first_failure + "\nmade shorter: " + result.failure + "\n" + describe(shorter) +
         result.trace + "\nagain: AGENT_DOC_SIMULATION_RUNS=1 AGENT_DOC_SIMULATION_SEED=" +
         std::to_string(script.seed) + " <this program> --test-case='simulation: " + model.name +
         "'";
}

void simulate(const char* name) {
  const ClientModel& model = client_model(name);
  const std::uint64_t all = number_from_environment("AGENT_DOC_SIMULATION_RUNS", kDefaultRuns);
  const std::uint64_t first = number_from_environment("AGENT_DOC_SIMULATION_SEED", 1);
  const std::uint64_t runs = std::max<std::uint64_t>(1, all / client_models().size());
  RunResult sum;
  int by_text_only = 0;
  for (std::uint64_t seed = first; seed < first + runs; ++seed) {
    const Script script = write_script(seed, model);
    INFO("client: ", std::string(name), ", seed ", seed);
    const RunResult result = run_script(model, script, Tracing::Off);
    if (!result.failure.empty()) {
      FAIL(report(model, script, result.failure));
      return;
    }
    sum.counts.sent += result.counts.sent;
    sum.counts.refused += result.counts.refused;
    sum.counts.dropped += result.counts.dropped;
    sum.counts.found_again += result.counts.found_again;
    sum.regions += result.regions;
    sum.paused += result.paused;
    sum.detached += result.detached;
    sum.applied_to_other_text += result.applied_to_other_text;
    by_text_only += result.by_text_only ? 1 : 0;
  }
  CHECK(sum.counts.sent > 0);
  if (runs > 500 && model.answers != Answers::AlwaysRefuses) CHECK(sum.counts.found_again > 0);
  MESSAGE(runs, " runs, ", sum.regions, " replies (", sum.paused, " left paused, ", sum.detached,
          " detached, ", sum.counts.found_again, " found again), ", sum.counts.sent,
          " edits: ", sum.counts.refused, " refused, ", sum.counts.dropped, " dropped, ",
          sum.applied_to_other_text, " astray; ", by_text_only, " judged by text");
}

/// Runs that failed once. What a seed means changes with the models and the scripts; what each
/// showed has a unit test, too (sync_seeds, sync_rewrites, sync_guesses).
struct KeptSeed {
  std::uint64_t seed;
  const char* client;
};
constexpr KeptSeed kKeptSeeds[] = {
    {783, "merges changes slowly"},
    {1006, "eglot"},
    {1038, "writes lf"},
    {1302, "full text with debounce"},
    {25011539, "eglot"},
    {700434, "neovim"},
    {701124, "neovim"},
    {701247, "neovim"},
    {702116, "neovim"},
    {9303912, "vscode with our plugin"},
    {9312925, "neovim"},
    {9325544, "full text with debounce"},
    {30000000, "merges changes slowly"},
    {30000012, "merges changes"},
    {30000431, "answers first"},
    {30000742, "writes lf"},
    {30001295, "answers first"},
    {30001915, "answers first"},
    {30002087, "answers first"},
    {30002447, "writes crlf"},
    {30002596, "vscode with our plugin"},
    {30002764, "answers first"},
    {30002817, "file"},
    {30003083, "merges changes"},
    {30003083, "file"},
    {30003212, "vscode with our plugin"},
    {30003842, "answers first"},
    {30004199, "neovim"},
    {30010461, "answers first"},
    {30011105, "neovim"},
    {30011820, "merges changes"},
    {30011910, "neovim without debounce"},
    {30013349, "writes lf"},
    {30013730, "writes lf"},
    {30014048, "merges changes"},
    {30014821, "eglot"},
    {30016674, "writes lf"},
    {30017436, "vscode with our plugin"},
    {30025134, "neovim"},
    {30027707, "neovim"},
    {30029226, "vscode"},
    {30030521, "writes crlf"},
    {30030684, "neovim without debounce"},
    {30032388, "answers first"},
    {30033512, "merges changes"},
    {30055498, "neovim"},
    {30061373, "neovim without debounce"},
    {30062490, "file"},
    {30066350, "ignores versions"},
    {30070806, "vscode"},
    {30072746, "never answers"},
    {30074687, "ignores versions"},
    {557, "counts code points"},
    {42004161, "writes lf"},
    {30021965, "merges changes"},
    {30040405, "merges changes slowly"},
    {30054327, "writes lf"},
    {30056977, "eglot"},
    {30062509, "merges changes slowly"},
    {30065032, "full text"},
    {30068537, "writes crlf"},
    {30076093, "answers late"},
    {40000577, "full text"},
    {42003008, "merges changes slowly"},
    {46006325, "neovim without debounce"},
    {46006843, "neovim"},
    {46007536, "answers late"},
    {46008576, "eglot"},
    {46009857, "neovim"},
    {46011134, "answers first"},
    {46012771, "answers first"},
    {46012840, "merges changes slowly"},
    {46014369, "merges changes"},
    {46016414, "ignores versions"},
    {46016496, "eglot"},
    {46023082, "merges changes slowly"},
    {46030078, "never answers"},
    {46033672, "neovim without debounce"},
    {46041261, "vscode"},
    {46042803, "eglot"},
    {46044656, "counts code points"},
    {46046144, "ignores versions"},
    {46046666, "vscode"},
    {46054893, "full text with debounce"},
    {46061698, "never answers"},
    {49003984, "neovim without debounce"},
    {49004929, "writes lf"},
    {49005439, "vscode with our plugin"},
    {49007469, "answers first"},
    {49008742, "writes crlf"},
    {47003394, "vscode"},
    {47003394, "helix"},
    {47003394, "full text"},
    {47000565, "merges changes slowly"},
    {48000358, "merges changes"},
    {60005993, "counts code points"},
    {61002398, "merges changes"},
    {64001637, "answers first"},
    {65007119, "full text"},
    {65006877, "full text with debounce"},
    {65011150, "full text with debounce"},
    {65018063, "ignores versions"},
    {66010490, "full text with debounce"},
    {66006040, "writes lf"},
    {66017366, "writes lf"},
    {50122026, "vscode"},
    {50122026, "helix"},
    {67001696, "answers first"},
    {67003622, "answers first"},
    {70001210, "makes edits late"},
    {61000068, "full text with debounce"},
    {61001797, "full text with debounce"},
    {61002520, "full text with debounce"},
    {62003349, "eglot"},
    {62001538, "merges changes slowly"},
    {63000200, "merges changes"},
    {63001542, "merges changes"},
    {63003677, "merges changes"},
    {63001542, "merges changes slowly"},
    {63003677, "merges changes slowly"},
    {63005716, "merges changes slowly"},
    {51009401, "makes edits late"},
    {51015544, "makes edits late"},
    {51019610, "makes edits late"},
    {51120605, "makes edits late"},
    {51005883, "answers first"},
    {51105973, "answers first"},
    {51009813, "eglot"},
    {51103778, "eglot"},
    {51103467, "full text with debounce"},
    {51106999, "merges changes slowly"},
    {51105758, "file"},
    {70034898, "neovim without debounce"},
    {70029508, "eglot"},
    {70019556, "makes edits late"},
    {70011815, "writes crlf"},
    {71027616, "writes lf"},
    {71022328, "never answers"},
    {71022328, "answers late"},
    {71040887, "answers late"},
    {72021192, "makes edits late"},
    {72042627, "makes edits late"},
    {74020268, "makes edits late"},
    {73029057, "makes edits late"},
    {71010483, "merges changes slowly"},
    {76023884, "merges changes"},
    {76115503, "writes crlf"},
    {74001340, "writes crlf"},
    {72003444, "merges changes slowly"},
    {74016306, "merges changes slowly"},
    {73007465, "makes edits late"},
    {74013483, "makes edits late"},
    {73029209, "neovim without debounce"},
    {71033330, "answers late"},
    {75020476, "answers late"},
    {75037168, "answers late"},
    {75020476, "never answers"},
    {75019086, "eglot"},
    {71015150, "file"},
    {80028341, "neovim"},
    {80034853, "makes edits late"},
    {80033151, "writes lf"},
    {80044478, "full text"},
    {81016736, "file"},
    {82000918, "merges changes"},
    {83000061, "makes edits late, tells whole texts"},
    {83000299, "makes edits late, tells whole texts"},
    {83001160, "makes edits late, tells whole texts"},
    {83001431, "makes edits late, tells whole texts"},
    {83001504, "makes edits late, tells whole texts"},
    {83001862, "makes edits late, tells whole texts"},
    {83001876, "makes edits late, tells whole texts"},
    {83002568, "makes edits late, tells whole texts"},
    {83002664, "makes edits late, tells whole texts"},
    {84002867, "makes edits late, tells whole texts"},
    {84003774, "makes edits late, tells whole texts"},
    {84004403, "makes edits late, tells whole texts"},
    {84005162, "makes edits late, tells whole texts"},
    {84006408, "makes edits late, tells whole texts"},
    {84007596, "makes edits late, tells whole texts"},
    {85000597, "makes edits late, tells whole texts"},
    {85003561, "makes edits late, tells whole texts"},
    {85022164, "makes edits late, tells whole texts"},
    {85033259, "makes edits late, tells whole texts"},
    {85044882, "makes edits late, tells whole texts"},
    {86028865, "makes edits late, tells whole texts"},
    {83008545, "makes edits late, tells whole texts"},
    {83011113, "makes edits late, tells whole texts"},
    {83006692, "makes edits late, tells whole texts"},
    {92011116, "neovim"},
    {93001600, "makes edits late, tells whole texts"},
    {93003004, "makes edits late, tells whole texts"},
    {93014095, "makes edits late, tells whole texts"},
    {93030441, "makes edits late, tells whole texts"},
    {93039211, "makes edits late, tells whole texts"},
};

void run_kept_seeds() {
  for (const KeptSeed& kept : kKeptSeeds) {
    const ClientModel& model = client_model(kept.client);
    const Script script = write_script(kept.seed, model);
    const RunResult result = run_script(model, script, Tracing::Off);
    CHECK_MESSAGE(result.failure.empty(), kept.client, ", seed ", kept.seed, ": ", result.failure);
  }
}

}  // namespace simulation_test_internal

using simulation_test_internal::run_kept_seeds;
using simulation_test_internal::simulate;

TEST_CASE("simulation: vscode") {
  simulate("vscode");
}
TEST_CASE("simulation: vscode with our plugin") {
  simulate("vscode with our plugin");
}
TEST_CASE("simulation: neovim") {
  simulate("neovim");
}
TEST_CASE("simulation: neovim without debounce") {
  simulate("neovim without debounce");
}
TEST_CASE("simulation: neovim with our plugin") {
  simulate("neovim with our plugin");
}
TEST_CASE("simulation: eglot") {
  simulate("eglot");
}
TEST_CASE("simulation: helix") {
  simulate("helix");
}
TEST_CASE("simulation: full text") {
  simulate("full text");
}
TEST_CASE("simulation: full text with debounce") {
  simulate("full text with debounce");
}
TEST_CASE("simulation: merges changes") {
  simulate("merges changes");
}
TEST_CASE("simulation: merges changes slowly") {
  simulate("merges changes slowly");
}
TEST_CASE("simulation: answers first") {
  simulate("answers first");
}
TEST_CASE("simulation: makes edits late") {
  simulate("makes edits late");
}
TEST_CASE("simulation: makes edits late, tells whole texts") {
  simulate("makes edits late, tells whole texts");
}
TEST_CASE("simulation: writes crlf") {
  simulate("writes crlf");
}
TEST_CASE("simulation: writes lf") {
  simulate("writes lf");
}
TEST_CASE("simulation: ignores versions") {
  simulate("ignores versions");
}
TEST_CASE("simulation: never answers") {
  simulate("never answers");
}
TEST_CASE("simulation: answers late") {
  simulate("answers late");
}
TEST_CASE("simulation: read-only") {
  simulate("read-only");
}
TEST_CASE("simulation: file") {
  simulate("file");
}
TEST_CASE("simulation: kept seeds") {
  run_kept_seeds();
}
TEST_CASE("simulation: counts code points") {
  simulate("counts code points");
}

}  // namespace agent_doc::simulation
