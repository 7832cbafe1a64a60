#include "plugins/acp/acp_updates.hpp"

#include "plugins/json_line.hpp"
#include "server/text/shortened.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// Limit for what a tool does in the status line, in bytes.
constexpr std::size_t kMaxSummary = 300;

/// "[MODE_UPDATE] default"
constexpr std::string_view kGeminiMode = "[MODE_UPDATE] ";

std::string command_of(const boost::json::object& input) {
  if (const std::string_view command = string_of(input, "command"); !command.empty())
    return std::string(command);
  std::string words;
  if (const boost::json::array* command = array_of(input, "command")) {
    for (const boost::json::value& word : *command) {
      if (!words.empty()) words.push_back(' ');
      words += word.is_string() ? std::string(word.get_string()) : boost::json::serialize(word);
    }
  }
  return words;
}

std::string_view path_in(const boost::json::array* entries) {
  if (entries == nullptr) return {};
  for (const boost::json::value& value : *entries) {
    const boost::json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    if (const std::string_view path = string_of(*entry, "path"); !path.empty()) return path;
  }
  return {};
}

/// Returns the command, the path, … that the call is about.
std::string subject_of(const boost::json::object& call) {
  constexpr std::array<std::string_view, 9> kTelling = {"file_path", "filePath",    "abs_path",
                                                        "path",      "url",         "pattern",
                                                        "query",     "description", "prompt"};
  const boost::json::object* input = object_of(call, "rawInput");
  if (input != nullptr) {
    if (std::string command = command_of(*input); !command.empty()) return command;
  }
  if (const std::string_view path = path_in(array_of(call, "locations")); !path.empty())
    return std::string(path);
  if (const std::string_view path = path_in(array_of(call, "content")); !path.empty())
    return std::string(path);
  if (input == nullptr) return {};
  for (const std::string_view key : kTelling) {
    if (const std::string_view text = string_of(*input, key); !text.empty())
      return std::string(text);
  }
  return input->empty() ? std::string() : boost::json::serialize(*input);
}

bool says_something(const boost::json::value& value) {
  if (const boost::json::string* text = value.if_string()) return !text->empty();
  if (const boost::json::object* object = value.if_object()) return !object->empty();
  const boost::json::array* array = value.if_array();
  return array != nullptr ? !array->empty() : !value.is_null();
}

/// Merges the fields of a tool call that describe it; each replaces the earlier one unless it is
/// empty: claude-code-acp sends the input last.
void merge_fields(const boost::json::object& call, boost::json::object& fields) {
  constexpr std::array<std::string_view, 5> kTelling = {"title", "kind", "rawInput", "content",
                                                        "locations"};
  for (const std::string_view key : kTelling) {
    const boost::json::value* value = call.if_contains(key);
    if (value != nullptr && says_something(*value))
      fields.insert_or_assign(key, boost::json::value(*value, fields.storage()));
  }
}

bool is_over(std::string_view status) {
  return status == "completed" || status == "failed";
}

/// Returns `uri` as the destination of a markdown link.
std::string destination_of(std::string_view uri) {
  std::string text = "<";
  for (const char c : uri) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>') continue;
    text.push_back(c);
  }
  return text + ">";
}

std::string label_of(std::string_view text) {
  std::string label;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') label.push_back('\\');
    label.push_back(c == '\n' || c == '\r' ? ' ' : c);
  }
  return label;
}

std::string link_to(const boost::json::object& link) {
  const std::string_view uri = string_of(link, "uri");
  std::string_view name = string_of(link, "title");
  if (name.empty()) name = string_of(link, "name");
  if (uri.empty()) return std::string(name);
  return "[" + label_of(name.empty() ? uri : name) + "](" + destination_of(uri) + ")";
}

/// Returns "(an image: image/png, file:///a.png)" for data that a document cannot show.
std::string name_of_data(std::string_view what, const boost::json::object& data) {
  std::string text = "(" + std::string(what);
  std::string_view before = ": ";
  for (const std::string_view key : {"mimeType", "uri"}) {
    const std::string_view value = string_of(data, key);
    if (!value.empty()) text.append(std::exchange(before, ", ")).append(label_of(value));
  }
  return text + ")";
}

/// Returns the text for `update.content`; empty for an unknown type.
std::string text_of_content(const boost::json::object& update) {
  const boost::json::object* content = object_of(update, "content");
  if (content == nullptr) return {};
  const std::string_view type = string_of(*content, "type");
  if (type == "text") return std::string(string_of(*content, "text"));
  if (type == "resource_link") return link_to(*content);
  if (type == "image") return name_of_data("an image", *content);
  if (type == "audio") return name_of_data("a sound", *content);
  const boost::json::object* resource =
      type == "resource" ? object_of(*content, "resource") : nullptr;
  if (resource == nullptr) return {};
  const std::string_view text = string_of(*resource, "text");
  return text.empty() ? name_of_data("a file", *resource) : std::string(text);
}

