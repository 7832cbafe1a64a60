// What it is: drives a TourAgent in tests, with a clock that jumps to the next due line, and checks
// its stream against the rules of the recordings of the real program.
// What it is not: a process (app_tour_main_test).
// Thread rule: tests only.
#pragma once

#include "plugins/tour/tour_agent.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_test {

namespace json = boost::json;
namespace tour = agent_doc::plugins::tour;
using std::chrono::milliseconds;

inline constexpr std::string_view kId = "01234567-89ab-4cde-8f01-23456789abcd";
inline constexpr std::string_view kOtherId = "fedcba98-7654-4210-8fed-cba987654321";
/// 2026-11-20 09:11:28.050 UTC
inline constexpr std::chrono::system_clock::time_point kWall{
    std::chrono::milliseconds{1795165888050}};

inline tour::RandomBits fixed_bits() {
  return [engine = std::mt19937_64(1)]() mutable { return engine(); };
}

inline tour::TourOptions with_everything() {
  tour::TourOptions options;
  options.model = "tour";
  options.cwd = "/srv/proj";
  options.partial = tour::PartialMessages::Included;
  options.permission_host = tour::PermissionHost::Stdio;
  return options;
}

inline std::string user_line(std::string_view text) {
  return json::serialize(
      json::object{{"type", "user"},
                   {"message",
                    {{"role", "user"},
                     {"content", json::array{json::object{{"type", "text"}, {"text", text}}}}}}});
}

inline std::string control_line(std::string_view subtype) {
  return json::serialize(json::object{{"type", "control_request"},
                                      {"request_id", "int-1"},
                                      {"request", json::object{{"subtype", subtype}}}});
}

inline std::string at(const json::value& line, std::string_view pointer) {
  boost::system::error_code error;
  const json::value* found = line.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// A short name of a line: "init", "text_delta", "result", …
inline std::string kind_of(const json::value& line) {
  const std::string type = at(line, "/type");
  if (type == "system") return at(line, "/subtype");
  if (type == "assistant") return "assistant:" + at(line, "/message/content/0/type");
  if (type == "user") return "user:" + at(line, "/message/content/0/type");
  if (type != "stream_event") return type;
  const std::string event = at(line, "/event/type");
  return event == "content_block_delta" ? at(line, "/event/delta/type") : event;
}

/// The agent with a clock that jumps to the next due line.
class Driver {
 public:
  explicit Driver(tour::TourOptions options = with_everything(),
                  tour::TourSession session = {std::string(kId), "", 0, {}})
      : agent_(std::move(options), std::move(session), fixed_bits()) {}

  void send(std::string_view line) { agent_.on_line(line, now()); }
  void ask(std::string_view text) { send(user_line(text)); }
  void interrupt() { send(control_line("interrupt")); }

  /// One moment in which lines are due. False when there is none.
  bool step() {
    const auto due = agent_.next_due();
    if (!due) return false;
    elapsed_ = std::max(elapsed_, *due);
    for (const std::string& line : agent_.take_lines(now())) {
      CHECK(line.find('\n') == std::string::npos);
      lines_.push_back(json::parse(line));
      kinds_.push_back(kind_of(lines_.back()));
    }
    return true;
  }
  void settle() {
    while (step()) {
    }
  }
  /// The whole reply to `text`.
  std::string reply_to(std::string_view text) {
    ask(text);
    settle();
    return lines_.empty() ? std::string() : at(lines_.back(), "/result");
  }

  tour::TourTime now() const { return {elapsed_, kWall + elapsed_}; }
  tour::TourAgent& agent() { return agent_; }
  const std::vector<json::value>& lines() const { return lines_; }
  void forget_lines() {
    lines_.clear();
    kinds_.clear();
  }

  /// Equal neighbours count once, so that the number of deltas does not matter.
  std::string order() const {
    std::string order;
    std::string last;
    for (const std::string& kind : kinds_) {
      if (kind == "thinking_tokens" || kind == last) continue;
      order += (order.empty() ? "" : " ") + kind;
      last = kind;
    }
    return order;
  }
  std::size_t count(std::string_view kind) const {
    return static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kind));
  }
  json::value last(std::string_view kind) const {
    const auto found = std::find(kinds_.rbegin(), kinds_.rend(), kind);
    return found == kinds_.rend() ? json::value()
                                  : lines_[static_cast<std::size_t>(kinds_.rend() - found) - 1];
  }

 private:
  tour::TourAgent agent_;
  milliseconds elapsed_{0};
  std::vector<json::value> lines_;
  std::vector<std::string> kinds_;  ///< of lines_
};

