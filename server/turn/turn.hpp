// What it is: the state of one turn: its states, phases, status line, usage, permission question
// and health, from AgentEvents.
// What it is not: the reply's text (reply.hpp), the agent's process, the document.
// Thread rule: not thread-safe; one per turn.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/question.hpp"
#include "server/turn/reply.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

enum class TurnState {
  Starting,   ///< the agent is being started, nothing came from it
  Running,    ///< -> Waiting, and to any terminal state
  Waiting,    ///< for the person's answer to a permission question -> Running, and to any terminal
              ///< state
  Done,       ///< terminal
  Failed,     ///< terminal
  Cancelled,  ///< terminal: the person stopped it
  Interrupted,  ///< terminal: the server or the client went away in the middle
};
bool is_terminal(TurnState state);
/// The wire name: "starting", "running", …
std::string_view name_of(TurnState state);

enum class Phase {
  Starting,
  Asked,  ///< the prompt is sent, nothing of an answer came
  Thinking,
  Tool,
  Writing,
  Waiting,
};
std::string_view name_of(Phase phase);

/// Counted per turn, told on request: how well the agent's stream was understood.
struct Health {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;
  std::uint64_t malformed = 0;
  std::size_t longest_line = 0;  ///< in bytes
  std::map<std::string, std::uint64_t>
      unrecognised;  ///< by type; at most kMaxUnrecognisedTypes types
  ReplyCounts reply;
  std::optional<std::chrono::milliseconds>
      first_text;  ///< from the begin of the turn on; filled in by who has a clock
  std::chrono::milliseconds longest_silence{0};  ///< between two lines

  /// For example "1,500 delta events and 53 complete events; 50 unrecognised (3 types); no
  /// malformed lines".
  std::string sentence() const;
  /// The unrecognised types with their numbers: "a (20), b"; for the log.
  std::string unrecognised_types() const;
  /// A sentence for the person when most of the stream could not be read; empty otherwise.
  std::string warning() const;
};
inline constexpr std::size_t kMaxUnrecognisedTypes = 100;
/// Of the status line, in bytes.
inline constexpr std::size_t kMaxStatus = 200;

class Turn {
 public:
  /// `writes` hears what becomes of the reply.
  Turn(Rounds rounds, Thinking thinking, RegionWrites& writes);

  /// Counts the line for health; its events follow.
  void on_line(std::size_t bytes);
  /// What is waited for now is the model.
  void prompt_sent();
  /// Stands as the status while the agent says nothing; empty: it speaks again.
  void show_silence(std::string_view status);
  void on_event(const plugins::AgentEvent& event);
  /// Ends the turn from outside (the server stops, the agent could not be started). Ignored in a
  /// terminal state.
  void end(TurnState terminal, plugins::FailureKind kind, std::string_view message);

  TurnState state() const { return state_; }
  Phase phase() const { return phase_; }
  /// One line for the person, replaced by each update, empty once terminal.
  const std::string& status() const {
    return silence_.empty() || state_ == TurnState::Waiting ? status_ : silence_;
  }
  const std::optional<Permission>& permission() const { return permission_; }
  /// Waits for an answer to it. One question at a time: session::PermissionBroker has the others.
  void ask(Permission permission);
  /// The question was answered (or withdrawn): back to Running.
  void permission_answered();

  const std::string& session_id() const { return session_id_; }
  const std::string& model() const { return model_; }
  const plugins::Usage& usage() const { return usage_; }
  /// Why it failed; only in state Failed.
  plugins::FailureKind failure_kind() const { return failure_kind_; }
  const std::string& failure_message() const { return failure_message_; }
  const Reply& reply() const { return reply_; }
  Health health() const;
  /// Counts up whenever something changed that a client would show (state, phase, status, session,
  /// usage).
  std::uint64_t revision() const { return revision_; }

 private:
  struct RunningTool {
    std::string id;
    std::string status;
  };
  class EventVisitor;

  void set_phase(Phase phase, std::string_view status);
  void set_status(std::string_view status);
  void begin_running();
  void thinking_came(std::string_view text);
  void tool_started(const plugins::ToolStarted& tool);
  void tool_ended(std::string_view id);
  void show_work();
  void finish(TurnState terminal);

  Reply reply_;
  TurnState state_ = TurnState::Starting;
  Phase phase_ = Phase::Starting;
  std::string status_;
  std::string silence_;
  std::string thinking_line_;  ///< the line of the thought that is being written
  std::vector<RunningTool> tools_;
  std::optional<Permission> permission_;
  std::string session_id_;
  std::string model_;
  plugins::Usage usage_;
  plugins::FailureKind failure_kind_ = plugins::FailureKind::Unknown;
  std::string failure_message_;
  std::string
      rate_limit_;  ///< what the agent said of one, with the time of its end when that was told
  bool failed_ = false;
  Health health_;
  std::uint64_t revision_ = 0;
};

}  // namespace agent_doc::turn
