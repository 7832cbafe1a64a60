#include "server/turn/turn.hpp"

#include "server/text/utf8.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::turn {
namespace {

std::string sanitised(std::string_view text) {
  std::string clean;
  Sanitiser{}.feed(text, clean);
  return clean;
}

/// A line of a thought without the marks of headings and emphasis around it.
std::string_view without_marks(std::string_view line) {
  constexpr std::string_view kMarks = "*#_ ";
  const std::size_t begin = line.find_first_not_of(kMarks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kMarks) + 1 - begin);
}

/// Of a line of thought that is longer than the status line, the newest sentences; of a sentence
/// that is, its newest words.
void keep_newest(std::string& line) {
  if (line.size() <= kMaxStatus) return;
  const std::string_view text = line;
  std::size_t begin = text::floor_boundary(text, text.size() - kMaxStatus / 2);
  const std::size_t from = text.size() - kMaxStatus;
  const std::size_t word = text.find(' ', begin);
  if (word != std::string_view::npos) begin = word + 1;
  for (const std::string_view end : {". ", "! ", "? "}) {
    const std::size_t sentence = text.find(end, from);
    if (sentence != std::string_view::npos && sentence + end.size() < text.size())
      begin = std::min(begin, sentence + end.size());
  }
  line.erase(0, begin);
}

}  // namespace

bool is_terminal(TurnState state) {
  return state >= TurnState::Done;
}

std::string_view name_of(TurnState state) {
  switch (state) {
    case TurnState::Starting:
      return "starting";
    case TurnState::Running:
      return "running";
    case TurnState::Waiting:
      return "waiting";
    case TurnState::Done:
      return "done";
    case TurnState::Failed:
      return "failed";
    case TurnState::Cancelled:
      return "cancelled";
    case TurnState::Interrupted:
      return "interrupted";
  }
  return "";
}

constexpr std::string_view kWaitingForModel = "waiting for the model";

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::Starting:
      return "starting";
    case Phase::Asked:
      return kWaitingForModel;
    case Phase::Thinking:
      return "thinking";
    case Phase::Tool:
      return "tool";
    case Phase::Writing:
      return "writing";
    case Phase::Waiting:
      return "waiting";
  }
  return "";
}

/// Events of sub-agents have a lane; of them only tools and notices are shown.
class Turn::EventVisitor {
 public:
  explicit EventVisitor(Turn& turn) : turn_(turn) {}

  void operator()(const plugins::SessionStarted& event) {
    turn_.session_id_ = event.session_id;
    turn_.model_ = event.model;
    ++turn_.revision_;
  }
  void operator()(const plugins::MessageStarted& event) {
    if (!event.lane.empty()) return;
    turn_.thinking_line_.clear();
    turn_.show_work();
  }
  void operator()(const plugins::BlockStarted& event) {
    if (!event.key.lane.empty()) return;
    turn_.thinking_line_.clear();
    if (event.kind == plugins::BlockKind::Thinking) turn_.set_phase(Phase::Thinking, "thinking");
    if (event.kind == plugins::BlockKind::ToolCall && turn_.phase_ != Phase::Tool)
      turn_.set_phase(Phase::Tool, "preparing a tool call");
  }
  void operator()(const plugins::TextDelta& event) {
    if (event.key.lane.empty() && !event.text.empty()) writing();
  }
  void operator()(const plugins::ThinkingDelta& event) {
    if (event.key.lane.empty()) turn_.thinking_came(event.text);
  }
  void operator()(const plugins::Snapshot& event) {
    if (!event.key.lane.empty() || event.text.empty()) return;
    if (event.kind == plugins::BlockKind::Text) writing();
    if (event.kind == plugins::BlockKind::Thinking && turn_.phase_ != Phase::Thinking)
      turn_.thinking_came(event.text);
  }
  void operator()(const plugins::ToolStarted& event) { turn_.tool_started(event); }
  void operator()(const plugins::ToolEnded& event) { turn_.tool_ended(event.id); }
  void operator()(const plugins::Usage& event) {
    turn_.usage_.input += event.input;
    turn_.usage_.output += event.output;
    turn_.usage_.cache_read += event.cache_read;
    turn_.usage_.cache_write += event.cache_write;
    turn_.usage_.cost_micros += event.cost_micros;
    ++turn_.revision_;
  }
  void operator()(const plugins::Notice& event) {
    const std::string text = one_line(event.text, kMaxStatus);
    if (event.kind == plugins::NoticeKind::RateLimit) turn_.rate_limit_ = text;
    turn_.set_status(text);
  }
  void operator()(const plugins::Failure& event) {
    turn_.failed_ = true;
    turn_.failure_kind_ = event.kind;
    turn_.failure_message_ = sanitised(event.message);
  }
  void operator()(const plugins::TurnEnded& event) {
    switch (event.outcome) {
      case plugins::Outcome::Done:
        return turn_.finish(turn_.failed_ ? TurnState::Failed : TurnState::Done);
      case plugins::Outcome::Failed:
        return turn_.finish(TurnState::Failed);
      case plugins::Outcome::Cancelled:
        return turn_.finish(TurnState::Cancelled);
    }
  }
  void operator()(const plugins::Unrecognised& event) {
    auto& counts = turn_.health_.unrecognised;
    const std::string type = one_line(event.type, kMaxStatus);
    if (counts.size() >= kMaxUnrecognisedTypes && !counts.contains(type)) {
      ++counts["(other types)"];
    } else {
      ++counts[type];
    }
  }
  void operator()(const plugins::Malformed&) { ++turn_.health_.malformed; }
  template <class Other>
  void operator()(const Other&) {}

