#include "plugins/generic/generic_lines.hpp"

#include "plugins/generic/generic_text.hpp"
#include "plugins/json_line.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>
#include <variant>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxSummary = 200;

std::string_view first_string(const boost::json::object& object,
                              std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = string_of(object, key); !text.empty()) return text;
  }
  return {};
}

/// Returns the value at a path such as "a.b.c".
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
      first_string(line, {"message_id", "messageId", "messageID", "item_id", "itemId", "itemID",
                          "part_id", "partId", "partID"});
  if (!id.empty()) return id;
  for (const std::string_view field : {"message", "item", "part"}) {
    const boost::json::object* inner = object_of(line, field);
    if (inner != nullptr && !string_of(*inner, "id").empty()) return string_of(*inner, "id");
  }
  return {};
}

/// Returns the first non-empty field that we do not know, or an empty view.
std::string_view unknown_field(const boost::json::object& line) {
  constexpr std::array<std::string_view, 28> kKnown = {
      "type",      "event",       "kind",          "method",     "object",     "subtype",
      "id",        "uuid",        "timestamp",     "time",       "created",    "model",
      "role",      "status",      "reason",        "usage",      "session_id", "sessionId",
      "sessionID", "stop_reason", "finish_reason", "message_id", "request_id", "cwd",
      "version",   "thread_id",   "threadId",      "index"};
  for (const auto& [key, value] : line) {
    const bool says_something = (value.is_string() && !value.get_string().empty()) ||
                                (value.is_object() && !value.get_object().empty()) ||
                                (value.is_array() && !value.get_array().empty());
    const std::string_view name = key;
    if (says_something && std::find(kKnown.begin(), kKnown.end(), name) == kKnown.end())
      return name;
  }
  return {};
}

/// Notes whether text of the reply passes through.
class TextWatch final : public Actions {
 public:
  TextWatch(Actions& actions, bool& has_text) : actions_(actions), has_text_(has_text) {}
  void emit(const AgentEvent& event) override {
    const auto* delta = std::get_if<TextDelta>(&event);
    const auto* snapshot = std::get_if<Snapshot>(&event);
    if (delta != nullptr && delta->key.lane.empty() && !delta->text.empty()) has_text_ = true;
    if (snapshot != nullptr && snapshot->kind == BlockKind::Text && snapshot->key.lane.empty() &&
        !snapshot->text.empty())
      has_text_ = true;
    actions_.emit(event);
  }
  void write_line(std::string line) override { actions_.write_line(std::move(line)); }
  void close_stdin() override { actions_.close_stdin(); }
  void send_signal(Signal signal) override { actions_.send_signal(signal); }
  void read_file(FileRead request) override { actions_.read_file(std::move(request)); }
  void write_file(FileWrite request) override { actions_.write_file(std::move(request)); }

 private:
  Actions& actions_;
  bool& has_text_;
};

/// Returns true for those of cursor-agent's `assistant` lines that are additions: with a timestamp
/// and without a model call.
bool is_part_of_cursor(const boost::json::object& line) {
  return string_of(line, "type") == "assistant" && line.contains("timestamp_ms") &&
         !line.contains("model_call_id");
}

std::int64_t index_of(const boost::json::object& line) {
  const std::int64_t index = integer_of(line, "content_index", integer_of(line, "index", 0));
  return std::clamp(index, std::int64_t{0}, kMaxBlockIndex);
}

std::int64_t count_in(const boost::json::object& usage,
                      std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const std::int64_t count = integer_of(usage, key, 0); count != 0) return count;
  }
  return 0;
}

/// Returns how a text was interpreted, for the user.
std::string_view name_of(GenericTexts::Taken taken) {
  switch (taken) {
    case GenericTexts::Taken::New:
      return "new text";
    case GenericTexts::Taken::WholeSoFar:
      return "the whole text of a message so far";
    case GenericTexts::Taken::WholeMessage:
      return "the whole text of a message, at its end";
    case GenericTexts::Taken::WholeTurn:
      return "the whole text, at the end of the turn";
  }
  return {};
}

}  // namespace

GenericLines::GenericLines(GenericAgent agent)
    : agent_(std::move(agent)), texts_(agent_.text_mode) {}

