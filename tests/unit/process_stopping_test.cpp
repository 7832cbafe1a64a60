#include "server/process/asio_launcher.hpp"
#include "server/process/file_descriptor.hpp"
#include "server/process/process_tree.hpp"

#include "server/process/file_descriptor.hpp"
#include "server/process/process_tree.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent_doc::process {

namespace stopping_test {

using process_test::kMisbehavingAgent;
using process_test::Launching;
using process_test::Recorder;
using Clock = std::chrono::steady_clock;

TEST_CASE("launcher: the steps of stopping") {
  Launching launching;
  struct Case {
    const char* mode;
    StopUrgency urgency;
    int signal;
    std::chrono::milliseconds at_least, at_most;
  };
  const std::chrono::milliseconds quick{2000};  // the machine may be busy
  const Case cases[] = {
      {"deaf", StopUrgency::Normal, SIGINT, {}, quick},
      {"ignores-interrupt", StopUrgency::Shutdown, SIGTERM, kShutdownInterruptGrace,
       kShutdownInterruptGrace + quick},
      {"silent", StopUrgency::Shutdown, SIGKILL, kShutdownInterruptGrace + kShutdownTerminateGrace,
       kShutdownInterruptGrace + kShutdownTerminateGrace + quick},
      {"silent", StopUrgency::Normal, SIGKILL, kInterruptGrace + kTerminateGrace,
       kInterruptGrace + kTerminateGrace + quick},
  };
  for (const Case& one : cases) {
    CAPTURE(one.mode);
    Recorder recorder;
    const auto child = launching.start(kMisbehavingAgent, {one.mode}, recorder);
    REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
    const auto start = Clock::now();
    child->stop(one.urgency);
    child->stop(one.urgency);
    REQUIRE(launching.run_until_exit(recorder));
    const auto took = Clock::now() - start;
    CHECK(recorder.exit->signal == one.signal);
    CHECK(took >= one.at_least);
    CHECK(took < one.at_most);
    CHECK(!process_test::exists(child->pid()));
  }
}

TEST_CASE("launcher: ended in order, an agent has time to end by itself, and is stopped after it") {
  Launching launching;
  const std::chrono::milliseconds quick{2000};
  SUBCASE("one that ends at the end of its input gets no signal") {
    Recorder recorder;
    const auto child = launching.start("/bin/sh", {"-c", "cat; echo kept; exit 7"}, recorder);
    child->write_line("the last line");
    child->end(StopUrgency::Shutdown);
    child->end(StopUrgency::Shutdown);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.has("the last line"));
    CHECK(recorder.has("kept"));
    CHECK(recorder.exit->signal == 0);
    CHECK(recorder.exit->code == 7);
  }
  SUBCASE("one that does not goes the way of a stop") {
    Recorder recorder;
    const auto child = launching.start(kMisbehavingAgent, {"deaf"}, recorder);
    REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
    const auto start = Clock::now();
    child->end(StopUrgency::Normal);
    child->end(StopUrgency::Shutdown);
    REQUIRE(launching.run_until_exit(recorder));
    const auto took = Clock::now() - start;
    CHECK(recorder.exit->signal == SIGINT);
    CHECK(took >= kShutdownEndOfInputGrace);
    CHECK(took < kShutdownEndOfInputGrace + quick);
  }
  SUBCASE("a stop does not wait for it") {
    Recorder recorder;
    const auto child = launching.start(kMisbehavingAgent, {"silent"}, recorder);
    REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
    const auto start = Clock::now();
    child->end(StopUrgency::Normal);
    child->stop(StopUrgency::Shutdown);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.exit->signal == SIGKILL);
    CHECK(Clock::now() - start < kEndOfInputGrace + kInterruptGrace);
  }
}

TEST_CASE("launcher: a shutdown hurries a stop that has begun") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"silent"}, recorder);
  REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
  const auto start = Clock::now();
  child->stop(StopUrgency::Normal);
  child->stop(StopUrgency::Shutdown);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->signal == SIGKILL);
  CHECK(Clock::now() - start < kInterruptGrace + kTerminateGrace);
}

TEST_CASE("launcher: signals go to the whole group") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"tells-signals"}, recorder);
  REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
  child->send_signal(plugins::Signal::Terminate);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{"ready", "member 15", "leader 15"});
}

