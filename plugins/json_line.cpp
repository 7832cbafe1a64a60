#include "plugins/json_line.hpp"

#include "protocol/json_repair.hpp"

namespace agent_doc::plugins {
namespace {

/// A larger buffer for a repaired line is freed instead of being kept for the next one.
constexpr std::size_t kKeptCapacity = 1024 * 1024;

boost::json::parse_options options() {
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  return options;
}

std::string_view without_leading_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

}  // namespace

void JsonLine::begin(std::string_view line) {
  constexpr std::string_view kSsePrefix = "data:";
  rest_ = without_leading_space(line);
  if (rest_.starts_with(kSsePrefix)) rest_ = without_leading_space(rest_.substr(kSsePrefix.size()));
  is_repaired_ = false;
  if (repaired_.capacity() > kKeptCapacity) std::string().swap(repaired_);
}

const boost::json::object* JsonLine::next() {
  drop_value();
  if (!rest_.starts_with('{')) return nullptr;
  if (!parse()) {
    if (is_repaired_ || rest_.find("\\u") == std::string_view::npos) return nullptr;
    is_repaired_ = true;
    repaired_ = protocol::repair_lone_surrogates(rest_);
    rest_ = repaired_;
    if (!parse()) return nullptr;
  }
  return &value_->get_object();
}

// A released resource remembers the size of its last block and begins with twice that, so it is
// created anew for each object.
void JsonLine::drop_value() {
  value_.reset();
  memory_.reset();
}

bool JsonLine::parse() {
  drop_value();
  boost::json::parser parser({}, options());
  parser.reset(&memory_.emplace(buffer_.data(), buffer_.size()));
  boost::json::error_code error;
  const std::size_t read = parser.write_some(rest_.data(), rest_.size(), error);
  if (error) return false;
  value_.emplace(parser.release());
  rest_ = without_leading_space(rest_.substr(read));
  return true;
}

std::string_view string_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  const boost::json::string* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::int64_t integer_of(const boost::json::object& object, std::string_view key,
                        std::int64_t otherwise) {
  const boost::json::value* value = object.if_contains(key);
  const std::int64_t* number = value != nullptr ? value->if_int64() : nullptr;
  return number != nullptr ? *number : otherwise;
}

double number_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  if (value == nullptr) return 0;
  if (const double* number = value->if_double()) return *number;
  if (const std::int64_t* number = value->if_int64()) return static_cast<double>(*number);
  return 0;
}

bool is_true(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  const bool* truth = value != nullptr ? value->if_bool() : nullptr;
  return truth != nullptr && *truth;
}

const boost::json::object* object_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const boost::json::array* array_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

}  // namespace agent_doc::plugins
