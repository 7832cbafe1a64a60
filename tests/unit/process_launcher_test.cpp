#include "server/process/asio_launcher.hpp"
#include "server/process/file_descriptor.hpp"

#include "server/process/file_descriptor.hpp"
#include "server/process/launch_error.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace agent_doc::process {

namespace launcher_test {

using process_test::kMisbehavingAgent;
using process_test::Launching;
using process_test::Recorder;
using Clock = std::chrono::steady_clock;

std::vector<std::string> sh(const std::string& script) {
  return {"-c", script};
}

TEST_CASE("launcher: lines go in and come out in order, and the end is told once") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start("cat", {}, recorder);
  std::vector<std::string> sent;
  for (int i = 0; i < 1000; ++i) {
    sent.push_back("line " + std::to_string(i) + std::string(static_cast<std::size_t>(i), 'x'));
    child->write_line(sent.back());
  }
  child->close_stdin();
  child->write_line("after the end");
  CHECK(recorder.lines.empty());
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == sent);
  CHECK(recorder.exit->code == 0);
  CHECK(recorder.exit->signal == 0);
  CHECK(recorder.exit->stderr_tail.empty());
  CHECK(launching.launcher->live_count() == 0);
  launching.io.restart();
  launching.io.run();
  CHECK(recorder.exits == 1);
}

TEST_CASE(
    "launcher: text is handed over as it stands in the pipe, without waiting for a newline or the "
    "end") {
  Launching launching;
  Recorder recorder;
  plugins::Launch launch;
  launch.command = "sh";
  // Half of a character, then the rest of it: each when the person's side has seen what came
  // before.
  launch.args =
      sh("printf 'fifty words\\342\\200'; read x; printf '\\223 and'; read y; printf ' the "
         "end\\303'; echo warned >&2");
  launch.output = plugins::OutputForm::Text;
  auto child = launching.launcher->launch(launch, recorder);
  REQUIRE(child.has_value());
  REQUIRE(launching.run_until([&] { return recorder.text == "fifty words"; }));
  (*child)->write_line("go on");
  REQUIRE(launching.run_until([&] { return recorder.text == "fifty words\u2013 and"; }));
  (*child)->write_line("go on");
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.text == "fifty words\u2013 and the end\uFFFD");
  CHECK(recorder.lines.empty());
  CHECK(recorder.errors == "warned\n");
  CHECK(recorder.exit->stderr_tail == "warned\n");
}

TEST_CASE("launcher: a line of 5 MB in both directions") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start("cat", {}, recorder);
  const std::string line(5'000'000, 'z');
  child->write_line(line);
  child->close_stdin();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{line});
}

TEST_CASE("launcher: exit codes, signals, standard error, last line without newline") {
  Launching launching;
  struct Case {
    const char* script;
    std::vector<std::string> lines;
    int code, signal;
    const char* stderr_tail;
  };
  const Case cases[] = {
      {"exit 0", {}, 0, 0, ""},
      {"printf 'a\\nb'; echo oops >&2; exit 7", {"a", "b"}, 7, 0, "oops\n"},
      {"printf '\\357\\273\\277x\\r\\n\\377\\n'; printf '\\377' >&2",
       {"x", "\xEF\xBF\xBD"},
       0,
       0,
       "\xEF\xBF\xBD"},
      {"echo before; kill -9 $$", {"before"}, 0, SIGKILL, ""},
      {"echo before; kill -15 $$", {"before"}, 0, SIGTERM, ""},
  };
  for (const Case& one : cases) {
    CAPTURE(one.script);
    Recorder recorder;
    const auto child = launching.start("/bin/sh", sh(one.script), recorder);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.lines == one.lines);
    CHECK(recorder.exit->code == one.code);
    CHECK(recorder.exit->signal == one.signal);
    CHECK(recorder.exit->stderr_tail == one.stderr_tail);
  }
}

TEST_CASE("launcher: what cannot be started is an error that tells command and folder apart") {
  Launching launching;
  Recorder recorder;
  const auto error_of = [&](const std::string& command, const std::string& cwd) {
    plugins::Launch launch;
    launch.command = command;
    launch.cwd = cwd;
    return launching.launcher->launch(launch, recorder).error();
  };
  CHECK(error_of("no-such-agent-anywhere", "") == make_error_code(LaunchError::CommandNotFound));
  CHECK(error_of("/no/such/agent", "") == make_error_code(LaunchError::CommandNotFound));
  CHECK(error_of("/etc/passwd", "") == make_error_code(LaunchError::CommandNotExecutable));
  CHECK(error_of("cat", "/no/such/folder") == make_error_code(LaunchError::FolderMissing));
  CHECK(launching.launcher->live_count() == 0);
}