 private:
  void writing() {
    if (turn_.phase_ != Phase::Writing) turn_.set_phase(Phase::Writing, "writing");
  }

  Turn& turn_;
};

Turn::Turn(Rounds rounds, Thinking thinking, RegionWrites& writes)
    : reply_(rounds, thinking, writes), status_("starting") {}

void Turn::on_line(std::size_t bytes) {
  if (is_terminal(state_)) return;
  ++health_.lines;
  health_.longest_line = std::max(health_.longest_line, bytes);
  health_.bytes += bytes;
  begin_running();
}

void Turn::prompt_sent() {
  if (is_terminal(state_) || phase_ != Phase::Starting) return;
  phase_ = Phase::Asked;
  ++revision_;
  set_status(kWaitingForModel);
}

void Turn::show_silence(std::string_view status) {
  if (is_terminal(state_) || silence_ == status) return;
  silence_ = status;
  ++revision_;
}

void Turn::on_event(const plugins::AgentEvent& event) {
  if (is_terminal(state_)) return;
  reply_.on_event(event);
  std::visit(EventVisitor(*this), event);
}

void Turn::end(TurnState terminal, plugins::FailureKind kind, std::string_view message) {
  if (is_terminal(state_)) return;
  failure_kind_ = kind;
  failure_message_ = sanitised(message);
  finish(terminal);
}

void Turn::permission_answered() {
  if (!permission_) return;
  permission_.reset();
  ++revision_;
  state_ = TurnState::Running;
  show_work();
}

Health Turn::health() const {
  Health health = health_;
  health.reply = reply_.counts();
  return health;
}

void Turn::begin_running() {
  if (state_ != TurnState::Starting) return;
  state_ = TurnState::Running;
  ++revision_;
}

void Turn::set_phase(Phase phase, std::string_view status) {
  begin_running();
  if (state_ == TurnState::Waiting) return;
  if (phase_ != phase) {
    phase_ = phase;
    ++revision_;
  }
  if (phase != Phase::Thinking) thinking_line_.clear();
  set_status(status);
}

void Turn::set_status(std::string_view status) {
  if (state_ == TurnState::Waiting || status_ == status) return;
  status_ = status;
  ++revision_;
}

void Turn::thinking_came(std::string_view text) {
  for (std::size_t newline = text.find('\n'); newline != std::string_view::npos;
       newline = text.find('\n')) {
    thinking_line_.append(text.substr(0, newline));
    keep_newest(thinking_line_);
    if (const std::string line = one_line(without_marks(thinking_line_), kMaxStatus); !line.empty())
      set_phase(Phase::Thinking, line);
    thinking_line_.clear();
    text.remove_prefix(newline + 1);
  }
  thinking_line_.append(text);
  keep_newest(thinking_line_);
  const std::string line = one_line(without_marks(thinking_line_), kMaxStatus);
  if (!line.empty()) {
    set_phase(Phase::Thinking, line);
  } else if (phase_ != Phase::Thinking) {
    set_phase(Phase::Thinking, "thinking");
  }
}

void Turn::tool_started(const plugins::ToolStarted& tool) {
  std::string status = one_line(tool.name, kMaxStatus);
  if (!tool.summary.empty()) status += ": " + one_line(tool.summary, kMaxStatus);
  if (!tool.lane.empty()) status.insert(0, "sub-agent: ");
  const auto known =
      std::find_if(tools_.begin(), tools_.end(),
                   [&tool](const RunningTool& running) { return running.id == tool.id; });
  if (known != tools_.end()) {
    known->status = status;
  } else {
    tools_.push_back({std::string(tool.id), status});
  }
  set_phase(Phase::Tool, status);
}

void Turn::tool_ended(std::string_view id) {
  const auto ended = std::find_if(tools_.begin(), tools_.end(),
                                  [id](const RunningTool& running) { return running.id == id; });
  if (ended == tools_.end()) return;
  tools_.erase(ended);
  show_work();
}

/// What the agent does as far as the last events tell: a tool that still runs, else it thinks.
void Turn::show_work() {
  if (tools_.empty()) {
    set_phase(Phase::Thinking, "thinking");
  } else {
    set_phase(Phase::Tool, tools_.back().status);
  }
}

void Turn::ask(Permission permission) {
  state_ = TurnState::Waiting;
  phase_ = Phase::Waiting;
  status_ = one_line("waiting for your permission: " + permission.tool + " " + permission.detail,
                     kMaxStatus);
  permission_ = std::move(permission);
  ++revision_;
}

void Turn::finish(TurnState terminal) {
  state_ = terminal;
  if (terminal == TurnState::Failed && failure_message_.empty())
    failure_message_ = "The agent ended the turn without saying why. Run again.";
  if (terminal != TurnState::Failed) failure_message_.clear();
  const bool limited = terminal == TurnState::Failed &&
                       failure_kind_ == plugins::FailureKind::RateLimit && !rate_limit_.empty();
  if (limited && failure_message_.find(rate_limit_) == std::string::npos)
    failure_message_ += " (" + rate_limit_ + ")";
  reply_.finish(failure_message_);
  permission_.reset();
  tools_.clear();
  thinking_line_.clear();
  status_.clear();
  silence_.clear();
  ++revision_;
}

}  // namespace agent_doc::turn
