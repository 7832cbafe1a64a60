// What it is: the built-in agent `tour`: a small conversational program that speaks claude's
// two-way stream-json protocol. Lines of standard input and the time go in, lines with their due
// times come out.
// What it is not: it does no I/O, has no clock and reads no file (server/app/tour_main does); it is
// the program, not the plugin.
// Thread rule: not thread-safe; one per process.
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

/// Questions that come while a reply runs are joined to one next question; what goes beyond this is
/// refused aloud.
inline constexpr std::size_t kMaxWaitingBytes = 64 * 1024 * 1024;

enum class TourPace {
  Watchable,  ///< as fast as a person reads
  Immediate,  ///< for tests
};

enum class PermissionHost {
  None,   ///< nobody to ask: every permission is denied
  Stdio,  ///< `--permission-prompt-tool stdio`
};

struct TourOptions {
  std::string model;
  std::string cwd;
  PartialMessages partial = PartialMessages::Left;
  PermissionHost permission_host = PermissionHost::None;
  TourPace pace = TourPace::Watchable;
  std::function<FolderSight()> look_at_folder;  ///< called when a question is about the folder
};

/// How the process should end.
struct TourExit {
  int code = 0;
  std::string message;  ///< for standard error, without newline; may be empty
};

class TourAgent {
 public:
  /// `session` has its id; with turns when it is resumed or forked.
  TourAgent(TourOptions options, TourSession session, RandomBits random);

  void on_line(std::string_view line, const TourTime& now);
  /// Standard input ended: the running turn is finished, then the process ends.
  void on_eof(const TourTime& now);
  /// SIGINT: the tail of an interruption, then the end.
  void on_interrupt(const TourTime& now);

  /// When take_lines() has something to give, as TourTime::elapsed; nothing while it waits for a
  /// line.
  std::optional<std::chrono::milliseconds> next_due() const;
  /// What is due, in order, without newlines.
  std::vector<std::string> take_lines(const TourTime& now);

  /// Set when no line will come any more but those of take_lines().
  const std::optional<TourExit>& exit() const { return exit_; }

  const TourSession& session() const { return session_; }
  /// Counts up whenever session() is worth saving. Save before the lines of the same moment go out:
  /// an id that was told can be resumed.
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
  /// One thing to do, `delay` after the one before it.
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
  bool clock_always_allowed_ = false;  ///< the person said so; until the process ends

  std::string waiting_;  ///< what was asked during the turn
  bool input_ended_ = false;
  std::optional<TourExit> exit_;
};

/// In characters of UTF-8.
struct PieceSize {
  std::size_t least = 1;
  std::size_t most = 1;
};

/// `text` in pieces as servers send them: cut at random between characters of UTF-8, also inside
/// what a reader sees as one character.
std::vector<std::string> in_pieces(std::string_view text, PieceSize size);

}  // namespace agent_doc::plugins::tour
