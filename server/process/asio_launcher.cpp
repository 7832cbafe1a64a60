#include "server/process/asio_launcher.hpp"

#include "server/process/launch_error.hpp"
#include "server/process/live_children.hpp"
#include "server/process/process_tree.hpp"
#include "server/process/prompt_file.hpp"
#include "server/process/running_child.hpp"
#include "server/process/spawn.hpp"

#include <signal.h>

#include <cstdlib>
#include <utility>

namespace agent_doc::process {

namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

/// The handle that the owner of a child holds: destroying it ends the process.
class OwnedChild : public Child {
 public:
  explicit OwnedChild(std::shared_ptr<RunningChild> running) : running_(std::move(running)) {}
  ~OwnedChild() override { running_->abandon(); }

  void write_line(std::string line) override { running_->write_line(line); }
  void close_stdin() override { running_->close_stdin(); }
  void end(StopUrgency urgency) override { running_->end(urgency); }
  void stop(StopUrgency urgency) override { running_->stop(urgency); }
  int pid() const override { return running_->pid(); }

  void send_signal(plugins::Signal signal) override {
    switch (signal) {
      case plugins::Signal::Interrupt:
        return running_->send_signal(SIGINT);
      case plugins::Signal::Terminate:
        return running_->send_signal(SIGTERM);
      case plugins::Signal::Kill:
        return running_->send_signal(SIGKILL);
    }
  }

 private:
  const std::shared_ptr<RunningChild> running_;
};

std::string search_path(const plugins::Launch& launch) {
  const auto own = launch.env.find("PATH");
  if (own != launch.env.end()) return own->second;
  const char* inherited = std::getenv("PATH");
  return inherited != nullptr ? inherited : std::string(kDefaultPath);
}

void put_path_into(std::vector<std::string>& args, const std::string& path) {
  for (std::string& arg : args) {
    if (const std::size_t at = arg.find(plugins::kPromptFile); at != std::string::npos)
      arg.replace(at, plugins::kPromptFile.size(), path);
  }
}

boost::system::result<SpawnRequest> spawn_request(const plugins::Launch& launch,
                                                  const std::string& marker) {
  SpawnRequest request;
  request.program = find_executable(launch.command, search_path(launch));
  // A command with a slash is a path: spawn() reports better what is wrong with it.
  if (request.program.empty() && launch.command.find('/') != std::string::npos)
    request.program = launch.command;
  if (request.program.empty()) return make_error_code(LaunchError::CommandNotFound);
  request.args = launch.args;
  request.cwd = launch.cwd;
  request.env = launch.env;
  const std::string variable(kMarkerVariable);
  const char* outer = std::getenv(variable.c_str());
  request.env[variable] = (outer != nullptr ? outer : std::string()) + marker;
  return request;
}

class Launcher : public AsioLauncher {
 public:
  Launcher(boost::asio::io_context& io, const LauncherOptions& options)
      : io_(io), children_(std::make_shared<LiveChildren>(io, options)) {}
  ~Launcher() override { children_->close(); }

  boost::system::result<std::unique_ptr<Child>> launch(const plugins::Launch& launch,
                                                       ChildObserver& observer) override {
    const std::string marker = children_->next_marker();
    boost::system::result<SpawnRequest> request = spawn_request(launch, marker);
    if (!request) return request.error();
    PromptFile prompt_file;
    if (launch.prompt_file) {
      boost::system::result<PromptFile> created = PromptFile::create(*launch.prompt_file);
      if (!created) return created.error();
      prompt_file = std::move(*created);
      put_path_into(request->args, prompt_file.path());
    }
    boost::system::result<StartedAgent> started =
        children_->start(*request, prompt_file.path(), marker);
    if (!started) return started.error();
    try {
      auto running = std::make_shared<RunningChild>(
          io_, std::move(*started), std::move(prompt_file), launch.output, children_, observer);
      running->start();
      return std::unique_ptr<Child>(std::make_unique<OwnedChild>(std::move(running)));
    } catch (const boost::system::system_error& failure) {
      return failure.code();
    }
  }

  std::size_t live_count() const override { return children_->count(); }

  void stop_all(StopUrgency urgency, std::function<void()> done) override {
    for (RunningChild* child : children_->all()) child->stop(urgency);
    children_->when_none(std::move(done));
  }

 private:
  boost::asio::io_context& io_;
  const std::shared_ptr<LiveChildren> children_;
};

}  // namespace

std::unique_ptr<AsioLauncher> make_asio_launcher(boost::asio::io_context& io,
                                                 const LauncherOptions& options) {
  return std::make_unique<Launcher>(io, options);
}

}  // namespace agent_doc::process