std::string name_of_type(std::string_view update, std::string_view content) {
  return std::string(update).append("/").append(content.empty() ? "(no type)" : content);
}

}  // namespace

void AcpUpdates::begin_turn() {
  message_name_.clear();
  message_id_.reset();
  retry_.reset();
  block_kind_.reset();
  tools_.clear();
  kept_tools_ = 0;
}

void AcpUpdates::on_update(const boost::json::object& update, Actions& actions) {
  const std::string_view type = string_of(update, "sessionUpdate");
  if (type == "agent_message_chunk") {
    on_chunk(BlockKind::Text, update, actions);
  } else if (type == "agent_thought_chunk") {
    on_chunk(BlockKind::Thinking, update, actions);
  } else if (type == "tool_call") {
    on_tool_call(update, actions);
  } else if (type == "tool_call_update") {
    on_tool_call_update(update, actions);
  } else if (type == "plan") {
    on_plan(update, actions);
  } else if (type == "usage_update") {
    on_usage(update, actions);
  } else if (type == "current_mode_update") {
    const std::string text = "mode: " + std::string(string_of(update, "currentModeId"));
    actions.emit(Notice{NoticeKind::Status, text});
  } else if (type != "user_message_chunk" && type != "available_commands_update" &&
             type != "config_option_update" && type != "session_info_update") {
    const std::string unknown = name_of_type("session/update", type);
    actions.emit(Unrecognised{unknown});
  }
}

void AcpUpdates::on_update_outside_turn(const boost::json::object& update, Actions& actions) {
  if (string_of(update, "sessionUpdate") == "usage_update") on_usage(update, actions);
}

bool AcpUpdates::keep_late_text(const boost::json::object& update) {
  if (string_of(update, "sessionUpdate") != "agent_message_chunk") return false;
  if (late_.size() > kMaxLateText) return true;
  late_ += text_of_content(update);
  late_ = text::shortened(late_, kMaxLateText);  // its note exceeds the limit
  return true;
}

void AcpUpdates::emit_late_text(Actions& actions) {
  const std::string late = std::exchange(late_, {});
  if (late.find_first_not_of(" \t\r\n") == std::string::npos) return;
  actions.emit(Snapshot{{{}, "after the turn", 0}, BlockKind::Text, late});
}

void AcpUpdates::on_chunk(BlockKind kind, const boost::json::object& update, Actions& actions) {
  const boost::json::object* content = object_of(update, "content");
  const std::string_view type =
      content != nullptr ? string_of(*content, "type") : std::string_view();
  if (kind == BlockKind::Text && type != "text" && on_other_content(update, type, actions)) return;
  if (type != "text") {
    const std::string unknown = name_of_type(string_of(update, "sessionUpdate"), type);
    return actions.emit(Unrecognised{unknown});
  }
  const std::string_view text = string_of(*content, "text");
  if (text.empty()) return;
  const std::string_view id = string_of(update, "messageId");
  if (kind == BlockKind::Thinking) return on_thought(id, text, actions);
  if (flavour_ == Flavour::Gemini && text.starts_with(kGeminiMode)) return;
  on_text(id, text, actions);
}

/// An agent may name only some messages: text without an id belongs to another message than the
/// next text with one.
void AcpUpdates::on_text(std::string_view message_id, std::string_view text, Actions& actions) {
  if (message_id_ && *message_id_ != message_id) begin_message(message_id, actions);
  message_id_ = message_id;
  const AcpRetry::Verdict verdict = retry_.hear(text);
  if (verdict == AcpRetry::Verdict::Undecided) return;
  if (verdict == AcpRetry::Verdict::Another && !retry_.is_holding())
    return emit_text(text, actions);
  if (verdict == AcpRetry::Verdict::Another) return emit_held(actions);
  if (verdict == AcpRetry::Verdict::GoesOn) {
    actions.emit(MessageEnded{{}, retried_name_, "max_tokens", std::nullopt});  // it was cut
  } else {
    actions.emit(MessageEnded{{}, retried_name_, {}, 0});
  }
  emit_text(retry_.take().text, actions);
}

/// A message is compared with the one before it when both have an id.
void AcpUpdates::begin_message(std::string_view message_id, Actions& actions) {
  if (message_id.empty() || message_id_->empty()) {
    end_message(actions);
    return retry_.reset();
  }
  if (!retry_.is_holding()) retried_name_ = message_name_;
  close_message(actions);
  retry_.begin_message();
}