void GenericLines::on_object(const boost::json::object& line, Actions& host) {
  TextWatch actions(host, has_text_);
  ++objects_;
  GenericEvent event;
  event.name = first_string(line, {"type", "event", "kind", "method", "object"});
  add_words(event.name, event.words);
  add_words(string_of(line, "subtype"), event.words);
  event.id = id_of(line);
  event.index = index_of(line);
  event.has_index = line.contains("index") || line.contains("content_index");
  const bool has_session_news = read_session(line);
  read_usage(line);
  if (agent_.text_field.empty() && is_of_claude(line)) return on_line_of_claude(line, actions);
  if (event.name.empty() && is_of_log(line)) return on_status(line, actions);
  const boost::json::value* error = line.if_contains("error");
  if (event.has({"error", "failed", "failure", "fatal"}) || is_true(line, "is_error") ||
      (error != nullptr && !error->is_null()))
    return on_error(line);
  if (is_about_tools(event.words)) return on_tool(event, line, actions);
  read_text(line, event);
  if (event.text.found) {
    const bool is_named = !event.id.empty() || event.text.is_thought || !agent_.text_field.empty();
    if (!is_named) texts_.name_message(string_of(line, "id"), event);
    on_text(event, actions);
  } else {
    on_other(event, line, has_session_news, actions);
  }
}

void GenericLines::read_text(const boost::json::object& line, GenericEvent& event) const {
  if (!agent_.text_field.empty()) {
    const boost::json::value* value = value_at(line, agent_.text_field);
    if (value == nullptr || !value->is_string()) return;
    event.text.text = std::string_view(value->get_string());
    event.text.found = true;
    event.text.place = agent_.text_field;
  } else {
    const bool is_of_other = is_about_others(event.words) || is_about_status(event.words) ||
                             is_of_log(line) || is_in_state(line) ||
                             (event.has({"progress"}) && !event.is_of_a_piece());
    if (!is_of_other) event.text = find_text(line);
  }
  if (is_about_thoughts(event.words)) event.text.is_thought = true;
  const auto is_flag = [&line](std::string_view name) {
    return line.contains(name) && line.at(name).is_bool();
  };
  // ollama and llama.cpp mark each piece with whether it is the last.
  if (is_true(line, "delta") || is_flag("done") || is_flag("stop") || is_part_of_cursor(line))
    event.text.is_delta = true;
  event.is_last_part = is_flag("partial") && !is_true(line, "partial");
  const bool is_called_one = event.has({"message", "assistant"}) ||
                             (event.name.empty() && string_of(line, "role") == "assistant");
  event.is_message = is_called_one && !event.text.is_delta && !event.text.is_thought &&
                     !event.adds() && !event.starts() && !event.ends() && !line.contains("partial");
}

/// Returns true for stream_event and assistant lines, whose blocks ClaudeMessages can assemble.
bool GenericLines::is_of_claude(const boost::json::object& line) const {
  const std::string_view type = string_of(line, "type");
  if (type == "stream_event") return object_of(line, "event") != nullptr;
  const boost::json::object* message = object_of(line, "message");
  return type == "assistant" && message != nullptr && !string_of(*message, "id").empty() &&
         array_of(*message, "content") != nullptr;
}

void GenericLines::on_line_of_claude(const boost::json::object& line, Actions& actions) {
  reading_ =
      "a block of a message, as claude writes it (" + std::string(string_of(line, "type")) + ")";
  const bool had_text = std::exchange(has_text_, false);
  if (string_of(line, "type") == "stream_event") {
    claude_.on_stream_event(line, actions);
  } else {
    claude_.on_assistant(line, actions);
  }
  if (has_text_) error_.clear();
  has_text_ = has_text_ || had_text;
  // The error persists over later lines, so only a change counts.
  if (claude_.error().text != claude_error_) error_ = claude_error_ = claude_.error().text;
  texts_.note_other_texts(has_text_);
}

void GenericLines::on_status(const boost::json::object& line, Actions& actions) {
  const boost::json::object* item = object_of(line, "item");
  std::string_view text = first_string(line, {"message", "msg", "text", "status"});
  if (text.empty() && item != nullptr) text = first_string(*item, {"message", "text"});
  Words of_item;
  if (item != nullptr) add_words(string_of(*item, "type"), of_item);
  const bool is_error = has_any(of_item, {"error"});
  reading_ = is_error ? "an error that ends nothing: it is shown"
                      : "a message about the agent's state: it stands in the status line";
  if (!text.empty())
    actions.emit(Notice{is_error ? NoticeKind::Warning : NoticeKind::Status, text});
}

