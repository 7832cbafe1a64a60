#include "plugins/codex/codex_items.hpp"

#include "plugins/json_line.hpp"
#include "server/text/shortened.hpp"

#include <algorithm>
#include <array>

namespace agent_doc::plugins {
namespace {

constexpr std::size_t kMaxSummary = 200;
/// Blocks of raw reasoning come after those of the summary.
constexpr std::int64_t kRawParts = kMaxReasoningPart + 1;

enum class Kind { Message, Reasoning, Tool, Compaction, Silent };

struct ItemType {
  std::string_view name;
  Kind kind;
  std::string_view tool;  ///< for the status line; empty: the item names it
};

constexpr std::array<ItemType, 26> kItemTypes = {{
    {"agentMessage", Kind::Message, ""},
    {"agent_message", Kind::Message, ""},
    {"reasoning", Kind::Reasoning, ""},
    {"commandExecution", Kind::Tool, "command"},
    {"command_execution", Kind::Tool, "command"},
    {"fileChange", Kind::Tool, "edit"},
    {"file_change", Kind::Tool, "edit"},
    {"mcpToolCall", Kind::Tool, ""},
    {"mcp_tool_call", Kind::Tool, ""},
    {"dynamicToolCall", Kind::Tool, ""},
    {"collabAgentToolCall", Kind::Tool, "sub-agent"},
    {"collab_tool_call", Kind::Tool, "sub-agent"},
    {"webSearch", Kind::Tool, "web search"},
    {"web_search", Kind::Tool, "web search"},
    {"imageView", Kind::Tool, "view image"},
    {"imageGeneration", Kind::Tool, "make image"},
    {"sleep", Kind::Tool, "sleep"},
    {"contextCompaction", Kind::Compaction, ""},
    {"userMessage", Kind::Silent, ""},
    {"hookPrompt", Kind::Silent, ""},
    {"functionCallOutput", Kind::Silent, ""},
    {"plan", Kind::Silent, ""},
    {"subAgentActivity", Kind::Silent, ""},
    {"enteredReviewMode", Kind::Silent, ""},
    {"exitedReviewMode", Kind::Silent, ""},
    {"todo_list", Kind::Silent, ""},
}};

const ItemType* type_of(const boost::json::object& item) {
  const auto found = std::find_if(
      kItemTypes.begin(), kItemTypes.end(),
      [name = string_of(item, "type")](const ItemType& type) { return type.name == name; });
  return found != kItemTypes.end() ? &*found : nullptr;
}

void unrecognised(const boost::json::object& item, Actions& actions) {
  const std::string type = "item/" + std::string(string_of(item, "type"));
  actions.emit(Unrecognised{type});
}

std::string tool_name(const boost::json::object& item, const ItemType& type) {
  if (!type.tool.empty()) return std::string(type.tool);
  const std::string_view server = string_of(item, "server");
  const std::string tool(string_of(item, "tool"));
  return server.empty() ? tool : std::string(server).append(".").append(tool);
}

/// Returns the command as the model wrote it, without the shell around it.
std::string_view command_of(const boost::json::object& item) {
  const boost::json::array* actions = array_of(item, "commandActions");
  const boost::json::object* action =
      actions != nullptr && actions->size() == 1 ? actions->front().if_object() : nullptr;
  const std::string_view inner =
      action != nullptr ? string_of(*action, "command") : std::string_view();
  return inner.empty() ? string_of(item, "command") : inner;
}

std::string tool_summary(const boost::json::object& item) {
  std::string text(command_of(item));
  if (text.empty()) text = codex_list(item, "changes", "path");
  for (const std::string_view key : {"query", "path", "prompt"}) {
    if (text.empty()) text = string_of(item, key);
  }
  if (const boost::json::object* input = object_of(item, "arguments");
      text.empty() && input != nullptr && !input->empty()) {
    text = boost::json::serialize(*input);
  }
  return text::shortened(text, kMaxSummary);
}

/// Returns the file changes, one part for each path.
std::vector<PermissionPart> changes_of(const boost::json::object& item) {
  std::vector<PermissionPart> parts;
  const boost::json::array* changes = array_of(item, "changes");
  if (changes == nullptr) return parts;
  for (const boost::json::value& value : *changes) {
    const boost::json::object* change = value.if_object();
    if (change == nullptr) continue;
    PermissionPart part{std::string(string_of(*change, "path")),
                        std::string(string_of(*change, "diff"))};
    const boost::json::object* kind = object_of(*change, "kind");
    const std::string_view type =
        kind != nullptr ? string_of(*kind, "type") : string_of(*change, "kind");
    const std::string_view moved =
        kind != nullptr ? string_of(*kind, "move_path") : std::string_view();
    if (!type.empty())
      part.name.append(" (")
          .append(type)
          .append(moved.empty() ? "" : " to ")
          .append(moved)
          .append(")");
    parts.push_back(std::move(part));
  }
  return parts;
}

bool has_failed(const boost::json::object& item) {
  const std::string_view status = string_of(item, "status");
  return status == "failed" || status == "declined";
}

/// Emits `item[key]`, an array of texts, as finished parts of reasoning.
void emit_parts(const BlockKey& first, const boost::json::object& item, std::string_view key,
                Actions& actions) {
  const boost::json::array* parts = array_of(item, key);
  if (parts == nullptr) return;
  BlockKey block = first;
  for (const boost::json::value& part : *parts) {
    if (const boost::json::string* text = part.if_string()) {
      actions.emit(
          Snapshot{block, BlockKind::Thinking, std::string_view(text->data(), text->size())});
    }
    if (++block.index > first.index + kMaxReasoningPart) return;
  }
}

}  // namespace

void CodexItems::begin_turn() {
  open_.clear();
  over_.clear();
  tools_.clear();
}

void CodexItems::turn_goes_on() {
  for (Open& open : open_) {
    if (open.lane.empty() && over_.size() < kMaxOpenItems) over_.push_back(std::move(open));
  }
  std::erase_if(open_, [](const Open& open) { return open.lane.empty(); });
}

void CodexItems::started(std::string_view lane, const boost::json::object& item, Actions& actions) {
  const ItemType* type = type_of(item);
  if (type == nullptr) return unrecognised(item, actions);
  const std::string_view id = string_of(item, "id");
  if (type->kind == Kind::Message) {
    open_message(lane, id, actions);
    actions.emit(BlockStarted{{lane, id, 0}, BlockKind::Text});
    if (const std::string_view text = string_of(item, "text"); !text.empty())
      actions.emit(Snapshot{{lane, id, 0}, BlockKind::Text, text});
  } else if (type->kind == Kind::Reasoning) {
    open_message(lane, id, actions);
  } else if (type->kind == Kind::Tool) {
    tool_started(lane, item, actions);
  } else if (type->kind == Kind::Compaction && lane.empty()) {
    actions.emit(Notice{NoticeKind::Compaction, "shortening the session's history"});
  }
}

void CodexItems::completed(std::string_view lane, const boost::json::object& item,
                           Actions& actions) {
  const ItemType* type = type_of(item);
  if (type == nullptr) return unrecognised(item, actions);
  if (is_over(lane, string_of(item, "id"))) return;
  if (type->kind == Kind::Message) {
    message_completed(lane, item, actions);
  } else if (type->kind == Kind::Reasoning) {
    reasoning_completed(lane, item, actions);
  } else if (type->kind == Kind::Tool) {
    tool_completed(lane, item, actions);
  } else if (type->kind == Kind::Compaction && lane.empty()) {
    actions.emit(Notice{NoticeKind::Compaction, "the session's history was shortened"});
  }
}

void CodexItems::text_delta(std::string_view lane, std::string_view item, std::string_view text,
                            Actions& actions) {
  if (is_over(lane, item)) return;
  if (!is_open(lane, item)) open_message(lane, item, actions);
  actions.emit(TextDelta{{lane, item, 0}, text});
}

void CodexItems::reasoning_part(std::string_view lane, std::string_view item, std::int64_t part,
                                Actions& actions) {
  if (part < 0 || part > kMaxReasoningPart)
    return actions.emit(Unrecognised{"item/reasoning/summaryPartAdded"});
  if (is_over(lane, item)) return;
  actions.emit(BlockStarted{{lane, item, part}, BlockKind::Thinking});
}

void CodexItems::reasoning_delta(std::string_view lane, std::string_view item, Reasoning kind,
                                 std::int64_t part, std::string_view text, Actions& actions) {
  if (part < 0 || part > kMaxReasoningPart)
    return actions.emit(Unrecognised{"item/reasoning/delta"});
  if (is_over(lane, item)) return;
  if (!is_open(lane, item)) open_message(lane, item, actions);
  const std::int64_t index = kind == Reasoning::Raw ? kRawParts + part : part;
  actions.emit(ThinkingDelta{{lane, item, index}, text});
}

void CodexItems::message_completed(std::string_view lane, const boost::json::object& item,
                                   Actions& actions) {
  const std::string_view id = string_of(item, "id");
  if (!is_open(lane, id)) actions.emit(MessageStarted{lane, id});
  actions.emit(Snapshot{{lane, id, 0}, BlockKind::Text, string_of(item, "text")});
  actions.emit(BlockEnded{{lane, id, 0}});
  close_message(lane, id, actions);
}

void CodexItems::reasoning_completed(std::string_view lane, const boost::json::object& item,
                                     Actions& actions) {
  const std::string_view id = string_of(item, "id");
  if (!is_open(lane, id)) actions.emit(MessageStarted{lane, id});
  const std::string_view text = string_of(item, "text");
  if (!text.empty()) actions.emit(Snapshot{{lane, id, 0}, BlockKind::Thinking, text});
  emit_parts({lane, id, 0}, item, "summary", actions);
  emit_parts({lane, id, kRawParts}, item, "content", actions);
  close_message(lane, id, actions);
}

void CodexItems::tool_started(std::string_view lane, const boost::json::object& item,
                              Actions& actions) {
  const std::string_view id = string_of(item, "id");
  const std::string summary = tool_summary(item);
  if (tools_.size() < kMaxOpenItems) tools_.insert_or_assign(std::string(id), changes_of(item));
  const std::string name = tool_name(item, *type_of(item));
  actions.emit(ToolStarted{lane, id, name, summary});
}

void CodexItems::tool_completed(std::string_view lane, const boost::json::object& item,
                                Actions& actions) {
  const std::string_view id = string_of(item, "id");
  if (!tools_.contains(id)) tool_started(lane, item, actions);
  if (const auto tool = tools_.find(id); tool != tools_.end()) tools_.erase(tool);
  actions.emit(ToolEnded{lane, id, has_failed(item)});
}

bool CodexItems::is_open(std::string_view lane, std::string_view item) const {
  return std::any_of(open_.begin(), open_.end(), [lane, item](const Open& open) {
    return open.item == item && open.lane == lane;
  });
}

bool CodexItems::is_over(std::string_view lane, std::string_view item) const {
  return lane.empty() && std::any_of(over_.begin(), over_.end(),
                                     [item](const Open& open) { return open.item == item; });
}

void CodexItems::open_message(std::string_view lane, std::string_view item, Actions& actions) {
  if (open_.size() < kMaxOpenItems && !is_open(lane, item))
    open_.push_back({std::string(lane), std::string(item)});
  actions.emit(MessageStarted{lane, item});
}

void CodexItems::close_message(std::string_view lane, std::string_view item, Actions& actions) {
  std::erase_if(open_,
                [lane, item](const Open& open) { return open.item == item && open.lane == lane; });
  actions.emit(MessageEnded{lane, item, {}, {}});
}

void CodexItems::give_up_open(Actions& actions) {
  for (const Open& open : open_) {
    if (open.lane.empty()) actions.emit(MessageEnded{open.lane, open.item, {}, 0});
  }
  std::erase_if(open_, [](const Open& open) { return open.lane.empty(); });
}

const std::vector<PermissionPart>& CodexItems::parts_of(std::string_view item) const {
  static const std::vector<PermissionPart> kNone;
  const auto tool = tools_.find(item);
  return tool != tools_.end() ? tool->second : kNone;
}

std::string codex_list(const boost::json::object& object, std::string_view key,
                       std::string_view field) {
  std::string text;
  const boost::json::array* entries = array_of(object, key);
  if (entries == nullptr) return text;
  for (const boost::json::value& value : *entries) {
    const boost::json::object* entry = value.if_object();
    const std::string_view part = entry != nullptr ? string_of(*entry, field) : std::string_view();
    if (part.empty()) continue;
    if (!text.empty()) text += ", ";
    text += part;
  }
  return text;
}

}  // namespace agent_doc::plugins
