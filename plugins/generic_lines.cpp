#include "plugins/generic_lines.hpp"

#include "plugins/claude_messages.hpp"
#include "plugins/generic_text.hpp"
#include "plugins/json_line.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace agent_doc::plugins {
namespace generic_lines_internal {

constexpr std::size_t kMaxSummary = 200;
/// So many growing texts from the first on are snapshots.
constexpr int kGrowthsOfSnapshots = 2;

std::string_view first_string(const boost::json::object& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = string_of(object, key); !text.empty()) return text;
  }
  return {};
}

/// The value at "a.b.c".
const boost::json::value* value_at(const boost::json::object& object, std::string_view path) {
  const boost::json::object* place = &object;
  while (true) {
    const std::size_t dot = path.find('.');
    const boost::json::value* value = place->if_contains(path.substr(0, dot));
    if (value == nullptr || dot == std::string_view::npos) return value;
    place = value->if_object();
    if (place == nullptr) return nullptr;
    path.remove_prefix(dot + 1);
  }
}

std::string_view id_of(const boost::json::object& line) {
  const std::string_view id =
      first_string(line, {"message_id", "messageId", "messageID", "item_id", "itemId", "itemID", "part_id", "partId", "partID"});
  if (!id.empty()) return id;
  for (const std::string_view field : {"message", "item", "part"}) {
    const boost::json::object* inner = object_of(line, field);
    if (inner != nullptr && !string_of(*inner, "id").empty()) return string_of(*inner, "id");
  }
  return {};
}

std::int64_t index_of(const boost::json::object& line) {
  const std::int64_t index = integer_of(line, "content_index", integer_of(line, "index", 0));
  return std::clamp(index, std::int64_t{0}, kMaxBlockIndex);
}

std::int64_t count_in(const boost::json::object& usage, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::int64_t count = integer_of(usage, key, 0); count != 0) return count;
  }
  return 0;
}

}  // namespace generic_lines_internal

struct GenericLines::Event {
  std::string_view name;
  Words words;
  std::string_view id;  ///< of the message; empty: none is named
  std::int64_t index = 0;
  FoundText text;

  bool has(std::initializer_list<std::string_view> looked_for) const { return has_any(words, looked_for); }
  bool starts() const { return has({"start", "started", "init", "begin", "created"}); }
  bool ends() const {
    return has({"stop", "stopped", "done", "complete", "completed", "end", "ended", "result", "finish", "finished", "final"});
  }
  bool adds() const { return has({"delta", "partial", "chunk", "progress", "update", "updated"}); }
  bool is_of_a_piece() const { return has({"message", "item", "block", "content", "part", "text", "output", "step"}); }
};

GenericLines::GenericLines(GenericAgent agent) : agent_(std::move(agent)) {}

void GenericLines::on_object(const boost::json::object& line, Actions& actions) {
  namespace internal = generic_lines_internal;
  ++objects_;
  Event event;
  event.name = internal::first_string(line, {"type", "event", "kind", "method", "object"});
  add_words(event.name, event.words);
  add_words(string_of(line, "subtype"), event.words);
  event.id = internal::id_of(line);
  event.index = internal::index_of(line);
  const bool tells_session = read_session(line);
  read_usage(line);
  const boost::json::value* error = line.if_contains("error");
  if (event.has({"error", "failed", "failure", "fatal"}) || is_true(line, "is_error") || (error != nullptr && !error->is_null()))
    return on_error(line);
  if (is_about_tools(event.words)) return on_tool(event, line, actions);
  if (agent_.text_field.empty()) {
    const std::string_view type = string_of(line, "type");
    if (type != "user" && type != "system") event.text = find_text(line);
  } else if (const boost::json::value* value = internal::value_at(line, agent_.text_field); value != nullptr && value->is_string()) {
    event.text.text = std::string_view(value->get_string());
    event.text.found = true;
  }
  if (is_about_thoughts(event.words)) event.text.is_thought = true;
  if (is_true(line, "delta") || is_true(line, "partial")) event.text.is_delta = true;
  if (event.text.found) {
    on_text(event, actions);
  } else if (event.ends()) {
    if (!event.is_of_a_piece()) said_done_ = true;
    message_ended_ = true;
  } else if (!event.starts() && !tells_session) {
    actions.emit(Unrecognised{event.name.empty() ? "(no type)" : event.name});
  }
}

bool GenericLines::read_session(const boost::json::object& line) {
  namespace internal = generic_lines_internal;
  const std::string before = session_id_;
  if (const std::string_view model = string_of(line, "model"); !model.empty()) model_ = model;
  if (agent_.session_id_field.empty()) {
    const std::string_view id = internal::first_string(
        line, {"session_id", "sessionId", "sessionID", "thread_id", "threadId", "conversation_id", "conversationId", "chat_id", "chatId"});
    if (!id.empty()) session_id_ = id;
  } else if (const boost::json::value* value = internal::value_at(line, agent_.session_id_field); value != nullptr && value->is_string()) {
    session_id_ = std::string_view(value->get_string());
  }
  return session_id_ != before;
}

void GenericLines::read_usage(const boost::json::object& line) {
  using generic_lines_internal::count_in;
  const boost::json::object* usage = object_of(line, "usage");
  for (const std::string_view field : {"message", "response", "result"}) {
    if (const boost::json::object* inner = object_of(line, field); usage == nullptr && inner != nullptr) usage = object_of(*inner, "usage");
  }
  if (usage == nullptr) return;
  Usage told;
  told.input = count_in(*usage, {"input_tokens", "inputTokens", "prompt_tokens", "input"});
  told.output = count_in(*usage, {"output_tokens", "outputTokens", "completion_tokens", "output"});
  usage_ = told;
}