void GenericLines::on_other(const GenericEvent& event, const boost::json::object& line,
                            bool has_session_news, Actions& actions) {
  const boost::json::object* item = object_of(line, "item");
  Words of_item;
  if (item != nullptr) add_words(string_of(*item, "type"), of_item);
  if (is_about_others(event.words)) {
    reading_ = "what somebody else said: dropped";
  } else if (is_about_status(event.words) || is_of_log(line) || is_in_state(line) ||
             event.has({"progress"}) || has_any(of_item, {"error"})) {
    on_status(line, actions);
  } else if (event.ends()) {
    const std::string_view unknown = unknown_field(line);
    if (!event.is_of_a_piece()) said_done_ = true;
    texts_.message_ended();
    reading_ = "an end, by its name";
    if (!unknown.empty() && item == nullptr && !line.contains("part"))
      not_understood(line, event.name, actions);
  } else if (event.starts() || has_session_news) {
    reading_ = event.starts() ? "a begin, by its name" : "the session";
  } else {
    not_understood(line, event.name, actions);
  }
}

void GenericLines::not_understood(const boost::json::object& line, std::string_view name,
                                  Actions& actions) {
  const std::string_view role = string_of(line, "role");
  if (role == "user" || role == "tool" || role == "system") {
    reading_ = "what somebody else said (role " + std::string(role) + "): dropped";
    return;
  }
  reading_ = "not understood: no field that is known to hold text";
  if (++not_understood_ == 1) first_not_understood_ = boost::json::serialize(line);
  actions.emit(Unrecognised{name.empty() ? "(no type)" : name});
}

bool GenericLines::read_session(const boost::json::object& line) {
  const std::string before = session_id_;
  if (const std::string_view model = string_of(line, "model"); !model.empty()) model_ = model;
  if (agent_.session_id_field.empty()) {
    const std::string_view id =
        first_string(line, {"session_id", "sessionId", "sessionID", "thread_id", "threadId",
                            "conversation_id", "conversationId", "chat_id", "chatId"});
    if (!id.empty()) session_id_ = id;
  } else if (const boost::json::value* value = value_at(line, agent_.session_id_field);
             value != nullptr && value->is_string()) {
    session_id_ = std::string_view(value->get_string());
  }
  return session_id_ != before;
}

void GenericLines::read_usage(const boost::json::object& line) {
  const boost::json::object* usage = object_of(line, "usage");
  for (const std::string_view field : {"message", "response", "result"}) {
    if (const boost::json::object* inner = object_of(line, field);
        usage == nullptr && inner != nullptr)
      usage = object_of(*inner, "usage");
  }
  if (usage == nullptr) return;
  Usage used;
  used.input = count_in(*usage, {"input_tokens", "inputTokens", "prompt_tokens", "input"});
  used.output = count_in(*usage, {"output_tokens", "outputTokens", "completion_tokens", "output"});
  usage_ = used;
}

void GenericLines::on_error(const boost::json::object& line) {
  const boost::json::object* error = object_of(line, "error");
  std::string_view message =
      error != nullptr ? string_of(*error, "message") : string_of(line, "error");
  if (message.empty()) message = first_string(line, {"message", "text", "result", "detail"});
  error_ = message.empty() ? "It ended with an error" : std::string(message);
  reading_ = "an error, by its name or its field `error`";
}

void GenericLines::on_tool(const GenericEvent& event, const boost::json::object& line,
                           Actions& actions) {
  texts_.next_message();
  has_work_ = true;
  reading_ = event.ends() ? "the end of a tool call, by its name" : "a tool call, by its name";
  const std::string_view id = first_string(
      line, {"tool_id", "tool_call_id", "tool_use_id", "call_id", "callId", "callID", "id"});
  if (event.ends()) return actions.emit(ToolEnded{{}, id, string_of(line, "status") == "error"});
  std::string summary;
  for (const std::string_view field : {"input", "args", "arguments", "parameters"}) {
    if (const boost::json::object* input = object_of(line, field))
      summary = describe_tool_input(*input, kMaxSummary);
  }
  const std::string_view name = first_string(line, {"tool_name", "name", "tool", "command"});
  actions.emit(ToolStarted{{}, id, name.empty() ? "tool" : name, summary});
}

void GenericLines::on_text(GenericEvent& event, Actions& actions) {
  const std::string where = " (field `" + event.text.place + "`)";
  if (event.text.is_thought) {
    reading_ = "thinking" + where;
    has_work_ = true;
    return actions.emit(ThinkingDelta{texts_.key_of(event), event.text.text});
  }
  error_.clear();
  const GenericTexts::Taken taken = texts_.take(event, actions);
  reading_ = std::string(name_of(taken)) + where;
  if (taken != GenericTexts::Taken::WholeTurn) return;
  said_done_ = true;
  final_text_ = event.text.text;
}

}  // namespace agent_doc::plugins