TEST_CASE(
    "launcher: PATH of the agent's own environment counts, and agents carry their marker after "
    "that of an outer one") {
  const process_test::TemporaryFolder folder;
  process_test::write_file(folder / "my-agent", "#!/bin/sh\necho \"$AGENT_DOC_AGENT\"\n");
  REQUIRE(::chmod((folder / "my-agent").c_str(), 0755) == 0);
  ::setenv("AGENT_DOC_AGENT", "outer-1;", 1);
  Launching launching;
  Recorder recorder;
  plugins::Launch launch;
  launch.command = "my-agent";
  launch.env = {{"PATH", folder.path()}};
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 2; ++i) {
    auto child = launching.launcher->launch(launch, recorder);
    REQUIRE(child.has_value());
    children.push_back(std::move(*child));
  }
  REQUIRE(launching.run_until([&] { return recorder.exits == 2; }));
  ::unsetenv("AGENT_DOC_AGENT");
  REQUIRE(recorder.lines.size() == 2);
  CHECK(recorder.lines[0] != recorder.lines[1]);
  for (const std::string& marker : recorder.lines) {
    CHECK(marker.starts_with("outer-1;"));
    CHECK(marker.size() == std::string("outer-1;").size() + 32 + std::string("-1;").size());
  }
}

TEST_CASE(
    "launcher: a prompt file is the person's own, its path stands in the arguments, and it goes "
    "with the process") {
  const process_test::TemporaryFolder folder;
  ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  Launching launching;
  Recorder recorder;
  plugins::Launch launch;
  launch.command = "/bin/sh";
  launch.args = {"-c", "stat -c %a \"$1\"; cat \"$2\"", "sh", "{prompt_file}", "/./{prompt_file}"};
  launch.prompt_file = "What is\n{prompt_file}?";
  {
    const auto child = launching.launcher->launch(launch, recorder);
    REQUIRE(child.has_value());
    CHECK(folder.names().size() == 1);
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(folder.names().empty());
  }
  CHECK(recorder.lines == std::vector<std::string>{"600", "What is", "{prompt_file}?"});
  CHECK(recorder.exit->code == 0);

  launch.cwd = "/no/such/folder";
  CHECK(launching.launcher->launch(launch, recorder).has_error());
  CHECK(folder.names().empty());
  launch.cwd.clear();
  launch.args = {"-c", "sleep 1000"};
  {
    Recorder unheard;
    const auto child = launching.launcher->launch(launch, unheard);
    CHECK(folder.names().size() == 1);
  }
  CHECK(folder.names().empty());
  ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("launcher: an end is told although something unknown holds standard output open") {
  const process_test::TemporaryFolder folder;
  Launching launching;
  Recorder recorder;
  const auto child =
      launching.start(kMisbehavingAgent, {"--pid-file", (folder / "pids"), "daemon"}, recorder);
  const auto start = Clock::now();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(Clock::now() - start >= kDrainGrace);
  CHECK(recorder.lines == std::vector<std::string>{"the agent's last line"});
  CHECK(recorder.exit->code == 0);
  // Nothing proved that the daemon was the agent's: it was left alone, and ends by itself.
  const std::vector<pid_t> pids = process_test::read_pids(folder / "pids");
  REQUIRE(pids.size() == 2);
  CHECK(process_test::wait_until_gone(pids.back()));
}

TEST_CASE("launcher: what the agent printed is not lost when it ends before anybody listens") {
  Launching launching;
  Recorder recorder;
  const auto child =
      launching.start("/bin/sh", sh("seq 0 1999; echo warning >&2; exit 9"), recorder);
  REQUIRE(process_test::wait_until_gone(child->pid()));
  REQUIRE(launching.run_until_exit(recorder));
  REQUIRE(recorder.lines.size() == 2000);
  CHECK(recorder.lines.front() == "0");
  CHECK(recorder.lines.back() == "1999");
  CHECK(recorder.exit->code == 9);
  CHECK(recorder.exit->stderr_tail == "warning\n");
}

TEST_CASE("launcher: standard error is drained, its end is kept") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"flood-stderr", "8000000"}, recorder);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{"done"});
  CHECK(recorder.exit->stderr_tail.size() == kStderrTailBytes);
  CHECK(recorder.exit->stderr_tail.ends_with("eee\nthe very end\n"));
}

TEST_CASE("launcher: a line over the limit is skipped and told") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"long-line", "70000000"}, recorder);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.too_long == std::vector<std::size_t>{70'000'000});
  CHECK(recorder.lines == std::vector<std::string>{"after"});
}

TEST_CASE("launcher: garbage is handed over as it is, repaired") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"garbage"}, recorder);
  child->close_stdin();
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.lines == std::vector<std::string>{"this is no JSON", "{\"type\":\"assist",
                                                   "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD broken",
                                                   "]]]]", "", "null", "\x1B[31mred\x1B[0m"});
}

