#include "plugins/tool_question.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::plugins {

namespace {

/// Arguments that are clear without their names.
constexpr std::array<std::string_view, 7> kTelling = {
    "command", "file_path", "notebook_path", "path", "url", "pattern", "query"};

/// Arguments that are clear without their names when there is no other one.
bool is_plain_alone(std::string_view name) {
  return name == "description" || name == "prompt" || name == "skill";
}

std::string text_of(const boost::json::value& value) {
  if (const boost::json::string* text = value.if_string()) return {text->data(), text->size()};
  return boost::json::serialize(value);
}

}  // namespace

ToolArguments arguments_to_show(const boost::json::object& input) {
  ToolArguments shown;
  std::string_view shown_key;
  for (const std::string_view key : kTelling) {
    const boost::json::value* value = input.if_contains(key);
    if (value == nullptr || !value->is_string() || value->get_string().empty()) continue;
    shown.detail = text_of(*value);
    shown_key = key;
    break;
  }
  const boost::json::value* old_text = input.if_contains("old_string");
  const boost::json::value* new_text = input.if_contains("new_string");
  const bool is_change =
      old_text != nullptr && old_text->is_string() && new_text != nullptr && new_text->is_string();
  if (is_change) {
    shown.more.push_back({"change", text_of(*new_text), text_of(*old_text)});
    append_other_fields(input, {shown_key, "old_string", "new_string"}, shown.more);
  } else {
    append_other_fields(input, {shown_key}, shown.more);
  }
  if (shown.detail.empty() && shown.more.size() == 1 && is_plain_alone(shown.more.front().name)) {
    shown.detail = std::move(shown.more.front().text);
    shown.more.clear();
  }
  return shown;
}

void append_other_fields(const boost::json::object& object,
                         std::initializer_list<std::string_view> known,
                         std::vector<PermissionPart>& parts) {
  for (const auto& [key, value] : object) {
    const std::string_view name = key;
    const bool is_known =
        !name.empty() && std::find(known.begin(), known.end(), name) != known.end();
    if (!is_known && !value.is_null()) parts.push_back({std::string(name), text_of(value)});
  }
}

}  // namespace agent_doc::plugins