/// Emits what was held, because it repeats nothing.
void AcpUpdates::emit_held(Actions& actions) {
  const AcpRetry::Held held = retry_.take();
  if (!held.before.empty()) {
    const std::optional<std::string> id = message_id_;
    close_message(actions);
    emit_text(held.before, actions);
    close_message(actions);
    message_id_ = id;
  }
  if (!held.text.empty()) emit_text(held.text, actions);
}

void AcpUpdates::emit_text(std::string_view text, Actions& actions) {
  const BlockKey key = open_block(BlockKind::Text, actions);
  actions.emit(TextDelta{key, text});
}

/// Adds content other than text. A link is part of the text; a file, or the note for a picture, is
/// a paragraph of its own.
bool AcpUpdates::on_other_content(const boost::json::object& update, std::string_view type,
                                  Actions& actions) {
  const std::string text = text_of_content(update);
  if (text.empty()) return false;
  const std::string_view id = string_of(update, "messageId");
  const bool is_paragraph = type != "resource_link";
  if (is_paragraph) end_message(actions);
  if (is_paragraph) retry_.reset();
  on_text(id, text, actions);
  if (is_paragraph) end_message(actions);
  if (is_paragraph) retry_.reset();
  return true;
}

void AcpUpdates::on_thought(std::string_view message_id, std::string_view text, Actions& actions) {
  constexpr std::string_view kEmptyHeading = "****\n";
  const bool is_named = !message_id.empty() && message_id_ && !message_id_->empty();
  if (is_named && *message_id_ != message_id) begin_message(message_id, actions);
  const bool follows = block_kind_ == BlockKind::Thinking;
  const bool has_heading = flavour_ == Flavour::Gemini && !text.starts_with(kEmptyHeading);
  if (flavour_ == Flavour::Gemini && !has_heading) text.remove_prefix(kEmptyHeading.size());
  const BlockKey key = open_block(BlockKind::Thinking, actions);
  if (follows && has_heading) actions.emit(ThinkingDelta{key, "\n\n"});
  if (!text.empty()) actions.emit(ThinkingDelta{key, text});
}

BlockKey AcpUpdates::open_block(BlockKind kind, Actions& actions) {
  if (message_name_.empty()) {
    message_name_ = std::to_string(++message_);
    block_ = -1;
    actions.emit(MessageStarted{{}, message_name_});
  }
  const bool is_new = block_kind_ != kind;
  if (is_new) ++block_;
  block_kind_ = kind;
  const BlockKey key{{}, message_name_, block_};
  if (is_new) actions.emit(BlockStarted{key, kind});
  return key;
}

void AcpUpdates::end_message(Actions& actions) {
  if (retry_.is_holding()) emit_held(actions);
  close_message(actions);
}

/// What is held of a turn that did not get its answer is a piece of what came before.
void AcpUpdates::end_turn(Outcome outcome, Actions& actions) {
  if (outcome != Outcome::Done) retry_.reset();
  end_message(actions);
}

/// What is complete is not sent again, so the next message is not compared with it.
void AcpUpdates::message_stopped(std::string_view stop_reason, Actions& actions) {
  if (stop_reason.empty()) return;
  if (retry_.is_holding()) emit_held(actions);
  retry_.reset();
  if (message_name_.empty()) return;
  actions.emit(MessageEnded{{}, message_name_, stop_reason, std::nullopt});
  message_id_.reset();
  block_kind_.reset();
  message_name_.clear();
}

void AcpUpdates::close_message(Actions& actions) {
  message_id_.reset();
  block_kind_.reset();
  if (message_name_.empty()) return;
  actions.emit(MessageEnded{{}, message_name_, {}, std::nullopt});
  message_name_.clear();
}

void AcpUpdates::give_up_message(Actions& actions) {
  retry_.reset();
  if (message_name_.empty()) return;
  message_id_.reset();
  block_kind_.reset();
  actions.emit(MessageEnded{{}, message_name_, {}, 0});
  message_name_.clear();
}

void AcpUpdates::on_tool_call(const boost::json::object& call, Actions& actions) {
  const std::string id(string_of(call, "toolCallId"));
  if (id.empty()) return actions.emit(Unrecognised{"tool_call without id"});
  const auto [tool, is_new] = tools_.try_emplace(id);
  if (!is_new) return on_tool_call_update(call, actions);
  end_message(actions);
  retry_.reset();
  keep_fields(tool->second, call);
  emit_tool(id, tool->second, call, actions);
  if (is_over(string_of(call, "status"))) on_tool_call_update(call, actions);
}

