#include "protocol/fields.hpp"

#include "protocol/json_text.hpp"
#include "protocol/jsonrpc.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace agent_doc::protocol {
namespace {

std::string describe(IntegerRange range) {
  constexpr IntegerRange any;
  if (range.least == any.least && range.most == any.most) return "an integer";
  if (range.most == any.most) return "an integer of at least " + std::to_string(range.least);
  if (range.least == any.least) return "an integer of at most " + std::to_string(range.most);
  return "an integer from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

std::string indexed(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

}  // namespace

InvalidField::InvalidField(std::string path, std::string expected)
    : path_(std::move(path)), expected_(std::move(expected)) {}

std::string InvalidField::message() const {
  return path_ + ": expected " + expected_;
}

Error InvalidField::to_error() const {
  return Error{ErrorCode::InvalidParams, message(), {}};
}

Fields::Fields(const boost::json::value& value, std::string path)
    : object_(value.if_object()), path_(std::move(path)) {
  if (object_ == nullptr) throw InvalidField(path_, "an object");
}

bool Fields::has(std::string_view name) const {
  return present(name) != nullptr;
}

std::string Fields::string(std::string_view name) const {
  return std::string(view(name));
}

std::optional<std::string> Fields::optional_string(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return string(name);
}

std::string_view Fields::view(std::string_view name) const {
  const boost::json::value* value = present(name);
  if (value == nullptr || !value->is_string()) throw invalid(name, "a string");
  return value->get_string();
}

std::int64_t Fields::integer(std::string_view name, IntegerRange range) const {
  const boost::json::value* value = present(name);
  const auto number = value == nullptr ? std::nullopt : whole_number(*value);
  if (!number || *number < range.least || *number > range.most)
    throw invalid(name, describe(range));
  return *number;
}

std::optional<std::int64_t> Fields::optional_integer(std::string_view name,
                                                     IntegerRange range) const {
  if (!has(name)) return std::nullopt;
  return integer(name, range);
}

bool Fields::boolean(std::string_view name) const {
  const boost::json::value* value = present(name);
  if (value == nullptr || !value->is_bool()) throw invalid(name, "true or false");
  return value->get_bool();
}

std::optional<bool> Fields::optional_boolean(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return boolean(name);
}

Fields Fields::object(std::string_view name) const {
  const boost::json::value* value = present(name);
  if (value == nullptr) throw invalid(name, "an object");
  return Fields(*value, path_of(name));
}

std::optional<Fields> Fields::optional_object(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return object(name);
}

const boost::json::array& Fields::array(std::string_view name) const {
  const boost::json::array* elements = optional_array(name);
  if (elements == nullptr) throw invalid(name, "an array");
  return *elements;
}

const boost::json::array* Fields::optional_array(std::string_view name) const {
  const boost::json::value* value = present(name);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) throw invalid(name, "an array");
  return value->if_array();
}

std::vector<Fields> Fields::objects(std::string_view name) const {
  const boost::json::array& elements = array(name);
  const std::string path = path_of(name);
  std::vector<Fields> read;
  read.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i)
    read.emplace_back(elements[i], indexed(path, i));
  return read;
}

std::vector<std::string> Fields::strings(std::string_view name) const {
  const boost::json::array& elements = array(name);
  std::vector<std::string> read;
  read.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i].is_string()) throw InvalidField(indexed(path_of(name), i), "a string");
    read.emplace_back(elements[i].get_string());
  }
  return read;
}

const boost::json::value& Fields::any(std::string_view name) const {
  const boost::json::value* value = find(name);
  if (value == nullptr) throw invalid(name, "a value");
  return *value;
}

const boost::json::value* Fields::find(std::string_view name) const {
  return object_->if_contains(name);
}

InvalidField Fields::invalid(std::string_view name, std::string expected) const {
  return InvalidField(path_of(name), std::move(expected));
}

std::string Fields::path_of(std::string_view name) const {
  std::string path = path_;
  path.push_back('.');
  path.append(name);
  return path;
}

const boost::json::value* Fields::present(std::string_view name) const {
  const boost::json::value* value = find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace agent_doc::protocol
