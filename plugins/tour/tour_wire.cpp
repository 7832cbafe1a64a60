#include "plugins/tour/tour_wire.hpp"

#include <array>
#include <cassert>
#include <cstdio>
#include <ctime>
#include <utility>

namespace agent_doc::plugins::tour {

namespace json = boost::json;

namespace {

// The sentences of the real program, which hosts recognise.
constexpr std::string_view kInterrupted = "[Request interrupted by user]";
constexpr std::string_view kInterruptedTool = "[Request interrupted by user for tool use]";
constexpr std::string_view kToolRejected =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was "
    "a file edit, the new_string was NOT "
    "written to the "
    "file). STOP what you are doing and wait for the user to tell you how to proceed.";
constexpr std::string_view kThinkingSignature = "dG91cg==";

/// An estimate, because the tour has no tokenizer: about four bytes per token.
std::int64_t estimated_tokens(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + 3) / 4);
}

std::string hex(std::uint64_t bits) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(bits));
  return text.data();
}

json::object usage_of(std::int64_t input, std::int64_t output) {
  return {{"input_tokens", input},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", 0},
          {"output_tokens", output},
          {"service_tier", "standard"}};
}

void append(json::object& to, json::object&& more) {
  for (auto& [name, value] : more) to.insert_or_assign(name, std::move(value));
}

std::string_view block_type(WireBlock kind) {
  switch (kind) {
    case WireBlock::Text:
      return "text";
    case WireBlock::Thinking:
      return "thinking";
    case WireBlock::ToolUse:
      return "tool_use";
  }
  return "";
}

json::object aborted(std::string_view terminal_reason, std::string_view stop_reason) {
  return {{"terminal_reason", terminal_reason},
          {"is_error", true},
          {"subtype", "error_during_execution"},
          {"errors",
           json::array{"[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=" +
                       std::string(stop_reason)}}};
}

}  // namespace

std::string iso_time(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const std::time_t whole = seconds.count();
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 32> day{};
  std::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03dZ",
                static_cast<int>((since - seconds).count()));
  return std::string(day.data()) + fraction.data();
}

std::string make_uuid(const RandomBits& random) {
  std::string digits = hex(random()) + hex(random());
  digits[12] = '4';
  const std::string_view variants = "89ab";
  const std::string_view all = "0123456789abcdef";
  digits[16] = variants[all.find(digits[16]) % variants.size()];
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) digits.insert(dash, 1, '-');
  return digits;
}

TourWire::TourWire(WireOptions options, RandomBits random)
    : options_(std::move(options)), random_(std::move(random)) {}

std::vector<std::string> TourWire::take_lines() {
  return std::exchange(lines_, {});
}

std::string TourWire::new_id(std::string_view prefix) {
  return std::string(prefix) + hex(random_()) + hex(random_()).substr(0, 8);
}

void TourWire::write(const json::object& line) {
  lines_.push_back(json::serialize(line));
}

void TourWire::event(json::object event, json::object more) {
  if (options_.partial == PartialMessages::Omitted) return;
  json::object line{{"type", "stream_event"},
                    {"event", std::move(event)},
                    {"session_id", options_.session_id},
                    {"parent_tool_use_id", nullptr},
                    {"uuid", make_uuid(random_)}};
  line["api_message_id"] = message_id_;
  append(line, std::move(more));
  write(line);
}

void TourWire::assistant(const TourTime& now, json::object block, json::object more) {
  json::object message{{"id", message_id_},
                       {"type", "message"},
                       {"role", "assistant"},
                       {"model", options_.model},
                       {"content", json::array{std::move(block)}},
                       {"stop_reason", nullptr},
                       {"stop_sequence", nullptr},
                       {"usage", usage_of(input_tokens_, 1)},
                       {"context_management", nullptr}};
  json::object line{{"type", "assistant"},           {"message", std::move(message)},
                    {"parent_tool_use_id", nullptr}, {"session_id", options_.session_id},
                    {"uuid", make_uuid(random_)},    {"timestamp", iso_time(now.wall)},
                    {"request_id", request_id_}};
  append(line, std::move(more));
  write(line);
}

