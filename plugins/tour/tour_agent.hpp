// The built-in agent `tour`: a small conversational program that speaks claude's bidirectional
// stream-json protocol. It takes lines of standard input and the time, and produces lines with due
// times. It is the program, not the plugin, and does no I/O (server/app/tour_main.hpp does).
#pragma once

#include "plugins/tour/tour_folder.hpp"
#include "plugins/tour/tour_session.hpp"
#include "plugins/tour/tour_text.hpp"
#include "plugins/tour/tour_wire.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// Questions that arrive while a reply runs are joined into the next question. Beyond this limit
/// the process reports an error.
inline constexpr std::size_t kMaxWaitingBytes = 64 * 1024 * 1024;

enum class TourPace {
  Watchable,  ///< at reading speed
  Immediate,  ///< for tests
};

enum class PermissionHost {
  None,   ///< nobody to ask: every permission is denied
  Stdio,  ///< `--permission-prompt-tool stdio`
};

struct TourOptions {
  std::string model;
  std::string cwd;
  PartialMessages partial = PartialMessages::Omitted;
  PermissionHost permission_host = PermissionHost::None;
  TourPace pace = TourPace::Watchable;
  std::function<FolderSight()> look_at_folder;  ///< called when a question is about the folder
};

/// How the process should end.
struct TourExit {
  int code = 0;
  std::string message;  ///< for standard error, without a newline; may be empty
};

class TourAgent {
 public:
  /// `session` has its id; it has turns when it is resumed or forked.
  TourAgent(TourOptions options, TourSession session, RandomBits random);

  void on_line(std::string_view line, const TourTime& now);
  /// Handles the end of standard input: the running turn is finished, then the process ends.
  void on_eof(const TourTime& now);
  /// Handles SIGINT: interrupts the turn, then the process ends.
  void on_interrupt(const TourTime& now);

  /// Returns when take_lines() will have output, as TourTime::elapsed; nullopt while only a line
  /// can continue.
  std::optional<std::chrono::milliseconds> next_due() const;
  /// Returns the lines that are due, in order and without newlines.
  std::vector<std::string> take_lines(const TourTime& now);

  /// Is set when no lines will follow except those of take_lines().
  const std::optional<TourExit>& exit() const { return exit_; }

  const TourSession& session() const { return session_; }
  /// Increases whenever session() should be saved. Save it before writing the lines of the same
  /// moment: an id that was announced can be resumed.
  std::uint64_t session_revision() const { return session_revision_; }

 private:
  enum class State { Idle, Streaming, AskingPermission };
  enum class BeatKind {
    Request,
    StartMessage,
    StartThinking,
    StartText,
    StartTool,
    Delta,
    EndBlock,
    EndMessage,
    UseTool,
    EndTurn
  };
  /// An action, `delay` after the previous one.
  struct Beat {
    BeatKind kind = BeatKind::Request;
    std::chrono::milliseconds delay{0};
    std::string text;
  };

  void user_message(const boost::json::object& line, const TourTime& now);
  void control_request(const boost::json::object& line, const TourTime& now);
  void control_response(const boost::json::object& line, const TourTime& now);

  void begin_turn(const TourTime& now);
  void plan(const Round& round);
  void plan_block(BeatKind start, const std::vector<std::string>& pieces,
                  std::chrono::milliseconds each);
  void add(BeatKind kind, std::chrono::milliseconds delay, std::string text = {});
  void play(const Beat& beat, const TourTime& now);
  void use_tool(const TourTime& now);
  void run_tool(const TourTime& now, std::string_view decided_by);
  void deny_tool(const TourTime& now, std::string message, std::string_view decided_by);
  void next_round();
  void end_turn(TurnEnd end, const TourTime& now);
  void abort_turn(const TourTime& now);
  void fail(std::string message);

  TourOptions options_;
  TourSession session_;
  std::uint64_t session_revision_ = 0;
  TourWire wire_;

  State state_ = State::Idle;
  Topic topic_ = Topic::Unknown;
  Round round_;
  std::vector<ToolOutcome> outcomes_;
  std::deque<Beat> beats_;
  std::chrono::milliseconds last_beat_{0};
  std::string permission_request_;
  bool clock_always_allowed_ = false;  ///< by the user, until the process ends

  std::string waiting_;  ///< questions asked during the turn
  bool input_ended_ = false;
  std::optional<TourExit> exit_;
};

/// In UTF-8 characters.
struct PieceSize {
  std::size_t least = 1;
  std::size_t most = 1;
};

/// Returns `text` in random pieces, as servers send it: cut between UTF-8 characters, even within
/// one visible character.
std::vector<std::string> in_pieces(std::string_view text, PieceSize size);

}  // namespace agent_doc::plugins::tour