TEST_CASE("launcher: the whole tree is gone, however the agent ends") {
  for (const char* mode : {"grandchild", "setsid-grandchild"}) {
    for (const char* end : {"stopped", "killed", "destroyed"}) {
      CAPTURE(mode);
      CAPTURE(end);
      const process_test::TemporaryFolder folder;
      Launching launching;
      Recorder recorder;
      auto child =
          launching.start(kMisbehavingAgent, {"--pid-file", (folder / "pids"), mode}, recorder);
      REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
      const std::vector<pid_t> pids = process_test::read_pids(folder / "pids");
      REQUIRE(pids.size() == 2);
      for (const pid_t pid : pids) REQUIRE(process_test::is_running(pid));
      if (end == std::string("destroyed")) {
        child.reset();
        CHECK(!recorder.exit);
      } else {
        if (end == std::string("killed")) ::kill(child->pid(), SIGKILL);
        if (end == std::string("stopped")) child->stop(StopUrgency::Normal);
        REQUIRE(launching.run_until_exit(recorder));
      }
      for (const pid_t pid : pids) CHECK(!process_test::is_running(pid));
      CHECK(!process_test::exists(pids.front()));
      CHECK(launching.launcher->live_count() == 0);
    }
  }
}

TEST_CASE("launcher: orphans come to a subreaper and are reaped") {
  REQUIRE(become_subreaper());
  const process_test::TemporaryFolder folder;
  REQUIRE(::mkfifo((folder / "end").c_str(), 0600) == 0);
  const auto children_before = process_test::children_of_this_process();
  {
    Launching launching({{}, Orphans::Reap});
    Recorder recorder;
    const auto child = launching.start(
        kMisbehavingAgent,
        {"--pid-file", (folder / "pids"), "short-lived-daemon", (folder / "end")}, recorder);
    REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
    const std::vector<pid_t> pids = process_test::read_pids(folder / "pids");
    REQUIRE(pids.size() == 2);
    CHECK(process_test::status_field(pids.back(), "PPid") == std::to_string(::getpid()));
    { const FileDescriptor end(::open((folder / "end").c_str(), O_WRONLY)); }
    CHECK(launching.run_until([&] { return !process_test::exists(pids.back()); }));
    CHECK(process_test::is_running(child->pid()));
    child->stop(StopUrgency::Normal);
    REQUIRE(launching.run_until_exit(recorder));

    // One that lives on is killed with the agent, and reaped here because its parent is gone.
    Recorder second;
    const auto other = launching.start(kMisbehavingAgent, {"setsid-grandchild"}, second);
    REQUIRE(launching.run_until([&] { return second.has("ready"); }));
    other->stop(StopUrgency::Normal);
    REQUIRE(launching.run_until_exit(second));
    CHECK(process_test::children_of_this_process() == children_before);
  }
}

TEST_CASE("launcher: an agent that closes standard output is stopped") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"close-stdout"}, recorder);
  const auto start = Clock::now();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(Clock::now() - start >= kClosedOutputGrace);
  CHECK(recorder.exit->signal == SIGINT);
}

TEST_CASE("launcher: stop_all ends every agent and tells when none is left") {
  Launching launching;
  bool none_left = false;
  launching.launcher->stop_all(StopUrgency::Shutdown, [&] { none_left = true; });
  CHECK(!none_left);
  REQUIRE(launching.run_until([&] { return none_left; }));

  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<std::unique_ptr<Child>> children;
  for (const char* mode : {"deaf", "silent", "setsid-grandchild", "ignores-interrupt", "deaf"}) {
    recorders.push_back(std::make_unique<Recorder>());
    children.push_back(launching.start(kMisbehavingAgent, {mode}, *recorders.back()));
    REQUIRE(launching.run_until([&] { return recorders.back()->has("ready"); }));
  }
  CHECK(launching.launcher->live_count() == 5);
  children.pop_back();
  CHECK(launching.launcher->live_count() == 4);
  none_left = false;
  const auto start = Clock::now();
  launching.launcher->stop_all(StopUrgency::Shutdown, [&] { none_left = true; });
  REQUIRE(launching.run_until([&] { return none_left; }));
  CHECK(Clock::now() - start < std::chrono::seconds(2));
  CHECK(launching.launcher->live_count() == 0);
  for (std::size_t i = 0; i < children.size(); ++i) CHECK(recorders[i]->exits == 1);
}

}  // namespace stopping_test

}  // namespace agent_doc::process