void GenericLines::on_error(const boost::json::object& line) {
  const boost::json::object* error = object_of(line, "error");
  std::string_view message = error != nullptr ? string_of(*error, "message") : string_of(line, "error");
  if (message.empty()) message = generic_lines_internal::first_string(line, {"message", "text", "result", "detail"});
  error_ = message.empty() ? "It ended with an error" : std::string(message);
}

void GenericLines::on_tool(const Event& event, const boost::json::object& line, Actions& actions) {
  next_message();
  const std::string_view id =
      generic_lines_internal::first_string(line, {"tool_id", "tool_call_id", "tool_use_id", "call_id", "callId", "callID", "id"});
  if (event.ends()) return actions.emit(ToolEnded{{}, id, string_of(line, "status") == "error"});
  std::string summary;
  for (const std::string_view field : {"input", "args", "arguments", "parameters"}) {
    if (const boost::json::object* input = object_of(line, field))
      summary = describe_tool_input(*input, generic_lines_internal::kMaxSummary);
  }
  const std::string_view name = generic_lines_internal::first_string(line, {"tool_name", "name", "tool", "command"});
  actions.emit(ToolStarted{{}, id, name.empty() ? "tool" : name, summary});
}

void GenericLines::on_text(const Event& event, Actions& actions) {
  using TextMode = GenericAgent::TextMode;
  if (!event.text.is_thought) error_.clear();
  if (event.text.is_thought) {
    actions.emit(ThinkingDelta{key_of(event), event.text.text});
  } else if (agent_.text_mode == TextMode::Deltas) {
    give(event, false, actions);
  } else if (agent_.text_mode == TextMode::Snapshots) {
    give(event, true, actions);
  } else if (agent_.text_mode == TextMode::Messages) {
    next_message();
    give(event, true, actions);
  } else if (event.ends() && !event.text.is_delta) {
    event.is_of_a_piece() ? on_whole(event, actions) : on_final(event, actions);
  } else {
    on_piece(event, actions);
  }
}

void GenericLines::on_piece(const Event& event, Actions& actions) {
  if (message_ended_ && event.id.empty()) next_message();
  give(event, event.starts() || is_whole_text(event), actions);
}

/// An event ends a message and repeats its text. Several may do so one after the other.
void GenericLines::on_whole(const Event& event, Actions& actions) {
  const std::string& text = event.text.text;
  if (event.id.empty() && message_ended_ && !text_.empty() && !text.starts_with(text_)) {
    if (text_.ends_with(text)) return;
    next_message();
  }
  give(event, true, actions);
  message_ended_ = true;
}

/// All is done. When one text came, this is that text; of several it may be the last one or all of them.
void GenericLines::on_final(const Event& event, Actions& actions) {
  said_done_ = true;
  final_text_ = event.text.text;
  message_ended_ = true;
  if (several_texts_ || event.text.text.empty()) return;
  if (given_.empty()) return give(event, true, actions);
  actions.emit(Snapshot{{{}, given_, given_index_}, BlockKind::Text, event.text.text});
}

void GenericLines::give(const Event& event, bool is_whole, Actions& actions) {
  if (event.id.empty()) {
    if (is_whole) text_.clear();
    text_ += event.text.text;
  }
  const BlockKey key = key_of(event);
  if (!given_.empty() && (given_ != key.message || given_index_ != key.index)) several_texts_ = true;
  given_ = key.message;
  given_index_ = key.index;
  if (is_whole) {
    actions.emit(Snapshot{key, BlockKind::Text, event.text.text});
  } else {
    actions.emit(TextDelta{key, event.text.text});
  }
}

/// Whether the text is all of its message so far, and not what is new of it.
bool GenericLines::is_whole_text(const Event& event) {
  if (event.text.is_delta || event.has({"delta"})) return false;
  const BlockKey key = key_of(event);
  const std::string name = std::string(key.message) + "/" + std::to_string(key.index);
  auto known = watched_.find(name);
  if (known == watched_.end() && watched_.size() >= kMaxWatchedTexts) return false;
  if (known == watched_.end()) {
    watched_.emplace(name, Watched{Watched::Mode::Open, event.text.text, 0});
    return false;
  }
  Watched& text = known->second;
  if (text.mode != Watched::Mode::Open) return text.mode == Watched::Mode::Snapshots;
  const bool grows = event.text.text.size() > text.last.size() && event.text.text.starts_with(text.last);
  if (!grows) {
    text = {Watched::Mode::Deltas, {}, 0};
  } else if (++text.growths >= generic_lines_internal::kGrowthsOfSnapshots) {
    text = {Watched::Mode::Snapshots, {}, 0};
  } else {
    text.last = event.text.text;
  }
  return text.mode == Watched::Mode::Snapshots;
}

BlockKey GenericLines::key_of(const Event& event) const {
  // Thoughts stand before the texts.
  const std::int64_t block = 2 * event.index + (event.text.is_thought ? 0 : 1);
  return {{}, event.id.empty() ? std::string_view(message_) : event.id, block};
}

void GenericLines::next_message() {
  message_ended_ = false;
  if (text_.empty()) return;
  text_.clear();
  message_ = std::to_string(++messages_);
}

}  // namespace agent_doc::plugins
