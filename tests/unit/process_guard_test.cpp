#include "server/process/guard.hpp"

#include "server/process/process_tree.hpp"
#include "server/process/spawn.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace agent_doc::process {

namespace guard_test {

/// Reads until the line "ready" of agent_host.
bool wait_for_ready(const FileDescriptor& pipe) {
  std::string text;
  char byte = 0;
  while (::read(pipe.get(), &byte, 1) == 1) {
    text += byte;
    if (text.ends_with("ready\n")) return true;
  }
  return false;
}

std::size_t prompt_files(const process_test::TemporaryFolder& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    count += entry.path().filename().string().starts_with("agent-doc-prompt-") ? 1 : 0;
  return count;
}

/// All agents of all modes that resist, launched by a server that is then killed.
std::vector<pid_t> pids_of_killed_server(const process_test::TemporaryFolder& folder, std::vector<std::string> options) {
  std::vector<std::string> args = std::move(options);
  args.push_back(process_test::kMisbehavingAgent);
  for (const char* mode : {"deaf", "silent", "grandchild", "setsid-grandchild"})
    args.push_back("--pid-file " + (folder / "pids") + ' ' + mode);
  boost::system::result<Spawned> server = spawn({process_test::kAgentHost, args, {{"XDG_RUNTIME_DIR", folder.path()}}, {}}, Output::Piped);
  REQUIRE(server.has_value());
  REQUIRE(wait_for_ready(server->stdout_pipe));
  const std::vector<pid_t> pids = process_test::read_pids(folder / "pids");
  REQUIRE(pids.size() == 6);
  for (const pid_t pid : pids) REQUIRE(process_test::is_running(pid));
  REQUIRE(prompt_files(folder) == 4);
  REQUIRE(::kill(server->pid, SIGKILL) == 0);
  REQUIRE(::waitpid(server->pid, nullptr, 0) == server->pid);
  return pids;
}

bool all_gone_within(const std::vector<pid_t>& pids, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  return std::all_of(pids.begin(), pids.end(), [&](pid_t pid) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return process_test::wait_until_gone(pid, std::max(left, std::chrono::milliseconds(0)));
  });
}

LauncherOptions guarded() {
  return {{process_test::kAgentHost, "guard"}, Orphans::LeaveEnded};
}

TEST_CASE("guard: kill -9 of the server leaves no agent, nothing that an agent started, and no prompt in a file") {
  const process_test::TemporaryFolder folder;
  const std::vector<pid_t> pids = pids_of_killed_server(folder, {});
  CHECK(all_gone_within(pids, std::chrono::seconds(2)));
  CHECK(prompt_files(folder) == 0);
}

TEST_CASE("guard: one that was killed is replaced, and the new one knows every agent") {
  const process_test::TemporaryFolder folder;
  const std::vector<pid_t> pids = pids_of_killed_server(folder, {"--kill-guard"});
  CHECK(all_gone_within(pids, std::chrono::seconds(2)));
  CHECK(prompt_files(folder) == 0);
}

TEST_CASE("guard: starts with the first agent, ends with the launcher, and is reaped") {
  const auto children = process_test::children_of_this_process();
  pid_t guard = 0;
  {
    process_test::Launching launching(guarded());
    CHECK(launching.launcher->guard_pid() == 0);
    for (int i = 0; i < 3; ++i) {
      process_test::Recorder recorder;
      const auto child = launching.start("/bin/echo", {"hello"}, recorder);
      CHECK(launching.launcher->guard_pid() != 0);
      if (i > 0) CHECK(launching.launcher->guard_pid() == guard);
      guard = launching.launcher->guard_pid();
      REQUIRE(launching.run_until_exit(recorder));
    }
    CHECK(process_test::is_running(guard));
    CHECK(::getsid(guard) == guard);
    CHECK(process_test::status_field(guard, "PPid") == std::to_string(::getpid()));
    // With no agent alive nothing keeps the io_context busy.
    launching.io.restart();
    launching.io.run();
  }
  CHECK(!process_test::exists(guard));
  CHECK(process_test::children_of_this_process() == children);
}

TEST_CASE("guard: a guard that cannot be had does not keep an agent from running") {
  for (const std::string program : {"/no/such/program", "/bin/false"}) {
    CAPTURE(program);
    const auto children = process_test::children_of_this_process();
    {
      process_test::Launching launching({{program}, Orphans::LeaveEnded});
      process_test::Recorder recorder;
      const auto child = launching.start("/bin/cat", {}, recorder);
      child->write_line("still here");
      REQUIRE(launching.run_until([&] { return recorder.has("still here"); }));
      child->close_stdin();
      REQUIRE(launching.run_until_exit(recorder));
      CHECK(recorder.exit->code == 0);
    }
    CHECK(process_test::children_of_this_process() == children);
  }
}

TEST_CASE("guard: after the orderly end of all agents it finds nothing to do") {
  boost::system::result<Spawned> guard = spawn({process_test::kAgentHost, {"guard"}, {}, {}}, Output::Discarded);
  REQUIRE(guard.has_value());
  const std::string said =
      "=no such marker-\n+" + std::to_string(::getpid()) + "\n-" + std::to_string(::getpid()) + "\nnonsense\n+1\n\n+x\n";
  REQUIRE(::write(guard->stdin_pipe.get(), said.data(), said.size()) == static_cast<ssize_t>(said.size()));
  guard->stdin_pipe = FileDescriptor();
  int status = -1;
  REQUIRE(::waitpid(guard->pid, &status, 0) == guard->pid);
  CHECK(status == 0);
}

}  // namespace guard_test

}  // namespace agent_doc::process
