#include "protocol/json_text.hpp"

#include "protocol/json_repair.hpp"
#include "server/text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/serialize.hpp>

#include <cmath>

namespace agent_doc::protocol {
namespace {

namespace json = boost::json;

/// Working memory of the parser, on the stack; only the result is allocated. A shared arena per
/// message would parse faster, but whoever keeps a part would keep the whole message alive.
constexpr std::size_t kParserStackBytes = 4096;

/// Every integer up to this one (2^53) is exact as a double.
constexpr double kMaxExactInteger = 9007199254740992.0;

boost::system::result<json::value> parse_once(std::string_view text) {
  unsigned char stack[kParserStackBytes];
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::parser parser({}, options, stack);
  boost::system::error_code problem;
  parser.write(text.data(), text.size(), problem);
  if (problem) return problem;
  return parser.release();
}

bool all_finite(const json::value& value) {
  if (const double* number = value.if_double()) return std::isfinite(*number);
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array)
      if (!all_finite(element)) return false;
  } else if (const json::object* object = value.if_object()) {
    for (const auto& field : *object)
      if (!all_finite(field.value())) return false;
  }
  return true;
}

void null_what_is_not_finite(json::value& value) {
  if (const double* number = value.if_double()) {
    if (!std::isfinite(*number)) value = nullptr;
  } else if (json::array* array = value.if_array()) {
    for (json::value& element : *array) null_what_is_not_finite(element);
  } else if (json::object* object = value.if_object()) {
    for (auto& field : *object) null_what_is_not_finite(field.value());
  }
}

std::string in_valid_utf8(std::string text) {
  if (text::is_valid_utf8(text)) return text;
  return text::repair_utf8(text).text;
}

}  // namespace

boost::system::result<boost::json::value> parse_json(std::string_view text) {
  auto parsed = parse_once(text);
  if (parsed || parsed.error() == boost::json::error::too_deep) return parsed;
  const std::string repaired = repair_lone_surrogates(text);
  if (repaired == text) return parsed;
  return parse_once(repaired);
}

std::optional<std::int64_t> whole_number(const boost::json::value& value) {
  if (const auto* integer = value.if_int64()) return *integer;
  if (const auto* number = value.if_double()) {
    if (std::trunc(*number) == *number && std::abs(*number) <= kMaxExactInteger)
      return static_cast<std::int64_t>(*number);
  }
  return std::nullopt;
}

std::string serialise_json(const boost::json::value& value) {
  if (all_finite(value)) return in_valid_utf8(boost::json::serialize(value));
  boost::json::value finite = value;
  null_what_is_not_finite(finite);
  return in_valid_utf8(boost::json::serialize(finite));
}

std::string quote_json(std::string_view text) {
  return in_valid_utf8(boost::json::serialize(boost::json::string_view(text)));
}

}  // namespace agent_doc::protocol
