// When a watched file is looked at and run: with a clock that the test moves.
#include "editors/cli/watch_plan.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace cli_watch_plan_test {

using namespace agent_doc::cli;
using std::chrono::milliseconds;
using Verdict = WatchPlan::Verdict;
using Time = WatchPlan::Time;

const std::string kA = "/a.md";
const std::string kB = "/b.md";

TEST_CASE("watch plan: saves that follow each other are one look, which is not put off for ever") {
  WatchPlan plan(1);
  Time now{};
  CHECK_FALSE(plan.next_look());
  for (int i = 0; i < 3; ++i) {
    plan.saved(kA, now);
    CHECK_FALSE(plan.take_due(now));
    now += milliseconds{50};
  }
  CHECK(*plan.next_look() == Time{} + milliseconds{200});
  now = *plan.next_look();
  CHECK(plan.take_due(now) == kA);
  CHECK_FALSE(plan.take_due(now));
  CHECK_FALSE(plan.next_look());

  const Time begin = now;
  while (!plan.take_due(now)) {
    plan.saved(kA, now);
    now += milliseconds{50};
    REQUIRE(now < begin + milliseconds{3000});
  }
  CHECK(now == begin + kLongestSettling);
}

TEST_CASE("watch plan: so many at once, and what is saved during a run is looked at afterwards") {
  WatchPlan plan(1);
  Time now{};
  plan.saved(kA, now);
  plan.saved(kB, now);
  now += kSettling;
  CHECK(plan.take_due(now) == kA);
  plan.began(kA, now);
  CHECK_FALSE(plan.take_due(now));
  CHECK_FALSE(plan.next_look());
  plan.saved(kA, now);
  plan.ended(kA, now);
  CHECK(plan.running() == 0);
  CHECK(plan.take_due(now) == kA);
  CHECK(plan.take_due(now) == kB);
  // Nothing was saved: nothing is looked at.
  plan.began(kB, now);
  plan.ended(kB, now);
  CHECK_FALSE(plan.next_look());
}

TEST_CASE("watch plan: runs in a row come to an end, and a person's pause begins anew") {
  WatchPlan plan(4);
  Time now{};
  const auto run = [&] {
    plan.began(kA, now);
    now += milliseconds{100};
    plan.ended(kA, now);
  };
  for (unsigned i = 0; i < kMaxChain; ++i) {
    CHECK(plan.may_run(kA, now) == Verdict::Run);
    run();
  }
  CHECK(plan.may_run(kA, now) == Verdict::LongChain);
  CHECK(plan.may_run(kB, now) == Verdict::Run);
  now += kChainGap;
  CHECK(plan.may_run(kA, now) == Verdict::Run);
  run();
  CHECK(plan.may_run(kA, now) == Verdict::Run);
  // Slowly, but again and again.
  for (std::size_t i = kMaxChain + 1; i < kMaxRunsInWindow; ++i) {
    now += kChainGap;
    CHECK(plan.may_run(kA, now) == Verdict::Run);
    run();
  }
  now += kChainGap;
  CHECK(plan.may_run(kA, now) == Verdict::TooManyRuns);
  now += kRunsWindow;
  CHECK(plan.may_run(kA, now) == Verdict::Run);
}

TEST_CASE("watch plan: agents that ask each other in ever new documents come to an end") {
  WatchPlan plan(4);
  Time now{};
  for (std::size_t i = 0; i < kMaxRunsOfAll; ++i) {
    const std::string path = "/w/" + std::to_string(i) + ".md";
    REQUIRE(plan.may_run(path, now) == Verdict::Run);
    plan.began(path, now);
    now += milliseconds{100};
    plan.ended(path, now);
  }
  CHECK(plan.may_run(kA, now) == Verdict::TooManyOfAll);
  CHECK(plan.may_run(kA, Time{} + kRunsWindow) == Verdict::Run);
}

TEST_CASE("watch plan: a file that cannot be had now is looked at again, a few times") {
  WatchPlan plan(1);
  Time now{};
  for (unsigned i = 0; i < kMaxLooksAgain; ++i) {
    REQUIRE(plan.look_again(kA, now));
    CHECK(*plan.next_look() == now + kLookAgainAfter);
    now = *plan.next_look();
    CHECK(plan.take_due(now) == kA);
  }
  CHECK_FALSE(plan.look_again(kA, now));
  CHECK_FALSE(plan.next_look());
  plan.saved(kA, now);
  CHECK(plan.next_look());
  CHECK(plan.look_again(kA, now));
}

TEST_CASE("watch plan: every save is looked at, and nothing runs twice at once") {
  agent_doc::test::RandomText random(3);
  for (int round = 0; round < 300; ++round) {
    const auto jobs = static_cast<unsigned>(1 + random.below(3));
    WatchPlan plan(jobs);
    Time now{};
    std::map<std::string, bool> unseen;
    std::map<std::string, bool> runs;
    const auto look = [&] {
      while (const std::optional<std::string> path = plan.take_due(now)) {
        CHECK_FALSE(runs[*path]);
        unseen[*path] = false;
        if (!random.one_in(2) || plan.may_run(*path, now) != Verdict::Run) continue;
        plan.began(*path, now);
        runs[*path] = true;
        CHECK(plan.running() <= jobs);
      }
    };
    const auto end_all = [&] {
      for (auto& [path, is_running] : runs) {
        if (is_running) plan.ended(path, now);
        is_running = false;
      }
    };
    for (int step = 0; step < 60; ++step) {
      const std::string path = "/" + std::to_string(random.below(4));
      if (random.one_in(2)) {
        plan.saved(path, now);
        unseen[path] = true;
      }
      if (random.one_in(8)) end_all();
      now += milliseconds{random.below(200)};
      look();
    }
    for (int left = 0; left < 200 && (plan.next_look() || plan.running() > 0); ++left) {
      end_all();
      if (plan.next_look()) now = std::max(now, *plan.next_look());
      look();
    }
    for (const auto& [path, is_unseen] : unseen) CHECK_FALSE(is_unseen);
  }
}

}  // namespace cli_watch_plan_test
