#include "tests/unit/process_fixture.hpp"

#include "server/process/process_tree.hpp"

#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace agent_doc::process_test {

std::string fake(std::string_view name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

std::vector<pid_t> read_pids(const std::string& path) {
  std::istringstream stream(read_file(path));
  return {std::istream_iterator<pid_t>(stream), std::istream_iterator<pid_t>()};
}

std::string status_field(pid_t pid, std::string_view name) {
  std::istringstream status(read_file("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const std::size_t value = line.find_first_not_of(" \t", name.size() + 1);
    return value == std::string::npos ? std::string() : line.substr(value);
  }
  return {};
}

bool exists(pid_t pid) {
  return std::filesystem::exists("/proc/" + std::to_string(pid));
}

bool is_running(pid_t pid) {
  const std::string state = status_field(pid, "State");
  return !state.empty() && state.front() != 'Z' && state.front() != 'X';
}

std::vector<pid_t> children_of_this_process() {
  std::vector<pid_t> children;
  const std::string self = std::to_string(::getpid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid > 0 && status_field(pid, "PPid") == self) children.push_back(pid);
  }
  return children;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

bool wait_until_gone(pid_t pid, std::chrono::milliseconds limit) {
  const process::FileDescriptor descriptor = process::open_pidfd(pid);
  return descriptor.is_open() ? process::wait_for_end(descriptor.get(), limit) : !is_running(pid);
}

void Recorder::on_line(std::string_view line) {
  lines.emplace_back(line);
  if (after_line) after_line();
}

void Recorder::on_exit(const plugins::ExitStatus& status) {
  exit = status;
  ++exits;
  if (after_exit) after_exit();
}

bool Recorder::has(std::string_view line) const {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

Launching::Launching(process::LauncherOptions options) {
  ::signal(SIGPIPE, SIG_IGN);
  launcher = process::make_asio_launcher(io, std::move(options));
}

Launching::~Launching() {
  launcher.reset();
  io.restart();
  io.poll();  // what the launcher cancelled
}

std::unique_ptr<process::Child> Launching::start(const std::string& command,
                                                 std::vector<std::string> args,
                                                 process::ChildObserver& observer) {
  plugins::Launch launch;
  launch.command = command;
  launch.args = std::move(args);
  auto child = launcher->launch(launch, observer);
  REQUIRE_MESSAGE(child.has_value(),
                  command << ": " << (child ? std::string() : child.error().message()));
  return std::move(*child);
}

bool Launching::run_until(const std::function<bool()>& condition, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (io.stopped()) io.restart();
    if (std::chrono::steady_clock::now() >= deadline) return false;
    io.run_one_until(deadline);
  }
  return true;
}

bool Launching::run_until_exit(const Recorder& recorder) {
  return run_until([&] { return recorder.exit.has_value(); });
}

}  // namespace agent_doc::process_test
