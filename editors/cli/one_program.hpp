// Runs one program until it ends, or stops it when its time is over. Subclasses talk to the
// program. An exception of a subclass stops the program and does not leave this class. Belongs to
// the thread of its io_context, whose run() lasts until the program has ended.
#pragma once

#include "server/process/child.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// Returns, for example, "exit code 1: the end of its standard error".
std::string ending_of(const plugins::ExitStatus& status);

class OneProgram : public process::ChildObserver {
 public:
  OneProgram(boost::asio::io_context& io, std::chrono::milliseconds limit);

  void on_line(std::string_view line) final;
  void on_line_too_long(std::size_t) override {}
  void on_text(std::string_view piece) final;
  void on_exit(const plugins::ExitStatus& status) final;

 protected:
  /// Returns false if the program could not be started.
  bool start(process::ChildLauncher& launcher, const plugins::Launch& launch);
  process::Child& child() { return *child_; }
  void stop();

 private:
  virtual void on_limit() = 0;
  virtual void not_started(const boost::system::error_code& error) = 0;
  virtual void heard(std::string_view line) = 0;
  /// As ChildObserver::on_text().
  virtual void heard_text(std::string_view piece) { static_cast<void>(piece); }
  virtual void ended(const plugins::ExitStatus& status) = 0;
  /// Called after heard() or ended() threw; neither is called again. `why` is a sentence.
  virtual void broke(const std::string& why) = 0;

  template <class Call>
  void guarded(Call&& call);

  boost::asio::steady_timer limit_;
  std::unique_ptr<process::Child> child_;
  bool broken_ = false;
};

}  // namespace agent_doc::cli
