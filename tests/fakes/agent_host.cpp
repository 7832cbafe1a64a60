// What it is: the smallest server: it launches agents through the real launcher with the real
// guards and then only waits, so that a test can kill it, or them.
//
//   agent_host guard               a guard itself
//   agent_host PROGRAM COMMAND…    launches PROGRAM once per COMMAND, which is its arguments,
//   separated by spaces, each with a prompt in a file
//
// Prints "ready" when every agent has printed a line "ready", and "ended" when all have ended; then
// it waits for its own end.
#include "server/process/asio_launcher.hpp"
#include "server/process/guard.hpp"
#include "server/process/process_tree.hpp"

#include <boost/asio/io_context.hpp>

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <iterator>
#include <sstream>

namespace agent_doc::fakes {

namespace agent_host_internal {

class ReadyCounter : public process::ChildObserver {
 public:
  void on_line(std::string_view line) override { ready_ += line == "ready" ? 1 : 0; }
  void on_line_too_long(std::size_t) override {}
  void on_exit(const plugins::ExitStatus&) override { ++ended_; }
  int ready() const { return ready_; }
  int ended() const { return ended_; }

 private:
  int ready_ = 0;
  int ended_ = 0;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

int host(const std::string& program, const std::vector<std::string>& commands) {
  ::signal(SIGPIPE, SIG_IGN);
  process::become_subreaper();
  boost::asio::io_context io;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto launcher = process::make_asio_launcher(io, {{self, "guard"}, process::Orphans::Reap});
  ReadyCounter counter;
  std::vector<std::unique_ptr<process::Child>> children;
  for (const std::string& command : commands) {
    plugins::Launch launch;
    launch.command = program;
    launch.args = words(command);
    launch.prompt_file = "What is left behind?";
    auto child = launcher->launch(launch, counter);
    if (!child) {
      std::cerr << "agent_host: " << program << ": " << child.error().message() << '\n';
      return 1;
    }
    children.push_back(std::move(*child));
  }
  while (counter.ready() < static_cast<int>(commands.size()) && io.run_one() > 0) continue;
  std::cout << "ready" << std::endl;
  while (counter.ended() < static_cast<int>(commands.size()) && io.run_one() > 0) continue;
  std::cout << "ended" << std::endl;
  while (true) ::pause();
}

}  // namespace agent_host_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args == std::vector<std::string>{"guard"})
    return agent_doc::process::run_guard(STDIN_FILENO, argv);
  if (args.size() < 2) {
    std::cerr << "agent_host: name a program and the arguments of each agent\n";
    return 2;
  }
  return agent_doc::fakes::agent_host_internal::host(args[0], {args.begin() + 1, args.end()});
}
