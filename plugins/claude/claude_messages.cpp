#include "plugins/claude/claude_messages.hpp"

#include "plugins/json_line.hpp"
#include "server/text/shortened.hpp"

#include <array>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxSummary = 200;

bool is_tool_call(std::string_view type) {
  return type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use";
}

bool is_thinking(std::string_view type) {
  return type == "thinking" || type == "redacted_thinking";
}

void unrecognised(std::string_view prefix, std::string_view type, Actions& actions) {
  const std::string name = std::string(prefix).append("/").append(type);
  actions.emit(Unrecognised{name});
}

/// Returns "" for the main agent, whose `parent_tool_use_id` is null.
std::string_view lane_of(const boost::json::object& line) {
  return string_of(line, "parent_tool_use_id");
}

}  // namespace

void ClaudeMessages::begin_turn() {
  tools_.clear();
  sub_agents_.clear();
  main_ = {};
  error_ = {};
  stop_reason_.clear();
}

ClaudeMessages::Open& ClaudeMessages::open_of(std::string_view lane) {
  if (lane.empty()) return main_;
  const auto found = sub_agents_.find(lane);
  return found != sub_agents_.end() ? found->second : sub_agents_[std::string(lane)];
}

void ClaudeMessages::on_stream_event(const boost::json::object& line, Actions& actions) {
  const boost::json::object* event = object_of(line, "event");
  if (event == nullptr) return unrecognised("stream_event", "", actions);
  const std::string_view type = string_of(*event, "type");
  const std::string_view lane = lane_of(line);
  if (type == "message_start") {
    if (const boost::json::object* message = object_of(*event, "message"))
      begin_message(lane, *message, actions);
    return;
  }
  if (type == "message_delta") {
    const boost::json::object* delta = object_of(*event, "delta");
    if (delta != nullptr) open_of(lane).stop_reason = string_of(*delta, "stop_reason");
    return;
  }
  if (type == "message_stop") return end_message(lane, line, actions);
  if (type == "ping") return;
  const std::int64_t index = integer_of(*event, "index", -1);
  if (index < 0 || index > kMaxBlockIndex) return unrecognised("stream_event", type, actions);
  const BlockKey key{lane, open_of(lane).id, index};
  if (type == "content_block_delta") {
    if (const boost::json::object* delta = object_of(*event, "delta"))
      on_delta(key, *delta, actions);
  } else if (type == "content_block_start") {
    if (const boost::json::object* block = object_of(*event, "content_block"))
      begin_block(key, *block, actions);
  } else if (type == "content_block_stop") {
    actions.emit(BlockEnded{key});
  } else {
    unrecognised("stream_event", type, actions);
  }
}

void ClaudeMessages::begin_message(std::string_view lane, const boost::json::object& message,
                                   Actions& actions) {
  const std::string_view id = string_of(message, "id");
  give_up_other(lane, id, actions);
  Open& open = open_of(lane);
  open = {std::string(id), {}, 0};
  if (lane.empty()) thought_has_text_ = false;
  actions.emit(MessageStarted{lane, open.id});
  const boost::json::array* content = array_of(message, "content");
  if (content == nullptr) return;
  std::int64_t index = 0;
  for (const boost::json::value& value : *content) {
    const boost::json::object* block = value.if_object();
    const std::string_view text = block != nullptr ? string_of(*block, "text") : std::string_view();
    if (!text.empty() && index <= kMaxBlockIndex)
      actions.emit(Snapshot{{lane, open.id, index}, BlockKind::Text, text});
    ++index;
  }
}

void ClaudeMessages::begin_block(const BlockKey& key, const boost::json::object& block,
                                 Actions& actions) {
  const std::string_view type = string_of(block, "type");
  if (type == "text") {
    actions.emit(BlockStarted{key, BlockKind::Text});
    if (const std::string_view text = string_of(block, "text"); !text.empty())
      actions.emit(Snapshot{key, BlockKind::Text, text});
  } else if (is_thinking(type)) {
    actions.emit(BlockStarted{key, BlockKind::Thinking});
    if (const std::string_view text = string_of(block, "thinking"); !text.empty())
      actions.emit(Snapshot{key, BlockKind::Thinking, text});
  } else if (is_tool_call(type)) {
    actions.emit(BlockStarted{key, BlockKind::ToolCall});
    tool_started(key.lane, key.message, block, actions);
  } else {
    unrecognised("content_block_start", type, actions);
  }
}

void ClaudeMessages::on_delta(const BlockKey& key, const boost::json::object& delta,
                              Actions& actions) {
  const std::string_view type = string_of(delta, "type");
  if (type == "text_delta") {
    actions.emit(TextDelta{key, string_of(delta, "text")});
  } else if (type == "thinking_delta") {
    if (key.lane.empty()) thought_has_text_ = true;
    actions.emit(ThinkingDelta{key, string_of(delta, "thinking")});
  } else if (type == "input_json_delta") {
    actions.emit(ToolInputDelta{key, string_of(delta, "partial_json")});
  } else if (type != "signature_delta" && type != "citations_delta") {
    unrecognised("content_block_delta", type, actions);
  }
}