void TourWire::user(const TourTime& now, json::object content, json::object more) {
  ++user_lines_;
  json::object line{{"type", "user"},
                    {"message", {{"role", "user"}, {"content", json::array{std::move(content)}}}},
                    {"parent_tool_use_id", nullptr},
                    {"session_id", options_.session_id},
                    {"uuid", make_uuid(random_)},
                    {"timestamp", iso_time(now.wall)}};
  append(line, std::move(more));
  write(line);
}

void TourWire::init(const TourTime& now, std::size_t input_bytes) {
  turn_began_ = now.elapsed;
  input_tokens_ = estimated_tokens(input_bytes);
  output_tokens_ = 0;
  user_lines_ = 0;
  denials_.clear();
  write({{"type", "system"},
         {"subtype", "init"},
         {"cwd", options_.cwd},
         {"session_id", options_.session_id},
         {"tools", json::array{"Tour"}},
         {"mcp_servers", json::array{}},
         {"model", options_.model},
         {"permissionMode", "default"},
         {"slash_commands", json::array{}},
         {"apiKeySource", "none"},
         {"output_style", "default"},
         {"agents", json::array{}},
         {"skills", json::array{}},
         {"plugins", json::array{}},
         {"capabilities", json::array{"interrupt_receipt_v1"}},
         {"uuid", make_uuid(random_)}});
}

void TourWire::requesting() {
  if (options_.partial == PartialMessages::Omitted) return;
  write({{"type", "system"},
         {"subtype", "status"},
         {"status", "requesting"},
         {"session_id", options_.session_id},
         {"uuid", make_uuid(random_)}});
}

void TourWire::start_message(const TourTime& now) {
  assert(message_id_.empty());
  message_id_ = new_id("msg_");
  request_id_ = new_id("req_");
  next_block_ = 0;
  message_tokens_ = 0;
  thinking_tokens_ = 0;
  json::object message{{"id", message_id_},        {"type", "message"},
                       {"role", "assistant"},      {"model", options_.model},
                       {"content", json::array{}}, {"stop_reason", nullptr},
                       {"stop_sequence", nullptr}, {"usage", usage_of(input_tokens_, 1)}};
  event({{"type", "message_start"}, {"message", std::move(message)}},
        {{"ttft_ms", (now.elapsed - turn_began_).count()}});
}

void TourWire::start_block(WireBlock kind, std::string_view tool) {
  assert(!message_id_.empty() && !block_);
  block_ = OpenBlock{kind, {}};
  json::object content{{"type", block_type(kind)}};
  switch (kind) {
    case WireBlock::Text:
      content["text"] = "";
      break;
    case WireBlock::Thinking:
      content["thinking"] = "";
      content["signature"] = "";
      break;
    case WireBlock::ToolUse:
      tool_id_ = new_id("toolu_");
      tool_name_ = tool;
      content["id"] = tool_id_;
      content["name"] = tool_name_;
      content["input"] = json::object{};
      break;
  }
  event({{"type", "content_block_start"},
         {"index", next_block_},
         {"content_block", std::move(content)}});
}

void TourWire::delta(std::string_view text) {
  assert(block_);
  block_->text += text;
  json::object delta;
  switch (block_->kind) {
    case WireBlock::Text:
      delta = {{"type", "text_delta"}, {"text", text}};
      break;
    case WireBlock::Thinking: {
      const std::int64_t tokens = estimated_tokens(text.size());
      thinking_tokens_ += tokens;
      write({{"type", "system"},
             {"subtype", "thinking_tokens"},
             {"estimated_tokens", thinking_tokens_},
             {"estimated_tokens_delta", tokens},
             {"session_id", options_.session_id},
             {"uuid", make_uuid(random_)}});
      delta = {{"type", "thinking_delta"}, {"thinking", text}};
      break;
    }
    case WireBlock::ToolUse:
      delta = {{"type", "input_json_delta"}, {"partial_json", text}};
      break;
  }
  event({{"type", "content_block_delta"}, {"index", next_block_}, {"delta", std::move(delta)}});
}

