#include "plugins/tour/tour_agent.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins::tour {

namespace json = boost::json;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds kRequestTime{150};    ///< until the first event of a message
constexpr milliseconds kThinkingTime{1000};  ///< in total
constexpr milliseconds kToolTime{400};
constexpr milliseconds kTextPieceTime{20};
constexpr milliseconds kSlowTextPieceTime{25};
constexpr milliseconds kToolInputPieceTime{15};
constexpr PieceSize kThinkingPiece{4, 12};
constexpr PieceSize kTextPiece{2, 12};
constexpr PieceSize kSlowTextPiece{2, 8};
constexpr PieceSize kToolInputPiece{8, 20};

constexpr std::string_view kToolName = "Tour";
// Who decided about a tool, in the terms of the real program.
constexpr std::string_view kByRule = "config";
constexpr std::string_view kByPersonOnce = "user_temporary";
constexpr std::string_view kByPersonAlways = "user_permanent";
constexpr std::string_view kByPersonRejected = "user_reject";

std::string text_field(const json::object& object, std::string_view name) {
  const json::value* field = object.if_contains(name);
  return field != nullptr && field->is_string() ? std::string(field->get_string()) : std::string();
}

const json::object& object_field(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const json::value* field = object.if_contains(name);
  const json::object* found = field == nullptr ? nullptr : field->if_object();
  return found == nullptr ? kNone : *found;
}

/// Returns the text of a message, whose content is a string or a list of blocks.
std::string text_of_message(const json::object& message) {
  const json::value* content = message.if_contains("content");
  if (content == nullptr) return {};
  if (content->is_string()) return std::string(content->get_string());
  std::string text;
  if (!content->is_array()) return text;
  for (const json::value& block : content->get_array()) {
    const json::object* object = block.if_object();
    if (object == nullptr || text_field(*object, "type") != "text") continue;
    if (!text.empty()) text += "\n\n";
    text += text_field(*object, "text");
  }
  return text;
}

std::string day_and_time(std::chrono::system_clock::time_point wall) {
  const std::string iso = iso_time(wall);
  return iso.substr(0, 10) + " " + iso.substr(11, 5) + " UTC";
}

}  // namespace