TEST_CASE("launcher: the agent cannot run ahead of its observer") {
  const process_test::TemporaryFolder folder;
  process_test::write_file(folder / "counter", std::string(sizeof(std::uint64_t), '\0'));
  const FileDescriptor file(::open((folder / "counter").c_str(), O_RDWR));
  void* memory =
      ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  REQUIRE(memory != MAP_FAILED);
  const std::atomic_ref<std::uint64_t> written(*static_cast<std::uint64_t*>(memory));

  Launching launching;
  Recorder recorder;
  constexpr std::uint64_t kLineBytes = 1000;
  constexpr std::uint64_t kPipeAndBuffer = 2 * 64 * 1024;
  std::uint64_t taken = 0, furthest_ahead = 0;
  recorder.after_line = [&] {
    taken += kLineBytes;
    recorder.lines.clear();
    const std::uint64_t now = written.load();
    if (now > taken) furthest_ahead = std::max(furthest_ahead, now - taken);
  };
  const auto child =
      launching.start(kMisbehavingAgent, {"flood", (folder / "counter"), "100000"}, recorder);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(taken == 100'000 * kLineBytes);
  CHECK(furthest_ahead <= kPipeAndBuffer + kLineBytes);
  ::munmap(memory, sizeof(std::uint64_t));
}

TEST_CASE("launcher: an agent that never reads is stopped before its queue grows without end") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"deaf"}, recorder);
  REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
  const std::string megabyte(1024 * 1024, 'm');
  for (std::size_t sent = 0; sent <= kMaxStdinQueueBytes; sent += megabyte.size())
    child->write_line(megabyte);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->signal == SIGINT);
  CHECK(recorder.exit->stderr_tail.starts_with(
      "agent-doc stopped the agent: it does not read its standard input"));
}

TEST_CASE("launcher: writing to an agent that is gone is no error") {
  Launching launching;
  Recorder recorder;
  const auto child = launching.start(kMisbehavingAgent, {"exit", "4"}, recorder);
  REQUIRE(process_test::wait_until_gone(child->pid()));
  for (int i = 0; i < 10; ++i) child->write_line(std::string(100'000, 'x'));
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->code == 4);
  CHECK(recorder.exit->stderr_tail == "last words\n");
  child->write_line("much too late");
  child->send_signal(plugins::Signal::Kill);
  child->stop(StopUrgency::Normal);
}

TEST_CASE("launcher: an observer may destroy the child in any call") {
  Launching launching;
  // Many times: the next child gets the descriptor numbers of the one before, for which events may
  // still be on their way.
  for (int round = 0; round < 30; ++round) {
    CAPTURE(round);
    Recorder stopped_at_first_line;
    auto first = launching.start("/bin/sh", sh("echo 1; echo 2; echo 3"), stopped_at_first_line);
    stopped_at_first_line.after_line = [&] { first.reset(); };
    REQUIRE(launching.run_until([&] { return !first; }));
    CHECK(stopped_at_first_line.lines.size() == 1);
    CHECK(stopped_at_first_line.exits == 0);

    Recorder kept_to_the_end;
    auto second = launching.start("/bin/sh", sh("echo 1; echo 2; echo 3"), kept_to_the_end);
    kept_to_the_end.after_exit = [&] { second.reset(); };
    REQUIRE(launching.run_until([&] { return !second; }));
    CHECK(kept_to_the_end.lines.size() == 3);
    CHECK(kept_to_the_end.exits == 1);
    CHECK(kept_to_the_end.exit->code == 0);
    CHECK(kept_to_the_end.exit->signal == 0);
    CHECK(launching.launcher->live_count() == 0);
  }
}

TEST_CASE("launcher: 200 agents in a row leave no process and no descriptor") {
  Launching launching;
  const std::size_t descriptors = process_test::open_descriptors();
  const auto children = process_test::children_of_this_process();
  for (int i = 0; i < 200; ++i) {
    Recorder recorder;
    const auto child = launching.start("/bin/echo", {std::to_string(i)}, recorder);
    REQUIRE(launching.run_until_exit(recorder));
    REQUIRE(recorder.lines == std::vector<std::string>{std::to_string(i)});
  }
  CHECK(process_test::children_of_this_process() == children);
  CHECK(process_test::open_descriptors() == descriptors);
}

TEST_CASE("launcher: 50 agents at once") {
  Launching launching;
  const std::size_t descriptors = process_test::open_descriptors();
  std::vector<std::unique_ptr<Recorder>> recorders;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < 50; ++i) {
    recorders.push_back(std::make_unique<Recorder>());
    children.push_back(launching.start("cat", {}, *recorders.back()));
    children.back()->write_line(std::to_string(i));
  }
  for (const auto& child : children) child->close_stdin();
  REQUIRE(launching.run_until([&] { return launching.launcher->live_count() == 0; }));
  for (std::size_t i = 0; i < recorders.size(); ++i)
    CHECK(recorders[i]->lines == std::vector<std::string>{std::to_string(i)});
  children.clear();
  CHECK(process_test::open_descriptors() == descriptors);
}

}  // namespace launcher_test

}  // namespace agent_doc::process
