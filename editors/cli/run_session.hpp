// What it is: one run on the command line: the server in this process, the file as its document,
// the person's terminal and signals, from the first request to the last byte on the disk.
// What it is not: rendering (run_output.hpp), nor the file (file_client.hpp).
// Thread rule: runs an io_context of its own on the thread that calls run().
#pragma once

#include "editors/cli/commands.hpp"
#include "editors/cli/file_client.hpp"
#include "editors/cli/local_server.hpp"
#include "editors/cli/permission_prompt.hpp"
#include "editors/cli/run_output.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::cli {

/// A turn is over, but its reply does not get into the text (its place was deleted, or the person
/// undid it): after so many of these looks without any progress the rest is kept elsewhere. Looks,
/// not time: while the disk holds this thread up, nobody could make progress.
inline constexpr int kLandingLooks = 20;
inline constexpr std::chrono::milliseconds kLandingLook{100};
inline constexpr std::chrono::milliseconds kTick{100};
/// For what is still to be written after the second Ctrl-C.
inline constexpr std::chrono::milliseconds kHurriedFinish{1000};

/// Where a run takes place, if that is not where its file is.
struct RunPlace {
  std::string uri;     ///< of a document without a file, as the server knows it
  std::string folder;  ///< the workspace
};

class RunSession {
 public:
  RunSession(RunOptions options, file::FileBuffer buffer, app::Config config, RunOutput& output,
             RunPlace place = {});

  /// The exit code.
  int run();

 private:
  enum class Stage {
    Starting,  ///< no turn yet
    Running,   ///< until the turn is over and its reply is in the text
    Ending,    ///< the file gets its last bytes, the agents end
  };

  void bind();
  void start();
  void on_run_answered(protocol::Result result);
  void on_turn(const protocol::TurnParams& turn);
  void on_reply(const protocol::ReplyParams& reply);
  void on_question(const boost::json::value& params, protocol::Replier reply);
  void on_signal();
  void wait_for_signal();
  void stop_turn();
  void wait_for_landing(int looks);
  void tick();
  void conclude(int code);
  void on_file_finished(FileClient::Ending ending);
  void keep_elsewhere(std::string_view text, std::string_view what);

  RunOptions options_;
  RunPlace place_;
  RunOutput& output_;
  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer ticker_;
  boost::asio::steady_timer landing_;
  boost::asio::steady_timer hurry_;
  LocalServer server_;
  FileClient file_;
  PermissionPrompt prompt_;

  Stage stage_ = Stage::Starting;
  int signals_seen_ = 0;
  bool error_told_ = false;
  bool landed_ = true;
  std::uint64_t edits_when_looked_ = 0;
  std::string reply_;
  int exit_code_ = kTurnFailed;
};

/// Returns the exit code of a run that the server refused with `refusal`.
ExitCode exit_code_of(const protocol::Error& refusal);

}  // namespace agent_doc::cli