void TourWire::end_block(const TourTime& now) {
  assert(block_);
  json::object content{{"type", block_type(block_->kind)}};
  switch (block_->kind) {
    case WireBlock::Text:
      content["text"] = block_->text;
      break;
    case WireBlock::Thinking:
      event({{"type", "content_block_delta"},
             {"index", next_block_},
             {"delta", {{"type", "signature_delta"}, {"signature", kThinkingSignature}}}});
      content["thinking"] = block_->text;
      content["signature"] = kThinkingSignature;
      break;
    case WireBlock::ToolUse:
      tool_input_ = json::parse(block_->text);
      content["id"] = tool_id_;
      content["name"] = tool_name_;
      content["input"] = tool_input_;
      break;
  }
  message_tokens_ += estimated_tokens(block_->text.size());
  assistant(now, std::move(content));
  event({{"type", "content_block_stop"}, {"index", next_block_}});
  block_.reset();
  ++next_block_;
}

void TourWire::end_message(std::string_view stop_reason) {
  assert(!message_id_.empty() && !block_);
  event({{"type", "message_delta"},
         {"delta", {{"stop_reason", stop_reason}, {"stop_sequence", nullptr}}},
         {"usage", usage_of(input_tokens_, message_tokens_)}});
  event({{"type", "message_stop"}});
  output_tokens_ += message_tokens_;
  message_id_.clear();
}

void TourWire::tool_result(const TourTime& now, json::object content, std::string_view use_result,
                           json::object meta) {
  user(now, std::move(content),
       {{"tool_use_result", use_result}, {"tool_result_meta", json::array{std::move(meta)}}});
}

void TourWire::tool_allowed(const TourTime& now, std::string_view result,
                            std::string_view decided_by) {
  tool_result(now, {{"tool_use_id", tool_id_}, {"type", "tool_result"}, {"content", result}},
              result,
              {{"id", tool_id_},
               {"permission_decision", {{"decision", "accept"}, {"source", decided_by}}}});
}

void TourWire::tool_denied(const TourTime& now, std::string_view message,
                           std::string_view decided_by) {
  denials_.push_back(
      {{"tool_name", tool_name_}, {"tool_use_id", tool_id_}, {"tool_input", tool_input_}});
  tool_result(now,
              {{"type", "tool_result"},
               {"content", message},
               {"is_error", true},
               {"tool_use_id", tool_id_}},
              "Error: " + std::string(message),
              {{"id", tool_id_},
               {"non_execution_kind", "permission-rule"},
               {"permission_decision", {{"decision", "reject"}, {"source", decided_by}}}});
}

void TourWire::permission_denied(std::string_view message) {
  write({{"type", "system"},
         {"subtype", "permission_denied"},
         {"tool_name", tool_name_},
         {"tool_use_id", tool_id_},
         {"message", message},
         {"uuid", make_uuid(random_)},
         {"session_id", options_.session_id}});
}

std::string TourWire::ask_permission(std::string_view description) {
  std::string id = make_uuid(random_);
  const json::object always{{"type", "addRules"},
                            {"rules", json::array{json::object{{"toolName", tool_name_}}}},
                            {"behavior", "allow"},
                            {"destination", "session"}};
  write({{"type", "control_request"},
         {"request_id", id},
         {"request",
          {{"subtype", "can_use_tool"},
           {"tool_name", tool_name_},
           {"display_name", tool_name_},
           {"input", tool_input_},
           {"description", description},
           {"permission_suggestions", json::array{always}},
           {"tool_use_id", tool_id_}}}});
  return id;
}

void TourWire::withdraw_permission(std::string_view request_id) {
  write({{"type", "control_cancel_request"}, {"request_id", request_id}});
}

json::object TourWire::usage() const {
  return usage_of(output_tokens_ == 0 ? 0 : input_tokens_, output_tokens_);
}

