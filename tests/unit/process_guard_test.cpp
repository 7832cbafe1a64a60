#include "server/process/guard.hpp"

#include "server/process/file_descriptor.hpp"
#include "server/process/guard_wire.hpp"
#include "server/process/own_children.hpp"
#include "server/process/process_tree.hpp"
#include "server/process/spawn.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace agent_doc::process {

namespace guard_test {

using process_test::TemporaryFolder;

constexpr std::chrono::seconds kPatience{10};

/// Reads until a line of agent_host.
bool wait_for(const FileDescriptor& pipe, std::string_view line) {
  std::string text;
  char byte = 0;
  while (::read(pipe.get(), &byte, 1) == 1) {
    text += byte;
    if (text.ends_with(std::string(line) + '\n')) return true;
  }
  return false;
}

std::size_t prompt_files(const TemporaryFolder& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    count += entry.path().filename().string().starts_with("agent-doc-prompt-") ? 1 : 0;
  return count;
}

/// Of a process with one thread.
std::vector<pid_t> children_of(pid_t pid) {
  const std::string name = std::to_string(pid);
  std::istringstream numbers(
      process_test::read_file("/proc/" + name + "/task/" + name + "/children"));
  return {std::istream_iterator<pid_t>(numbers), std::istream_iterator<pid_t>()};
}

bool all_gone(const std::vector<pid_t>& pids, std::chrono::milliseconds limit = kPatience) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  return std::all_of(pids.begin(), pids.end(), [&](pid_t pid) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    return process_test::wait_until_gone(pid, std::max(left, std::chrono::milliseconds(0)));
  });
}

