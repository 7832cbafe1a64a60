#include "editors/cli/run_summary.hpp"

#include "editors/cli/commands.hpp"
#include "editors/cli/terminal.hpp"
#include "protocol/json_text.hpp"
#include "server/turn/sanitiser.hpp"

#include <chrono>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

std::string string_in(const json::object& event, const char* key) {
  const json::value* value = event.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

}  // namespace

void RunSummary::note(const json::object& event) {
  if (string_in(event, "event") != "turn") return;
  phase_ = string_in(event, "phase");
  if (const json::value* elapsed = event.if_contains("elapsedMs"))
    elapsed_ms_ = elapsed->to_number<std::int64_t>();
  const json::value* usage = event.if_contains("usage");
  if (usage == nullptr || !usage->is_object()) return;
  if (const json::value* output = usage->as_object().if_contains("output"))
    output_tokens_ = output->to_number<std::int64_t>();
}

std::string RunSummary::last_line(const std::string& file, int exit_code) const {
  const char* sign = exit_code == kDone ? "✔ " : exit_code == kNothingToSend ? "– " : "✘ ";
  const char* state = exit_code == kDone            ? "done"
                      : exit_code == kCancelled     ? "stopped"
                      : exit_code == kBusy          ? "busy"
                      : exit_code == kNothingToSend ? "nothing to send"
                                                    : "failed";
  std::string line = sign + file + " · " + state;
  if (elapsed_ms_ > 0) line += " · " + duration(std::chrono::milliseconds(elapsed_ms_));
  if (output_tokens_ > 0) line += " · " + std::to_string(output_tokens_) + " tokens written";
  return turn::one_line(line, 3 * line.size()) + "\n";
}

std::string event_line(const std::string& file, const json::object& event) {
  json::object line{{"event", event.contains("event") ? event.at("event") : json::value("message")},
                    {"file", file}};
  for (const auto& field : event) {
    if (field.key() != "file") line[field.key()] = field.value();
  }
  return protocol::serialise_json(line) + "\n";
}

std::string complaint_in(const json::object& event) {
  const bool is_complaint =
      string_in(event, "event") == "message" && string_in(event, "kind") != "info";
  return is_complaint ? string_in(event, "text") : std::string();
}

}  // namespace agent_doc::cli