json::object TourWire::model_usage() const {
  return {{options_.model,
           {{"inputTokens", all_input_tokens_},
            {"outputTokens", all_output_tokens_},
            {"cacheReadInputTokens", 0},
            {"cacheCreationInputTokens", 0},
            {"webSearchRequests", 0},
            {"costUSD", 0}}}};
}

void TourWire::write_result(const TourTime& now, std::string_view stop_reason,
                            json::object outcome) {
  all_input_tokens_ += input_tokens_;
  all_output_tokens_ += output_tokens_;
  json::value reason = nullptr;
  if (!stop_reason.empty()) reason = stop_reason;
  json::object line{{"duration_api_ms", 0},
                    {"stop_reason", std::move(reason)},
                    {"session_id", options_.session_id},
                    {"total_cost_usd", 0},
                    {"usage", usage()},
                    {"modelUsage", model_usage()},
                    {"permission_denials", denials_}};
  append(line, std::move(outcome));
  append(line, {{"num_turns", 1 + user_lines_},
                {"type", "result"},
                {"duration_ms", (now.elapsed - turn_began_).count()},
                {"uuid", make_uuid(random_)},
                {"result_index", results_++}});
  write(line);
}

void TourWire::end_turn(const TourTime& now, std::string_view result) {
  write_result(now, "end_turn",
               {{"terminal_reason", "completed"},
                {"is_error", false},
                {"subtype", "success"},
                {"api_error_status", nullptr},
                {"result", result}});
}

void TourWire::abort_streaming(const TourTime& now) {
  std::int64_t abandoned_from = next_block_;
  if (block_ && block_->kind == WireBlock::Text && !block_->text.empty()) {
    assistant(now, {{"type", "text"}, {"text", block_->text}}, {{"aborted", true}});
    ++abandoned_from;
  }
  user(now, {{"type", "text"}, {"text", kInterrupted}});
  if (!message_id_.empty()) {
    if (block_) event({{"type", "content_block_stop"}, {"index", next_block_}});
    event({{"type", "message_delta"},
           {"context_management", nullptr},
           {"delta",
            {{"container", nullptr},
             {"stop_details", nullptr},
             {"stop_reason", nullptr},
             {"stop_sequence", nullptr}}},
           {"usage", usage_of(input_tokens_, 1)}});
    event({{"type", "message_stop"}},
          {{"abandoned_blocks",
            {{"api_message_id", message_id_}, {"from_block_index", abandoned_from}}}});
  }
  block_.reset();
  message_id_.clear();

  write_result(now, "", aborted("aborted_streaming", "null"));
}

void TourWire::abort_tool(const TourTime& now) {
  tool_result(now,
              {{"type", "tool_result"},
               {"content", kToolRejected},
               {"is_error", true},
               {"tool_use_id", tool_id_}},
              "User rejected tool use",
              {{"id", tool_id_}, {"non_execution_kind", "user-rejected"}});
  user(now, {{"type", "text"}, {"text", kInterruptedTool}});

  write_result(now, "tool_use", aborted("aborted_tools", "tool_use"));
}

void TourWire::control_success(std::string_view request_id, json::object response) {
  write(
      {{"type", "control_response"},
       {"response",
        {{"subtype", "success"}, {"request_id", request_id}, {"response", std::move(response)}}}});
}

void TourWire::control_error(std::string_view request_id, std::string_view message) {
  write({{"type", "control_response"},
         {"response", {{"subtype", "error"}, {"request_id", request_id}, {"error", message}}}});
}

void TourWire::no_such_session(std::string_view id, std::string_view message) {
  write({{"type", "result"},
         {"subtype", "error_during_execution"},
         {"duration_ms", 0},
         {"duration_api_ms", 0},
         {"is_error", true},
         {"num_turns", 0},
         {"stop_reason", nullptr},
         {"session_id", id},
         {"total_cost_usd", 0},
         {"usage", usage_of(0, 0)},
         {"modelUsage", json::object{}},
         {"permission_denials", json::array{}},
         {"uuid", make_uuid(random_)},
         {"errors", json::array{message}},
         {"result_index", 0}});
}

}  // namespace agent_doc::plugins::tour