inline bool is_utf8(std::string_view text) {
  std::size_t more = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xC0) == 0x80;
    if (continuation != (more > 0)) return false;
    if (continuation)
      --more;
    else if (byte >= 0xF0)
      more = 3;
    else if (byte >= 0xE0)
      more = 2;
    else if (byte >= 0xC0)
      more = 1;
  }
  return more == 0;
}

/// The rules of the recordings: what may follow what, and that each snapshot repeats its deltas
/// byte for byte.
inline void check_stream(const std::vector<json::value>& lines) {
  std::string message;
  std::string block;
  std::string deltas;
  std::int64_t index = 0;
  bool snapshot_came = false;
  for (const json::value& line : lines) {
    const std::string kind = kind_of(line);
    CAPTURE(kind);
    if (!kind.starts_with("control_")) {
      CHECK(at(line, "/session_id") == kId);
      CHECK(tour::is_uuid(at(line, "/uuid")));
    }
    if (kind == "message_start") {
      CHECK(message.empty());
      message = at(line, "/event/message/id");
      CHECK(message.starts_with("msg_"));
      index = 0;
    } else if (kind == "content_block_start") {
      CHECK(!message.empty());
      CHECK(block.empty());
      CHECK(line.at("event").at("index").as_int64() == index);
      block = at(line, "/event/content_block/type");
      deltas.clear();
      snapshot_came = false;
    } else if (kind == "text_delta" || kind == "thinking_delta" || kind == "input_json_delta") {
      CHECK(block == (kind == "text_delta"       ? "text"
                      : kind == "thinking_delta" ? "thinking"
                                                 : "tool_use"));
      const std::string piece = at(line, "/event/delta/text") + at(line, "/event/delta/thinking") +
                                at(line, "/event/delta/partial_json");
      CHECK(is_utf8(piece));
      deltas += piece;
    } else if (kind.starts_with("assistant:")) {
      CHECK(at(line, "/message/id") == message);
      CHECK(kind == "assistant:" + block);
      CHECK_FALSE(snapshot_came);
      snapshot_came = true;
      if (block == "tool_use") {
        CHECK(line.at("message").at("content").at(0).at("input") == json::parse(deltas));
      } else {
        CHECK(at(line, "/message/content/0/" + block) == deltas);
      }
    } else if (kind == "content_block_stop") {
      CHECK(!block.empty());
      block.clear();
      ++index;
    } else if (kind == "message_delta") {
      CHECK(block.empty());
    } else if (kind == "message_stop") {
      CHECK(at(line, "/api_message_id") == message);
      message.clear();
    } else if (kind == "result") {
      CHECK(message.empty());
    }
  }
  CHECK(message.empty());
  CHECK(block.empty());
}

inline bool has_turn_heading(std::string_view markdown) {
  bool fence = false;
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    if (line.starts_with("```")) fence = !fence;
    if (!fence && (line.starts_with("## User") || line.starts_with("## Assistant"))) return true;
    markdown.remove_prefix(std::min(markdown.size(), line.size() + 1));
  }
  return fence;
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline void answer(Driver& driver, json::object response) {
  const json::value request = driver.last("control_request");
  driver.send(json::serialize(json::object{{"type", "control_response"},
                                           {"response",
                                            {{"subtype", "success"},
                                             {"request_id", request.at("request_id")},
                                             {"response", std::move(response)}}}}));
}

}  // namespace agent_doc::tour_test