/// A child that ended is still one until it is reaped, which happens soon after.
bool has_no_children_soon(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!children_of(pid).empty()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

/// A server with agents behind guards.
class Server {
 public:
  Server(const TemporaryFolder& folder, const std::vector<std::string>& modes) {
    std::vector<std::string> args{process_test::kMisbehavingAgent};
    for (const std::string& mode : modes)
      args.push_back("--pid-file " + (folder / "pids") + ' ' + mode);
    boost::system::result<Spawned> spawned = spawn(
        {process_test::kAgentHost, args, {{"XDG_RUNTIME_DIR", folder.path()}}, {}}, Output::Piped);
    REQUIRE(spawned.has_value());
    spawned_ = std::move(*spawned);
    REQUIRE(wait_for(spawned_.stdout_pipe, "ready"));
    agents_and_theirs = process_test::read_pids(folder / "pids");
    for (const pid_t one : agents_and_theirs) REQUIRE(process_test::is_running(one));
    outer = children_of(spawned_.pid);
    REQUIRE(outer.size() == modes.size());
    for (const pid_t guard : outer) {
      REQUIRE(children_of(guard).size() == 1);
      inner.push_back(children_of(guard).front());
    }
  }
  ~Server() {
    ::kill(spawned_.pid, SIGKILL);
    ::waitpid(spawned_.pid, nullptr, 0);
  }

  pid_t pid() const { return spawned_.pid; }
  bool tells_the_end() const { return wait_for(spawned_.stdout_pipe, "ended"); }

  std::vector<pid_t> agents_and_theirs;
  std::vector<pid_t> outer;
  std::vector<pid_t> inner;

 private:
  Spawned spawned_;
};

/// In one moment: none of them can do anything about the end of another.
void kill_at_once(const std::vector<pid_t>& victims) {
  for (const pid_t victim : victims) ::kill(victim, SIGSTOP);
  for (const pid_t victim : victims) ::kill(victim, SIGKILL);
}

TEST_CASE(
    "guard: whoever of server, guards and agent is killed in one moment, nothing that the agent "
    "started is left") {
  struct Case {
    std::string what;
    bool server, outer, inner, agent;
  };
  const Case cases[] = {
      {"the agent", false, false, false, true},
      {"the inner guard", false, false, true, false},
      {"both guards", false, true, true, false},
      {"both guards and the agent", false, true, true, true},
      {"the outer guard and the agent", false, true, false, true},
      {"the server", true, false, false, false},
      {"the server and the outer guard", true, true, false, false},
      {"the server and the inner guard", true, false, true, false},
      {"the server, the outer guard and the agent", true, true, false, true},
      {"the server, the inner guard and the agent", true, false, true, true},
  };
  for (const Case& one : cases) {
    for (int round = 0; round < 2; ++round) {
      CAPTURE(one.what);
      const TemporaryFolder folder;
      const Server server(folder, {"family"});
      REQUIRE(server.agents_and_theirs.size() == 4);
      REQUIRE(prompt_files(folder) == 1);
      std::vector<pid_t> victims;
      if (one.server) victims.push_back(server.pid());
      if (one.outer) victims.push_back(server.outer.front());
      if (one.inner) victims.push_back(server.inner.front());
      if (one.agent) victims.push_back(server.agents_and_theirs.front());
      kill_at_once(victims);
      if (!one.server) CHECK(server.tells_the_end());
      CHECK(all_gone(server.agents_and_theirs));
      CHECK(all_gone(server.inner));
      CHECK(all_gone(server.outer));
      CHECK(prompt_files(folder) == 0);
      if (!one.server) CHECK(has_no_children_soon(server.pid()));
    }
  }
}

TEST_CASE("guard: without the outer one the inner one goes on, and does the same as ever") {
  const TemporaryFolder folder;
  const Server server(folder, {"family", "silent"});
  kill_at_once(server.outer);
  for (const pid_t pid : server.agents_and_theirs) CHECK(process_test::is_running(pid));
  kill_at_once({server.pid()});
  CHECK(all_gone(server.agents_and_theirs));
  CHECK(all_gone(server.inner));
  CHECK(prompt_files(folder) == 0);
}

TEST_CASE("guard: kill -9 of the server leaves no agent of any kind") {
  const TemporaryFolder folder;
  const Server server(folder, {"deaf", "silent", "grandchild", "setsid-grandchild"});
  REQUIRE(server.agents_and_theirs.size() == 6);
  kill_at_once({server.pid()});
  CHECK(all_gone(server.agents_and_theirs,
                 2 * kGuardGrace + kGuardKillLimit + std::chrono::seconds(1)));
  CHECK(prompt_files(folder) == 0);
}

LauncherOptions guarded() {
  return {{process_test::kAgentHost, "guard"}, Orphans::LeaveEnded};
}

TEST_CASE(
    "guard: however an agent ends behind it, all that it started has ended when that is told, and "
    "the status is the agent's") {
  struct Case {
    const char* end;
    int signal;
  };
  for (const Case& one : {Case{"stopped", SIGINT}, Case{"killed", SIGKILL}, Case{"destroyed", 0}}) {
    CAPTURE(one.end);
    const auto before = process_test::children_of_this_process();
    const std::size_t descriptors = process_test::open_descriptors();
    {
      const TemporaryFolder folder;
      process_test::Launching launching(guarded());
      process_test::Recorder recorder;
      auto child = launching.start(process_test::kMisbehavingAgent,
                                   {"--pid-file", (folder / "pids"), "family"}, recorder);
      REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
      const std::vector<pid_t> pids = process_test::read_pids(folder / "pids");
      REQUIRE(pids.size() == 4);
      CHECK(pids.front() == child->pid());
      CHECK(::getsid(pids.front()) == pids.front());
      if (one.end == std::string("destroyed")) {
        child.reset();
      } else {
        if (one.end == std::string("killed")) ::kill(child->pid(), SIGKILL);
        if (one.end == std::string("stopped")) child->stop(StopUrgency::Normal);
        REQUIRE(launching.run_until_exit(recorder));
        CHECK(recorder.exit->signal == one.signal);
      }
      for (const pid_t pid : pids) CHECK(!process_test::exists(pid));
    }
    CHECK(process_test::children_of_this_process() == before);
    CHECK(process_test::open_descriptors() == descriptors);
  }
}

TEST_CASE("guard: guards that were stopped do not keep an agent alive") {
  const TemporaryFolder folder;
  process_test::Launching launching(guarded());
  process_test::Recorder recorder;
  const auto child = launching.start(process_test::kMisbehavingAgent,
                                     {"--pid-file", (folder / "pids"), "silent"}, recorder);
  REQUIRE(launching.run_until([&] { return recorder.has("ready"); }));
  const std::string parent = process_test::status_field(child->pid(), "PPid");
  ::kill(static_cast<pid_t>(std::stol(parent)), SIGSTOP);
  child->stop(StopUrgency::Shutdown);
  REQUIRE(launching.run_until_exit(recorder));
  CHECK(recorder.exit->signal == SIGKILL);
  CHECK(all_gone(process_test::read_pids(folder / "pids")));
}

TEST_CASE("guard: codes, streams, folder and environment are the agent's own, as without a guard") {
  const TemporaryFolder folder;
  std::vector<std::vector<std::string>> seen;
  for (const bool with_guard : {true, false}) {
    process_test::Launching launching(with_guard ? guarded() : LauncherOptions{});
    process_test::Recorder recorder;
    plugins::Launch launch;
    launch.command = "/bin/sh";
    launch.args = {"-c",
                   "pwd; echo \"$NEW|$#|$1\"; ls /proc/self/fd | wc -w; grep -E 'SigIgn|SigBlk' "
                   "/proc/self/status; cat; echo err >&2; exit 7",
                   "sh", "two words"};
    launch.env = {{"NEW", "a=b"}};
    launch.cwd = folder.path();
    auto child = launching.launcher->launch(launch, recorder);
    REQUIRE(child.has_value());
    (*child)->write_line("a line");
    (*child)->close_stdin();
    REQUIRE(launching.run_until_exit(recorder));
    CHECK(recorder.exit->code == 7);
    CHECK(recorder.exit->stderr_tail == "err\n");
    CHECK(recorder.lines.front() == folder.path());
    CHECK(recorder.has("a=b|1|two words"));
    CHECK(recorder.has("a line"));
    std::erase_if(recorder.lines, [](const std::string& line) {
      return line.starts_with("SigIgn");
    });  // glibc's own differ
    seen.push_back(recorder.lines);

    process_test::Recorder in_our_folder;
    const auto other = launching.start("/bin/pwd", {}, in_our_folder);
    REQUIRE(launching.run_until_exit(in_our_folder));
    CHECK(in_our_folder.lines ==
          std::vector<std::string>{std::filesystem::current_path().string()});

    launch.args = {std::string(200'000, 'x')};
    CHECK(launching.launcher->launch(launch, recorder).error() ==
          boost::system::errc::argument_list_too_long);
    launch.cwd = folder / "missing";
    CHECK(launching.launcher->launch(launch, recorder).error() ==
          boost::system::errc::no_such_file_or_directory);
  }
  CHECK(seen[0] == seen[1]);
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

TEST_CASE("guard: a request arrives as it was, and what is none starts nothing") {
  const GuardRequest request{"/bin/sh",
                             "",
                             "/tmp/prompt",
                             {"", "two\nwords", std::string(100'000, 'x')},
                             {"A=", "B=\xE2\x82\xAC"}};
  const std::string bytes = encode(request);
  const std::string_view body = std::string_view(bytes).substr(sizeof(std::uint32_t));
  const std::optional<GuardRequest> decoded = decode_guard_request(body);
  REQUIRE(decoded.has_value());
  CHECK(decoded->program == request.program);
  CHECK(decoded->cwd == request.cwd);
  CHECK(decoded->prompt_file == request.prompt_file);
  CHECK(decoded->args == request.args);
  CHECK(decoded->env == request.env);
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{10}, body.size() - 1})
    CHECK(!decode_guard_request(body.substr(0, size)).has_value());
  std::string other_version(body);
  other_version[0] = '?';
  CHECK(!decode_guard_request(other_version).has_value());

  boost::system::result<SpawnedGuard> guard = spawn_guard({process_test::kAgentHost, "guard"});
  REQUIRE(guard.has_value());
  guard->socket = FileDescriptor();
  int status = 0;
  REQUIRE(::waitpid(guard->spawned.pid, &status, 0) == guard->spawned.pid);
  CHECK(WEXITSTATUS(status) == 1);
}

// --- what an end costs ---

/// A /proc with as many other processes, that counts what is looked at.
class CountedProc : public ProcFolder {
 public:
  CountedProc(const TemporaryFolder& folder, int others, bool has_children_file)
      : ProcFolder(folder.path()) {
    const std::string self = std::to_string(::getpid());
    std::filesystem::create_directories(folder / ("self/task/" + self));
    if (has_children_file)
      process_test::write_file(folder / ("self/task/" + self + "/children"), "70001 70002 ");
    for (int pid = 70'000; pid < 70'000 + others; ++pid) {
      std::filesystem::create_directory(folder / std::to_string(pid));
      const std::string parent = pid == 70'001 || pid == 70'002 ? self : "1";
      std::string rest = " 1 1";
      for (int field = 0; field < 20; ++field) rest += " 0";
      process_test::write_file(folder / (std::to_string(pid) + "/stat"),
                               std::to_string(pid) + " (a b) S " + parent + rest);
    }
  }
  std::vector<std::string> names(const std::string& folder) const override {
    ++looks;
    return ProcFolder::names(folder);
  }
  std::string read(const std::string& file) const override {
    ++looks;
    return ProcFolder::read(file);
  }
  mutable int looks = 0;
};

TEST_CASE(
    "guard: its children are found by three looks, however many processes there are; only an old "
    "kernel is asked for all") {
  for (const int others : {10, 3000}) {
    const TemporaryFolder folder(TemporaryFolder::Place::Memory);
    const CountedProc proc(folder, others, true);
    CHECK(own_children(proc) == std::vector<pid_t>{70'001, 70'002});
    CHECK(proc.looks == 3);
  }
  const TemporaryFolder folder(TemporaryFolder::Place::Memory);
  const CountedProc proc(folder, 30, false);
  std::vector<pid_t> children = own_children(proc);
  std::sort(children.begin(), children.end());
  CHECK(children == std::vector<pid_t>{70'001, 70'002});
}

/// System calls that read, of this process.
std::uint64_t reads_so_far() {
  const std::string io = process_test::read_file("/proc/self/io");
  return std::stoull(io.substr(io.find("syscr: ") + 7));
}

std::uint64_t reads_of_ten_agents() {
  process_test::Launching launching(guarded());
  const std::uint64_t before = reads_so_far();
  for (int i = 0; i < 10; ++i) {
    process_test::Recorder recorder;
    const auto child = launching.start("/bin/echo", {"hello"}, recorder);
    REQUIRE(launching.run_until_exit(recorder));
  }
  return reads_so_far() - before;
}

TEST_CASE(
    "guard: what the end of an agent costs does not depend on how many processes the machine has") {
  const std::uint64_t alone = reads_of_ten_agents();
  std::vector<Spawned> others;
  for (int i = 0; i < 150; ++i) {
    boost::system::result<Spawned> other = spawn({"/bin/cat", {}, {}, {}}, Output::Discarded);
    REQUIRE(other.has_value());
    others.push_back(std::move(*other));
  }
  const std::uint64_t among_many = reads_of_ten_agents();
  CHECK(among_many < alone + 150);  // looking at all would be 1,500 more
  for (Spawned& other : others) {
    other.stdin_pipe = FileDescriptor();
    ::waitpid(other.pid, nullptr, 0);
  }
}

}  // namespace guard_test

}  // namespace agent_doc::process
