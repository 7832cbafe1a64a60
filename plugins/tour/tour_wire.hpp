// Writes the lines of claude's stream-json protocol as the real program does (order, fields,
// snapshots, interruptions), and keeps track of the open message and block. tour_agent.hpp decides
// what to say and when. Lines are not read here.
#pragma once

#include <boost/json.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

enum class PartialMessages {
  Omitted,   ///< complete messages only
  Included,  ///< `--include-partial-messages`
};

enum class WireBlock { Text, Thinking, ToolUse };

/// The time since the process started, and the wall clock.
struct TourTime {
  std::chrono::milliseconds elapsed{0};
  std::chrono::system_clock::time_point wall;
};

/// Returns a time as `2026-11-20T09:11:28.050Z`.
std::string iso_time(std::chrono::system_clock::time_point time);

using RandomBits = std::function<std::uint64_t()>;
/// Returns a version 4 UUID.
std::string make_uuid(const RandomBits& random);

struct WireOptions {
  std::string session_id;
  std::string model;
  std::string cwd;
  PartialMessages partial = PartialMessages::Omitted;
};

class TourWire {
 public:
  TourWire(WireOptions options, RandomBits random);

  /// Returns the lines written since the last call.
  std::vector<std::string> take_lines();
  bool has_lines() const { return !lines_.empty(); }

  void set_model(std::string model) { options_.model = std::move(model); }
  const std::string& model() const { return options_.model; }

  // --- one turn ---
  void init(const TourTime& now, std::size_t input_bytes);
  void requesting();
  void start_message(const TourTime& now);
  /// Starts a block. `tool` is the tool's name for WireBlock::ToolUse.
  void start_block(WireBlock kind, std::string_view tool = {});
  void delta(std::string_view text);
  /// Writes the snapshot, then the end.
  void end_block(const TourTime& now);
  void end_message(std::string_view stop_reason);

  /// Returns the id of the last ToolUse block.
  const std::string& tool_use_id() const { return tool_id_; }
  const boost::json::value& tool_input() const { return tool_input_; }

  void tool_allowed(const TourTime& now, std::string_view result, std::string_view decided_by);
  void tool_denied(const TourTime& now, std::string_view message, std::string_view decided_by);

  /// Denies the tool because there is nobody to ask.
  void permission_denied(std::string_view message);
  /// Returns the id of the question.
  std::string ask_permission(std::string_view description);
  void withdraw_permission(std::string_view request_id);

  void end_turn(const TourTime& now, std::string_view result);
  /// Interrupts the turn while text or thinking streams, or between messages.
  void abort_streaming(const TourTime& now);
  /// Interrupts the turn while a tool runs or its permission is asked.
  void abort_tool(const TourTime& now);

  // --- outside turns ---
  void control_success(std::string_view request_id, boost::json::object response);
  void control_error(std::string_view request_id, std::string_view message);
  /// Written in place of everything else when there is no session `id`.
  void no_such_session(std::string_view id, std::string_view message);

 private:
  struct OpenBlock {
    WireBlock kind = WireBlock::Text;
    std::string text;
  };

  std::string new_id(std::string_view prefix);
  void write(const boost::json::object& line);
  void event(boost::json::object event, boost::json::object more = {});
  void assistant(const TourTime& now, boost::json::object block, boost::json::object more = {});
  void user(const TourTime& now, boost::json::object content, boost::json::object more = {});
  void tool_result(const TourTime& now, boost::json::object content, std::string_view use_result,
                   boost::json::object meta);
  boost::json::object usage() const;
  void write_result(const TourTime& now, std::string_view stop_reason, boost::json::object outcome);
  boost::json::object model_usage() const;

  WireOptions options_;
  RandomBits random_;
  std::vector<std::string> lines_;

  // per turn
  std::chrono::milliseconds turn_began_{0};
  std::int64_t input_tokens_ = 0;
  std::int64_t output_tokens_ = 0;  ///< of complete messages
  int user_lines_ = 0;
  boost::json::array denials_;
  // per message
  std::string message_id_;  ///< empty: no message is open
  std::string request_id_;
  std::int64_t next_block_ = 0;
  std::int64_t message_tokens_ = 0;
  std::int64_t thinking_tokens_ = 0;
  std::optional<OpenBlock> block_;
  std::string tool_id_;
  std::string tool_name_;
  boost::json::value tool_input_;
  // per process
  std::int64_t results_ = 0;
  std::int64_t all_input_tokens_ = 0;
  std::int64_t all_output_tokens_ = 0;
};

}  // namespace agent_doc::plugins::tour
