#include "server/app/asio_environment.hpp"

#include "server/app/agent_file.hpp"
#include "server/app/closed_document.hpp"
#include "server/app/new_file.hpp"
#include "server/app/person_store.hpp"
#include "server/process/process_tree.hpp"
#include "server/process/prompt_file.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace agent_doc::app {

namespace {

using Callback = std::shared_ptr<std::function<void()>>;

/// Wraps `callback` for Asio, which may keep it longer than a Pending that was destroyed after its
/// time had come.
auto weakly(const Callback& callback) {
  return [weak = std::weak_ptr(callback)](const boost::system::error_code& error = {}) {
    const Callback alive = weak.lock();
    if (alive && error != boost::asio::error::operation_aborted) (*alive)();
  };
}

/// A Pending on `Source`: a timer or a descriptor.
template <class Source>
class PendingOn final : public lsp::Pending {
 public:
  PendingOn(Source source, std::function<void()> callback)
      : source_(std::move(source)),
        callback_(std::make_shared<std::function<void()>>(std::move(callback))) {}

  Source& source() { return source_; }
  auto handler() const { return weakly(callback_); }

 private:
  Source source_;
  Callback callback_;
};

/// A source that is ready at once.
struct Immediately {};

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

process::LauncherOptions launcher_options(const std::string& self, process::Orphans orphans) {
  process::LauncherOptions options;
  options.orphans = orphans;
  if (!self.empty()) options.guard_command = {self, "guard"};
  return options;
}

/// Waits for the end of a process. Checks again when the descriptor is ready, because Asio may
/// report an event of an earlier descriptor with the same number.
class ProcessWatch final : public lsp::Pending {
 public:
  ProcessWatch(boost::asio::posix::stream_descriptor pidfd, std::function<void()> gone)
      : state_(std::make_shared<State>(State{std::move(pidfd), std::move(gone)})) {
    wait(state_);
  }
  ~ProcessWatch() override { state_->gone = nullptr; }

 private:
  struct State {
    boost::asio::posix::stream_descriptor pidfd;
    std::function<void()> gone;
  };

  static void wait(const std::shared_ptr<State>& state) {
    state->pidfd.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [weak = std::weak_ptr<State>(state)](boost::system::error_code error) {
                              const std::shared_ptr<State> alive = weak.lock();
                              if (error || !alive || !alive->gone) return;
                              if (!process::has_ended(alive->pidfd.native_handle()))
                                return wait(alive);
                              const std::function<void()> gone = std::move(alive->gone);
                              gone();
                            });
  }

  std::shared_ptr<State> state_;
};

class Shown final : public lsp::ShownFile {
 public:
  explicit Shown(process::PromptFile file) : file_(std::move(file)) {}
  const std::string& path() const override { return file_.path(); }

 private:
  process::PromptFile file_;
};

}  // namespace

AsioEnvironment::AsioEnvironment(boost::asio::io_context& io, const Config& config,
                                 const std::string& self, process::Orphans orphans,
                                 std::function<void(int)> on_exit)
    : io_(io),
      log_(make_log(environment_variable("AGENT_DOC_LOG"))),
      journal_(make_journal()),
      launcher_(process::make_asio_launcher(io, launcher_options(self, orphans))),
      agents_(make_agent_directory(config, self, environment_variable("PATH"))),
      problems_(config.problems),
      on_exit_(std::move(on_exit)) {}

session::TimePoint AsioEnvironment::now() const {
  return std::chrono::steady_clock::now();
}

lsp::PendingHandle AsioEnvironment::schedule(session::TimePoint when,
                                             std::function<void()> callback) {
  if (when <= now()) {
    auto pending = std::make_unique<PendingOn<Immediately>>(Immediately{}, std::move(callback));
    boost::asio::post(io_, pending->handler());
    return pending;
  }
  auto pending = std::make_unique<PendingOn<boost::asio::steady_timer>>(
      boost::asio::steady_timer(io_, when), std::move(callback));
  pending->source().async_wait(pending->handler());
  return pending;
}

lsp::PendingHandle AsioEnvironment::watch_process(int pid, std::function<void()> gone) {
  using boost::asio::posix::stream_descriptor;
  const int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0 && errno == ESRCH) return schedule(now(), std::move(gone));
  if (fd < 0) {
    log(lsp::LogLevel::Warning, "the end of process " + std::to_string(pid) +
                                    " cannot be watched: " + std::strerror(errno));
    return nullptr;
  }
  return std::make_unique<ProcessWatch>(stream_descriptor(io_, fd), std::move(gone));
}

session::LeaseOutcome AsioEnvironment::lease_session(const std::string& agent,
                                                     const std::string& session_id,
                                                     const std::string& path) {
  boost::system::error_code problem;
  session::LeaseOutcome outcome = lease_agent_session(agent, session_id, path, problem);
  if (problem)
    log(lsp::LogLevel::Warning,
        "the session of " + agent +
            " cannot be leased, so nothing keeps others from using it: " + problem.message());
  return outcome;
}

std::string AsioEnvironment::make_uuid() {
  return boost::uuids::to_string(uuids_());
}

boost::system::error_code AsioEnvironment::create_file(const std::string& path,
                                                       std::string_view text) {
  return app::create_file(path, text);
}

std::unique_ptr<lsp::ShownFile> AsioEnvironment::make_shown_file(std::string_view text,
                                                                 std::string_view what) {
  boost::system::result<process::PromptFile> file = process::PromptFile::create(text, what);
  if (!file) return nullptr;
  ::chmod(file->path().c_str(), S_IRUSR);  // editors then open it read-only
  return std::make_unique<Shown>(std::move(*file));
}

lsp::FilePlace AsioEnvironment::file_inside(const std::string& folder,
                                            const std::string& path) const {
  return app::file_inside(folder, path);
}

std::string AsioEnvironment::real_path(const std::string& path) const {
  return app::real_path(path);
}

bool AsioEnvironment::is_folder(const std::string& path) const {
  return app::is_folder(path);
}

session::FolderPlace AsioEnvironment::folder_inside(const std::string& workspace,
                                                    const std::string& path) const {
  return app::folder_inside(workspace, path);
}

boost::system::result<std::string> AsioEnvironment::read_text_file(const std::string& path) const {
  return app::read_text_file(path);
}

boost::system::error_code AsioEnvironment::replace_file(const std::string& path,
                                                        std::string_view text) {
  return app::replace_file(path, text);
}

boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string>
AsioEnvironment::open_closed_file(const std::string& path) {
  return open_closed_document(path);
}

void AsioEnvironment::request_exit(int code) {
  exit_ = schedule(now(), [on_exit = on_exit_, code] {
    on_exit(code);
  });  // a copy: the call may destroy this object
}

}  // namespace agent_doc::app
