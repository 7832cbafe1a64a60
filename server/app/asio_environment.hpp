// lsp::Environment over an io_context: timers, watches, real agents, real files. Used on the thread
// that runs the io_context.
#pragma once

#include "server/app/config.hpp"
#include "server/app/log.hpp"
#include "server/lsp/environment.hpp"
#include "server/process/asio_launcher.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/uuid/random_generator.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace agent_doc::app {

class AsioEnvironment final : public lsp::Environment {
 public:
  /// `self` is ServerOptions::self. `on_exit` is called from the io_context.
  AsioEnvironment(boost::asio::io_context& io, const Config& config, const std::string& self,
                  process::Orphans orphans, std::function<void(int)> on_exit);

  session::TimePoint now() const override;
  lsp::PendingHandle schedule(session::TimePoint when, std::function<void()> callback) override;
  lsp::PendingHandle watch_process(int pid, std::function<void()> gone) override;
  process::ChildLauncher& launcher() override { return *launcher_; }
  const session::AgentDirectory& agents() const override { return *agents_; }
  store::Journal& journal() override { return *journal_; }
  session::LeaseOutcome lease_session(const std::string& agent, const std::string& session_id,
                                      const std::string& path) override;
  std::string make_uuid() override;
  boost::system::error_code create_file(const std::string& path, std::string_view text) override;
  lsp::FilePlace file_inside(const std::string& folder, const std::string& path) const override;
  std::string real_path(const std::string& path) const override;
  bool is_folder(const std::string& path) const override;
  session::FolderPlace folder_inside(const std::string& workspace,
                                     const std::string& path) const override;
  boost::system::result<std::string> read_text_file(const std::string& path) const override;
  boost::system::error_code replace_file(const std::string& path, std::string_view text) override;
  std::unique_ptr<lsp::ShownFile> make_shown_file(std::string_view text,
                                                  std::string_view what) override;
  boost::system::result<std::unique_ptr<lsp::ClosedFile>, std::string> open_closed_file(
      const std::string& path) override;
  const std::vector<std::string>& configuration_problems() const override { return problems_; }
  void log(lsp::LogLevel level, std::string_view line) override { log_->write(level, line); }
  void request_exit(int code) override;

 private:
  boost::asio::io_context& io_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<store::Journal> journal_;
  std::unique_ptr<process::AsioLauncher> launcher_;
  std::unique_ptr<session::AgentDirectory> agents_;
  std::vector<std::string> problems_;
  std::function<void(int)> on_exit_;
  lsp::PendingHandle exit_;
  boost::uuids::random_generator uuids_;
};

}  // namespace agent_doc::app
