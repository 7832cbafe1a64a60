#include "tests/fakes/delta_stream.hpp"

#include "tests/fakes/fake_claude.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace agent_doc::fakes {

namespace delta_stream_internal {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kWordsPerLine = 12;

class Stream {
 public:
  explicit Stream(DeltaStream stream)
      : deltas_(stream.deltas),
        interval_(stream.interval),
        thinking_(stream.thinking),
        session_id_(std::move(stream.session_id)),
        output_(OutputShape{}) {
    input_.catch_interrupts();
  }

  int run() {
    while (!stopped_by_signal_) {
      const Input::Event event = input_.wait();
      if (event == Input::Event::End || event == Input::Event::Interrupt) break;
      if (take_line() == "user") play_turn();
    }
    return 0;
  }

 private:
  enum class TurnEnd { Complete, Interrupted };

  void play_turn() {
    ++turn_;
    text_.clear();
    print({{"type", "system"},
           {"subtype", "init"},
           {"cwd", "/srv/proj"},
           {"session_id", session_id_},
           {"model", "fake-deltas"}});
    print_event({{"type", "message_start"},
                 {"message", json::object{{"id", message_id()},
                                          {"type", "message"},
                                          {"role", "assistant"},
                                          {"model", "fake-deltas"},
                                          {"content", json::array()}}}});
    print_event({{"type", "content_block_start"},
                 {"index", 0},
                 {"content_block", json::object{{"type", "text"}, {"text", ""}}}});
    const TurnEnd end = print_deltas();
    print_snapshot(end);
    if (end == TurnEnd::Interrupted) print_user("[Request interrupted by user]");
    print_event({{"type", "content_block_stop"}, {"index", 0}});
    const json::value stop_reason =
        end == TurnEnd::Complete ? json::value("end_turn") : json::value();
    print_event({{"type", "message_delta"},
                 {"delta", json::object{{"stop_reason", stop_reason}}},
                 {"usage", json::object{{"output_tokens", deltas_}}}});
    print_event({{"type", "message_stop"}});
    print_result(end);
  }

  TurnEnd print_deltas() {
    Clock::time_point due = Clock::now() + thinking_;
    if (thinking_.count() > 0 && interrupted_before(due)) return TurnEnd::Interrupted;
    for (std::uint64_t index = 0; index < deltas_; ++index) {
      const std::string text = delta_text(turn_, index);
      text_ += text;
      print_event({{"type", "content_block_delta"},
                   {"index", 0},
                   {"delta", json::object{{"type", "text_delta"}, {"text", text}}}});
      due += interval_;
      if (interrupted_before(due)) return TurnEnd::Interrupted;
    }
    return TurnEnd::Complete;
  }

  bool interrupted_before(Clock::time_point due) {
    while (!input_ended_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now());
      switch (input_.wait(std::max(left, std::chrono::milliseconds(0)))) {
        case Input::Event::Time:
          return false;
        case Input::Event::Interrupt:
          stopped_by_signal_ = true;
          return true;
        case Input::Event::End:
          input_ended_ = true;
          break;
        case Input::Event::Line:
          if (take_line() == "control_request/interrupt") return true;
          break;
      }
    }
    return false;  // closing standard input does not cancel; nobody waits for the pace any more
  }

  /// Answers control requests; user lines in the middle of a turn are not supported and get lost.
  std::string take_line() {
    const std::string line = std::move(input_.lines().front());
    input_.lines().pop_front();
    const json::value frame = parse(line);
    const std::string kind = kind_of(frame);
    if (kind.starts_with("control_request/"))
      output_.print(control_response(text_at(frame, "/request_id")));
    return kind;
  }

  void print(json::object frame) {
    frame.emplace("session_id", session_id_);
    frame.emplace("uuid", "00000000-0000-4000-8000-" + padded(++frames_));
    output_.print(json::serialize(frame) + '\n');
  }

  void print_event(json::object event) {
    print({{"type", "stream_event"},
           {"event", std::move(event)},
           {"parent_tool_use_id", nullptr},
           {"api_message_id", message_id()}});
  }

  void print_snapshot(TurnEnd end) {
    json::object message{
        {"id", message_id()}, {"type", "message"}, {"role", "assistant"}, {"model", "fake-deltas"}};
    message.emplace("content", json::array{json::object{{"type", "text"}, {"text", text_}}});
    json::object frame{
        {"type", "assistant"}, {"message", std::move(message)}, {"parent_tool_use_id", nullptr}};
    if (end == TurnEnd::Interrupted) frame.emplace("aborted", true);
    print(std::move(frame));
  }

  void print_user(std::string_view text) {
    json::object message{{"role", "user"}};
    message.emplace("content", json::array{json::object{{"type", "text"}, {"text", text}}});
    print({{"type", "user"}, {"message", std::move(message)}, {"parent_tool_use_id", nullptr}});
  }

  void print_result(TurnEnd end) {
    json::object frame{{"type", "result"}, {"num_turns", 1}, {"total_cost_usd", 0.001}};
    frame.emplace("usage", json::object{{"input_tokens", 10}, {"output_tokens", deltas_}});
    if (end == TurnEnd::Complete) {
      frame.insert({{"subtype", "success"}, {"is_error", false}, {"result", text_}});
    } else {
      frame.insert({{"subtype", "error_during_execution"},
                    {"is_error", true},
                    {"terminal_reason", "aborted_streaming"}});
    }
    print(std::move(frame));
  }

  std::string message_id() const { return "msg_fake_" + padded(turn_); }

  static std::string padded(std::uint64_t number) {
    constexpr std::size_t kWidth = 12;
    const std::string digits = std::to_string(number);
    return std::string(kWidth - std::min(kWidth, digits.size()), '0') + digits;
  }

  const std::uint64_t deltas_;
  const std::chrono::milliseconds interval_;
  const std::chrono::milliseconds thinking_;
  const std::string session_id_;
  Input input_;
  Output output_;
  std::uint64_t turn_ = 0;
  std::uint64_t frames_ = 0;
  std::string text_;
  bool input_ended_ = false;
  bool stopped_by_signal_ = false;
};

}  // namespace delta_stream_internal

std::string delta_text(std::uint64_t turn, std::uint64_t index) {
  const std::string prefix = turn > 1 ? 't' + std::to_string(turn) : std::string();
  const bool ends_line =
      index % delta_stream_internal::kWordsPerLine == delta_stream_internal::kWordsPerLine - 1;
  return prefix + 'w' + std::to_string(index) + (ends_line ? '\n' : ' ');
}

int stream_deltas(DeltaStream stream) {
  if (stream.session_id.empty()) stream.session_id = "00000000-0000-4000-8000-000000000001";
  return delta_stream_internal::Stream(std::move(stream)).run();
}

}  // namespace agent_doc::fakes