std::vector<std::string> in_pieces(std::string_view text, PieceSize size) {
  constexpr std::string_view kZeroWidthJoiner = "\u200D";
  std::vector<std::string> pieces;
  std::uint32_t chance = static_cast<std::uint32_t>(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    chance = chance * 1664525U + 1013904223U;
    const std::size_t characters = size.least + (chance >> 16) % (size.most - size.least + 1);
    std::size_t end = at;
    for (std::size_t count = 0; count < characters && end < text.size(); ++count) {
      if (count > 0 && text.substr(end).starts_with(kZeroWidthJoiner)) break;
      end += text::sequence_length(text, end);
    }
    pieces.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return pieces;
}

TourAgent::TourAgent(TourOptions options, TourSession session, RandomBits random)
    : options_(std::move(options)),
      session_(std::move(session)),
      wire_({session_.id, options_.model, options_.cwd, options_.partial}, std::move(random)) {}

// --- input ---

void TourAgent::on_line(std::string_view line, const TourTime& now) {
  if (exit_ || line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  boost::system::error_code error;
  const json::value value = json::parse(line, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) {
    fail("Error parsing streaming input line (" + std::to_string(line.size()) +
         " bytes): each line must be one JSON object.");
    return;
  }
  const std::string type = text_field(*object, "type");
  if (type == "user") {
    user_message(*object, now);
  } else if (type == "control_request") {
    control_request(*object, now);
  } else if (type == "control_response") {
    control_response(*object, now);
  }
}

void TourAgent::user_message(const json::object& line, const TourTime& now) {
  std::string text = text_of_message(object_field(line, "message"));
  if (waiting_.size() + text.size() > kMaxWaitingBytes) {
    fail("Error: more than " + std::to_string(kMaxWaitingBytes) +
         " bytes are waiting to be answered; send less, or wait for the running reply.");
    return;
  }
  if (!waiting_.empty()) waiting_ += "\n\n";
  waiting_ += text;
  if (state_ == State::Idle) begin_turn(now);
}

void TourAgent::control_request(const json::object& line, const TourTime& now) {
  const std::string id = text_field(line, "request_id");
  const json::object& request = object_field(line, "request");
  const std::string subtype = text_field(request, "subtype");
  if (subtype == "interrupt") {
    wire_.control_success(id, {{"still_queued", json::array{}}});
    if (state_ != State::Idle) {
      abort_turn(now);
      end_turn(TurnEnd::Stopped, now);
    }
  } else if (subtype == "initialize") {
    wire_.control_success(
        id, {{"commands", json::array{}},
             {"agents", json::array{}},
             {"output_style", "default"},
             {"models", json::array{{{"value", "tour"},
                                     {"displayName", "Tour"},
                                     {"description", "The guided tour of agent-doc"}}}},
             {"account", json::object{}},
             {"session_state", state_ == State::Idle ? "idle" : "running"}});
  } else if (subtype == "set_model") {
    std::string model = text_field(request, "model");
    if (!model.empty()) wire_.set_model(std::move(model));
    wire_.control_success(id, {{"model", wire_.model()}});
  } else if (subtype == "set_permission_mode") {
    wire_.control_success(id, {{"mode", text_field(request, "mode")}});
  } else {
    wire_.control_error(id, "Unsupported control request subtype: " + subtype);
  }
}

void TourAgent::control_response(const json::object& line, const TourTime& now) {
  const json::object& response = object_field(line, "response");
  if (state_ != State::AskingPermission ||
      text_field(response, "request_id") != permission_request_)
    return;
  const json::object& answer = object_field(response, "response");
  const json::value* interrupt = answer.if_contains("interrupt");
  permission_request_.clear();
  if (interrupt != nullptr && interrupt->is_bool() && interrupt->get_bool()) {
    abort_turn(now);
    end_turn(TurnEnd::Stopped, now);
    return;
  }
  state_ = State::Streaming;
  last_beat_ = now.elapsed;
  if (text_field(answer, "behavior") == "allow") {
    const json::value* rules = answer.if_contains("updatedPermissions");
    clock_always_allowed_ = rules != nullptr && rules->is_array() && !rules->get_array().empty();
    run_tool(now, clock_always_allowed_ ? kByPersonAlways : kByPersonOnce);
    return;
  }
  std::string message = text_field(answer, "message");
  if (message.empty()) message = text_field(response, "error");
  if (message.empty()) message = "The permission was not given.";
  deny_tool(now, std::move(message), kByPersonRejected);
}

void TourAgent::on_eof(const TourTime& now) {
  input_ended_ = true;
  if (state_ == State::AskingPermission) {
    permission_request_.clear();
    state_ = State::Streaming;
    last_beat_ = now.elapsed;
    deny_tool(now, "Nobody is there any more who could allow it.", kByRule);
  } else if (state_ == State::Idle && !exit_) {
    exit_ = TourExit{};
  }
}

void TourAgent::on_interrupt(const TourTime& now) {
  if (exit_) return;
  if (state_ != State::Idle) {
    abort_turn(now);
    waiting_.clear();
    end_turn(TurnEnd::Stopped, now);
  }
  exit_ = TourExit{};
}

// --- output ---

std::optional<milliseconds> TourAgent::next_due() const {
  if (wire_.has_lines()) return last_beat_;
  if (beats_.empty()) return std::nullopt;
  return last_beat_ + beats_.front().delay;
}

std::vector<std::string> TourAgent::take_lines(const TourTime& now) {
  while (!beats_.empty() && last_beat_ + beats_.front().delay <= now.elapsed) {
    const Beat beat = std::move(beats_.front());
    beats_.pop_front();
    last_beat_ = now.elapsed;
    play(beat, now);
  }
  return wire_.take_lines();
}

// --- a turn ---

void TourAgent::begin_turn(const TourTime& now) {
  const std::string prompt = std::exchange(waiting_, {});
  session_.ask(open_question(prompt));
  ++session_revision_;
  topic_ = recognise(session_.turns.back().question);
  outcomes_.clear();
  state_ = State::Streaming;
  last_beat_ = now.elapsed;
  wire_.init(now, prompt.size());
  next_round();
}

void TourAgent::next_round() {
  round_ = compose(topic_, session_, outcomes_);
  plan(round_);
}

void TourAgent::plan(const Round& round) {
  add(BeatKind::Request, milliseconds{0});
  add(BeatKind::StartMessage, kRequestTime);
  if (!round.thinking.empty()) {
    const auto pieces = in_pieces(round.thinking, kThinkingPiece);
    plan_block(BeatKind::StartThinking, pieces, kThinkingTime / static_cast<int>(pieces.size()));
  }
  if (!round.text.empty()) {
    const bool slow = topic_ == Topic::Long;
    plan_block(BeatKind::StartText, in_pieces(round.text, slow ? kSlowTextPiece : kTextPiece),
               slow ? kSlowTextPieceTime : kTextPieceTime);
  }
  if (!round.tool) {
    add(BeatKind::EndMessage, milliseconds{0}, "end_turn");
    add(BeatKind::EndTurn, milliseconds{0});
    return;
  }
  const std::string input = json::serialize(json::object{{"description", name_of(*round.tool)}});
  std::vector<std::string> pieces = in_pieces(input, kToolInputPiece);
  pieces.insert(pieces.begin(), "");
  plan_block(BeatKind::StartTool, pieces, kToolInputPieceTime);
  add(BeatKind::EndMessage, milliseconds{0}, "tool_use");
  add(BeatKind::UseTool, *round.tool == TourTool::ReadClock ? milliseconds{0} : kToolTime);
}

void TourAgent::plan_block(BeatKind start, const std::vector<std::string>& pieces,
                           milliseconds each) {
  add(start, milliseconds{0});
  for (const std::string& piece : pieces) add(BeatKind::Delta, each, piece);
  add(BeatKind::EndBlock, milliseconds{0});
}

void TourAgent::add(BeatKind kind, milliseconds delay, std::string text) {
  if (options_.pace == TourPace::Immediate) delay = milliseconds{0};
  beats_.push_back({kind, delay, std::move(text)});
}

void TourAgent::play(const Beat& beat, const TourTime& now) {
  switch (beat.kind) {
    case BeatKind::Request:
      wire_.requesting();
      break;
    case BeatKind::StartMessage:
      wire_.start_message(now);
      break;
    case BeatKind::StartThinking:
      wire_.start_block(WireBlock::Thinking);
      break;
    case BeatKind::StartText:
      wire_.start_block(WireBlock::Text);
      break;
    case BeatKind::StartTool:
      wire_.start_block(WireBlock::ToolUse, kToolName);
      break;
    case BeatKind::Delta:
      wire_.delta(beat.text);
      break;
    case BeatKind::EndBlock:
      wire_.end_block(now);
      break;
    case BeatKind::EndMessage:
      wire_.end_message(beat.text);
      break;
    case BeatKind::UseTool:
      use_tool(now);
      break;
    case BeatKind::EndTurn:
      wire_.end_turn(now, round_.text);
      end_turn(TurnEnd::Done, now);
      break;
  }
}

void TourAgent::use_tool(const TourTime& now) {
  if (*round_.tool != TourTool::ReadClock || clock_always_allowed_) {
    run_tool(now, kByRule);
  } else if (options_.permission_host == PermissionHost::Stdio && !input_ended_) {
    permission_request_ = wire_.ask_permission(name_of(*round_.tool));
    state_ = State::AskingPermission;
  } else {
    const std::string message =
        "The tour asked to look at the clock, but there is nobody to allow it.";
    wire_.permission_denied(message);
    deny_tool(now, message, kByRule);
  }
}

void TourAgent::run_tool(const TourTime& now, std::string_view decided_by) {
  std::string result;
  switch (*round_.tool) {
    case TourTool::ReadClock:
      result = day_and_time(now.wall);
      break;
    case TourTool::CountWords:
      result = count_words(session_);
      break;
    case TourTool::CountQuestions:
      result = count_questions(session_);
      break;
    case TourTool::LookAtFolder:
      result = description_of(options_.look_at_folder ? options_.look_at_folder() : FolderSight{});
      break;
  }
  wire_.tool_allowed(now, result, decided_by);
  outcomes_.push_back({ToolVerdict::Allowed, std::move(result)});
  next_round();
}

void TourAgent::deny_tool(const TourTime& now, std::string message, std::string_view decided_by) {
  wire_.tool_denied(now, message, decided_by);
  outcomes_.push_back({ToolVerdict::Denied, std::move(message)});
  next_round();
}

void TourAgent::abort_turn(const TourTime& now) {
  const bool tool_waits = !beats_.empty() && beats_.front().kind == BeatKind::UseTool;
  if (state_ == State::AskingPermission || (round_.tool && tool_waits)) {
    if (!permission_request_.empty()) wire_.withdraw_permission(permission_request_);
    wire_.abort_tool(now);
  } else {
    wire_.abort_streaming(now);
  }
  beats_.clear();
  permission_request_.clear();
}

void TourAgent::end_turn(TurnEnd end, const TourTime& now) {
  session_.turns.back().end = end;
  ++session_revision_;
  state_ = State::Idle;
  if (!waiting_.empty()) {
    begin_turn(now);
  } else if (input_ended_) {
    exit_ = TourExit{};
  }
}

void TourAgent::fail(std::string message) {
  beats_.clear();
  exit_ = TourExit{1, std::move(message)};
}

}  // namespace agent_doc::plugins::tour