void AcpUpdates::on_tool_call_update(const boost::json::object& call, Actions& actions) {
  const std::string_view id = string_of(call, "toolCallId");
  const auto tool = tools_.find(id);
  if (tool == tools_.end()) return on_tool_call(call, actions);
  if (tool->second.ended) return;
  const std::string_view status = string_of(call, "status");
  if (is_over(status)) {
    end_tool(tool->second);
    actions.emit(ToolEnded{{}, tool->first, status == "failed"});
    return;
  }
  keep_fields(tool->second, call);
  if (message_name_
          .empty()) {  // news of an earlier tool must not end the text that is being written
    emit_tool(tool->first, tool->second, call, actions);
  }
}

void AcpUpdates::keep_fields(Tool& tool, const boost::json::object& call) {
  if (!tool.is_kept && kept_tools_ >= kMaxKeptTools) return;
  if (!std::exchange(tool.is_kept, true)) ++kept_tools_;
  merge_fields(call, tool.fields);
}

void AcpUpdates::end_tool(Tool& tool) {
  tool.ended = true;
  tool.fields.clear();
  if (std::exchange(tool.is_kept, false)) --kept_tools_;
}

boost::json::object AcpUpdates::known_fields_of(const boost::json::object& call) const {
  boost::json::object all;
  const auto tool = tools_.find(string_of(call, "toolCallId"));
  if (tool != tools_.end()) all = tool->second.fields;
  for (const auto& [key, value] : call) {
    if (says_something(value) || !all.contains(key))
      all.insert_or_assign(key, boost::json::value(value, all.storage()));
  }
  return all;
}

/// Emits the tool when something about it is new.
void AcpUpdates::emit_tool(const std::string& id, Tool& tool, const boost::json::object& call,
                           Actions& actions) {
  const bool is_new = tool.kind.empty();
  if (is_new || call.contains("kind")) tool.kind = kind_of_tool_call(call);
  std::string summary = describe_tool_call(call, kMaxSummary);
  const bool says_more = !summary.empty() && summary != tool.summary;
  if (says_more) tool.summary = std::move(summary);
  if (is_new || says_more) actions.emit(ToolStarted{{}, id, tool.kind, tool.summary});
}

void AcpUpdates::tool_denied(std::string_view id, Actions& actions) {
  const auto tool = tools_.find(id);
  if (tool == tools_.end() || tool->second.ended) return;
  end_tool(tool->second);
  actions.emit(ToolEnded{{}, tool->first, true});
}

void AcpUpdates::on_plan(const boost::json::object& update, Actions& actions) const {
  const boost::json::array* entries = array_of(update, "entries");
  if (entries == nullptr || entries->empty()) return;
  std::size_t done = 0;
  std::string_view next;
  for (const boost::json::value& value : *entries) {
    const boost::json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    const std::string_view status = string_of(*entry, "status");
    if (status == "completed") ++done;
    if (status == "in_progress" || (status == "pending" && next.empty()))
      next = string_of(*entry, "content");
  }
  std::string text =
      "plan (" + std::to_string(done) + " of " + std::to_string(entries->size()) + " done)";
  if (!next.empty()) text.append(": ").append(next);
  actions.emit(Notice{NoticeKind::Status, text});
}

void AcpUpdates::on_usage(const boost::json::object& update, Actions& actions) {
  retry_.usage_reported();
  const boost::json::object* cost = object_of(update, "cost");
  if (cost == nullptr || string_of(*cost, "currency") != "USD") return;
  const double total = number_of(*cost, "amount");
  const double added = reported_cost_ ? total - *reported_cost_ : 0;
  reported_cost_ = total;
  Usage usage;
  usage.cost_micros = micros_of(added);
  if (usage.cost_micros > 0) actions.emit(usage);
}

std::string describe_tool_call(const boost::json::object& call, std::size_t limit) {
  std::string text(string_of(call, "title"));
  const std::string subject = subject_of(call);
  if (text.find(subject) == std::string::npos)
    text = text.empty() ? subject : text + ": " + subject;
  return text::shortened(text, limit);
}

std::string_view kind_of_tool_call(const boost::json::object& call) {
  const std::string_view kind = string_of(call, "kind");
  return kind.empty() || kind == "other" ? std::string_view("tool") : kind;
}

std::int64_t micros_of(double dollars) {
  constexpr double kMaxDollars = 1e9;
  return std::isfinite(dollars) && std::abs(dollars) < kMaxDollars ? std::llround(dollars * 1e6)
                                                                   : 0;
}

}  // namespace agent_doc::plugins