void ClaudeMessages::end_message(std::string_view lane, const boost::json::object& line,
                                 Actions& actions) {
  Open& open = open_of(lane);
  MessageEnded ended{lane, open.id, open.stop_reason, {}};
  if (const boost::json::object* abandoned = object_of(line, "abandoned_blocks"))
    ended.abandoned_from = integer_of(*abandoned, "from_block_index", 0);
  actions.emit(ended);
  if (lane.empty()) stop_reason_ = open.stop_reason;
  open = {};
}

/// Discards a message that is still open when another one begins. Newer versions report that by
/// `abandoned_blocks`, older ones do not.
void ClaudeMessages::give_up_other(std::string_view lane, std::string_view message,
                                   Actions& actions) {
  Open& open = open_of(lane);
  if (open.id.empty() || open.id == message) return;
  actions.emit(MessageEnded{lane, open.id, {}, open.complete_blocks});
  open = {};
}

void ClaudeMessages::on_assistant(const boost::json::object& line, Actions& actions) {
  const boost::json::object* message = object_of(line, "message");
  const boost::json::array* content = message != nullptr ? array_of(*message, "content") : nullptr;
  if (content == nullptr) return unrecognised("assistant", "", actions);
  const std::string_view lane = lane_of(line);
  if (is_true(line, "is_api_error_message") || string_of(*message, "model") == "<synthetic>") {
    if (!lane.empty()) return;
    error_ = {{}, std::string(string_of(line, "error")), integer_of(line, "api_error_status", 0)};
    for (const boost::json::value& block : *content) {
      if (const boost::json::object* object = block.if_object())
        error_.text.append(string_of(*object, "text"));
    }
    return;
  }
  const std::string_view id = message_of(string_of(*message, "id"), *content);
  give_up_other(lane, id, actions);
  if (lane.empty()) stop_reason_ = string_of(*message, "stop_reason");
  for (const boost::json::value& block : *content) {
    if (const boost::json::object* object = block.if_object()) on_block(lane, id, *object, actions);
    if (Open& open = open_of(lane); open.id == id) ++open.complete_blocks;
  }
}

/// A line may repeat a message under another id; a tool call in it identifies the message.
std::string_view ClaudeMessages::message_of(std::string_view id,
                                            const boost::json::array& content) const {
  if (content.size() < 2) return id;
  for (const boost::json::value& block : content) {
    const boost::json::object* object = block.if_object();
    if (object == nullptr || !is_tool_call(string_of(*object, "type"))) continue;
    if (const auto tool = tools_.find(string_of(*object, "id")); tool != tools_.end())
      return tool->second.message;
  }
  return id;
}

void ClaudeMessages::on_block(std::string_view lane, std::string_view message,
                              const boost::json::object& block, Actions& actions) {
  const std::string_view type = string_of(block, "type");
  const BlockKey key{lane, message, -1};
  if (type == "text") {
    actions.emit(Snapshot{key, BlockKind::Text, string_of(block, "text")});
  } else if (is_thinking(type)) {
    actions.emit(Snapshot{key, BlockKind::Thinking, string_of(block, "thinking")});
  } else if (is_tool_call(type)) {
    tool_started(lane, message, block, actions);
  } else {
    unrecognised("assistant", type, actions);
  }
}

void ClaudeMessages::tool_started(std::string_view lane, std::string_view message,
                                  const boost::json::object& block, Actions& actions) {
  const std::string_view id = string_of(block, "id");
  auto tool = tools_.find(id);
  const bool known = tool != tools_.end();
  if (!known) tool = tools_.emplace(std::string(id), Tool{std::string(message), false}).first;
  const boost::json::object* input = object_of(block, "input");
  const std::string summary =
      input != nullptr ? describe_tool_input(*input, kMaxSummary) : std::string();
  if (known && (tool->second.has_summary || summary.empty())) return;
  tool->second.has_summary = !summary.empty();
  actions.emit(ToolStarted{lane, id, string_of(block, "name"), summary});
}

void ClaudeMessages::on_user(const boost::json::object& line, Actions& actions) {
  const boost::json::object* message = object_of(line, "message");
  const boost::json::array* content = message != nullptr ? array_of(*message, "content") : nullptr;
  if (content == nullptr) return;
  for (const boost::json::value& value : *content) {
    const boost::json::object* block = value.if_object();
    if (block == nullptr || string_of(*block, "type") != "tool_result") continue;
    actions.emit(
        ToolEnded{lane_of(line), string_of(*block, "tool_use_id"), is_true(*block, "is_error")});
  }
}

void ClaudeMessages::on_thinking_tokens(const boost::json::object& line, Actions& actions) {
  if (thought_has_text_) return;
  const std::string text =
      "thinking (about " + std::to_string(integer_of(line, "estimated_tokens", 0)) + " tokens)";
  actions.emit(Notice{NoticeKind::Status, text});
}

std::string describe_tool_input(const boost::json::object& input, std::size_t limit) {
  constexpr std::array<std::string_view, 10> kTelling = {
      "command", "file_path", "notebook_path", "path",  "url",
      "pattern", "query",     "description",   "skill", "prompt"};
  std::string text;
  for (const std::string_view key : kTelling) {
    text = string_of(input, key);
    if (!text.empty()) break;
  }
  if (text.empty() && !input.empty()) text = boost::json::serialize(input);
  return text::shortened(text, limit);
}

}  // namespace agent_doc::plugins
