#include "tests/fakes/json_schema.hpp"

#include "protocol/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <regex>
#include <stdexcept>
#include <utility>

namespace agent_doc::fakes {

namespace json = boost::json;

namespace json_schema_internal {

using Problems = std::vector<std::string>;
constexpr std::string_view kRefPrefix = "#/$defs/";
constexpr std::size_t kMaxShownValue = 120;

// --- the schema itself ---

/// What stands behind a keyword.
enum class Kind { Any, Text, Number, Schema, Schemas, NamedSchemas, Values, Texts, Types };
struct Keyword {
  std::string_view name;
  Kind kind;
};
constexpr std::array kKeywords{
    Keyword{"$schema", Kind::Text},
    Keyword{"$id", Kind::Text},
    Keyword{"title", Kind::Text},
    Keyword{"description", Kind::Text},
    Keyword{"$ref", Kind::Text},
    Keyword{"$defs", Kind::NamedSchemas},
    Keyword{"type", Kind::Types},
    Keyword{"const", Kind::Any},
    Keyword{"enum", Kind::Values},
    Keyword{"pattern", Kind::Text},
    Keyword{"minLength", Kind::Number},
    Keyword{"maxLength", Kind::Number},
    Keyword{"minimum", Kind::Number},
    Keyword{"maximum", Kind::Number},
    Keyword{"properties", Kind::NamedSchemas},
    Keyword{"required", Kind::Texts},
    Keyword{"minProperties", Kind::Number},
    Keyword{"maxProperties", Kind::Number},
    Keyword{"additionalProperties", Kind::Schema},
    Keyword{"items", Kind::Schema},
    Keyword{"minItems", Kind::Number},
    Keyword{"maxItems", Kind::Number},
    Keyword{"oneOf", Kind::Schemas},
    Keyword{"anyOf", Kind::Schemas},
    Keyword{"allOf", Kind::Schemas},
    Keyword{"if", Kind::Schema},
    Keyword{"then", Kind::Schema},
    Keyword{"else", Kind::Schema},
};

constexpr std::array<std::string_view, 7> kTypes{"null",   "boolean", "integer", "number",
                                                 "string", "array",   "object"};

[[noreturn]] void bad_schema(const std::string& place, const std::string& what) {
  throw std::runtime_error("schema " + place + ": " + what);
}

/// The name behind `#/$defs/`, without JSON pointer's escapes.
std::string target_of(std::string_view ref) {
  if (!ref.starts_with(kRefPrefix)) return {};
  ref.remove_prefix(kRefPrefix.size());
  std::string name;
  for (std::size_t i = 0; i < ref.size(); ++i) {
    if (ref[i] == '/') return {};
    if (ref[i] != '~') {
      name += ref[i];
    } else if (++i < ref.size()) {
      name += ref[i] == '1' ? '/' : '~';
    }
  }
  return name;
}

bool is_type_name(const json::value& value) {
  return value.is_string() && std::find(kTypes.begin(), kTypes.end(),
                                        std::string_view(value.get_string())) != kTypes.end();
}

/// Goes through a schema once, so that nothing in it is left for a value to find.
class SchemaCheck {
 public:
  explicit SchemaCheck(const json::value& root) : root_(root) {}

  void schema(const json::value& value, const std::string& place) const {
    if (value.is_bool()) return;
    if (!value.is_object()) bad_schema(place, "is neither an object nor true or false");
    for (const auto& field : value.get_object())
      keyword(field.key(), field.value(), place + "/" + std::string(field.key()));
  }

 private:
  void keyword(std::string_view name, const json::value& value, const std::string& place) const {
    const auto known = std::find_if(kKeywords.begin(), kKeywords.end(),
                                    [&](const Keyword& one) { return one.name == name; });
    if (known == kKeywords.end())
      bad_schema(place, "is a keyword that this validator does not know");
    operand(known->kind, value, place);
    if (name == "$ref") ref(value.get_string(), place);
  }

  void operand(Kind kind, const json::value& value, const std::string& place) const {
    switch (kind) {
      case Kind::Any:
        return;
      case Kind::Text:
        return require(value.is_string(), place, "a string");
      case Kind::Number:
        return require(value.is_int64(), place, "an integer");
      case Kind::Schema:
        return schema(value, place);
      case Kind::Schemas:
      case Kind::Values:
      case Kind::Texts:
        return list(kind, value, place);
      case Kind::NamedSchemas:
        require(value.is_object(), place, "an object");
        for (const auto& field : value.get_object())
          schema(field.value(), place + "/" + std::string(field.key()));
        return;
      case Kind::Types:
        return types(value, place);
    }
  }

  void list(Kind kind, const json::value& value, const std::string& place) const {
    require(value.is_array() && !value.get_array().empty(), place, "an array that is not empty");
    for (const json::value& one : value.get_array()) {
      if (kind == Kind::Schemas) schema(one, place + "/…");
      if (kind == Kind::Texts) require(one.is_string(), place, "an array of strings");
    }
  }

  static void types(const json::value& value, const std::string& place) {
    if (!value.is_array()) return require(is_type_name(value), place, "the name of a type");
    for (const json::value& one : value.get_array())
      require(is_type_name(one), place, "names of types");
  }

  void ref(std::string_view text, const std::string& place) const {
    const json::object* definitions =
        root_.as_object().contains("$defs") ? &root_.at("$defs").as_object() : nullptr;
    const std::string name = target_of(text);
    if (name.empty() || definitions == nullptr || !definitions->contains(name))
      bad_schema(place, "leads nowhere");
  }

  static void require(bool right, const std::string& place, const char* what) {
    if (!right) bad_schema(place, std::string("is not ") + what);
  }

  const json::value& root_;
};

// --- a value ---

std::string shown(const json::value& value) {
  std::string text = protocol::serialise_json(value);
  if (text.size() > kMaxShownValue) text = text.substr(0, kMaxShownValue) + "…";
  return text;
}

bool is_integer(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  return value.is_double() && std::trunc(value.get_double()) == value.get_double();
}

bool has_type(const json::value& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_bool();
  if (type == "integer") return is_integer(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  return value.is_object();
}

/// Code points of well-formed UTF-8.
std::int64_t length_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

class Validation {
 public:
  explicit Validation(const json::object& definitions) : definitions_(definitions) {}

  Problems problems(const json::value& schema, const json::value& value,
                    const std::string& place) const {
    if (schema.is_bool())
      return schema.get_bool() ? Problems{} : Problems{place + ": must not be here"};
    Problems found;
    const json::object& keywords = schema.get_object();
    if (const json::value* ref = keywords.if_contains("$ref")) {
      append(found, problems(definitions_.at(target_of(ref->get_string())), value, place));
    }
    any_value(keywords, value, place, found);
    if (value.is_string()) text(keywords, value.get_string(), place, found);
    if (value.is_number()) number(keywords, value.to_number<double>(), place, found);
    if (value.is_array()) array(keywords, value.get_array(), place, found);
    if (value.is_object()) object(keywords, value.get_object(), place, found);
    combined(keywords, value, place, found);
    return found;
  }

 private:
  static void append(Problems& to, Problems more) { to.insert(to.end(), more.begin(), more.end()); }
  bool fits(const json::value& schema, const json::value& value) const {
    return problems(schema, value, {}).empty();
  }

  static void any_value(const json::object& keywords, const json::value& value,
                        const std::string& place, Problems& found) {
    if (const json::value* type = keywords.if_contains("type")) {
      const auto is_one = [&](const json::value& one) { return has_type(value, one.get_string()); };
      const bool right =
          type->is_array() ? std::any_of(type->get_array().begin(), type->get_array().end(), is_one)
                           : is_one(*type);
      if (!right) found.push_back(place + ": " + shown(value) + " is not of type " + shown(*type));
    }
    if (const json::value* wanted = keywords.if_contains("const");
        wanted != nullptr && *wanted != value) {
      found.push_back(place + ": " + shown(value) + " is not " + shown(*wanted));
    }
    if (const json::value* one_of = keywords.if_contains("enum")) {
      const json::array& all = one_of->get_array();
      if (std::find(all.begin(), all.end(), value) == all.end())
        found.push_back(place + ": " + shown(value) + " is none of " + shown(*one_of));
    }
  }

  static std::optional<std::int64_t> bound(const json::object& keywords, std::string_view name) {
    const json::value* value = keywords.if_contains(name);
    return value == nullptr ? std::nullopt : std::optional(value->get_int64());
  }

  /// `least` and `most` are the names of keywords.
  static void size(const json::object& keywords, std::string_view least, std::string_view most,
                   std::int64_t size, const std::string& place, Problems& found) {
    if (const auto limit = bound(keywords, least); limit && size < *limit) {
      found.push_back(place + ": " + std::to_string(size) + " is less than " + std::string(least) +
                      " " + std::to_string(*limit));
    }
    if (const auto limit = bound(keywords, most); limit && size > *limit) {
      found.push_back(place + ": " + std::to_string(size) + " is more than " + std::string(most) +
                      " " + std::to_string(*limit));
    }
  }

  static void text(const json::object& keywords, std::string_view value, const std::string& place,
                   Problems& found) {
    size(keywords, "minLength", "maxLength", length_of(value), place, found);
    const json::value* pattern = keywords.if_contains("pattern");
    if (pattern == nullptr) return;
    const std::regex expression(std::string(pattern->get_string()), std::regex::ECMAScript);
    if (!std::regex_search(value.begin(), value.end(), expression))
      found.push_back(place + ": does not match " + shown(*pattern));
  }

  static void number(const json::object& keywords, double value, const std::string& place,
                     Problems& found) {
    if (const auto limit = bound(keywords, "minimum"); limit && value < static_cast<double>(*limit))
      found.push_back(place + ": is below the minimum");
    if (const auto limit = bound(keywords, "maximum"); limit && value > static_cast<double>(*limit))
      found.push_back(place + ": is above the maximum");
  }

  void array(const json::object& keywords, const json::array& value, const std::string& place,
             Problems& found) const {
    size(keywords, "minItems", "maxItems", static_cast<std::int64_t>(value.size()), place, found);
    const json::value* items = keywords.if_contains("items");
    for (std::size_t i = 0; items != nullptr && i < value.size(); ++i)
      append(found, problems(*items, value[i], place + "/" + std::to_string(i)));
  }

  void object(const json::object& keywords, const json::object& value, const std::string& place,
              Problems& found) const {
    size(keywords, "minProperties", "maxProperties", static_cast<std::int64_t>(value.size()), place,
         found);
    if (const json::value* required = keywords.if_contains("required")) {
      for (const json::value& name : required->get_array()) {
        if (!value.contains(name.get_string())) found.push_back(place + ": lacks " + shown(name));
      }
    }
    const json::value* properties = keywords.if_contains("properties");
    const json::value* others = keywords.if_contains("additionalProperties");
    for (const auto& field : value) {
      const json::value* schema =
          properties == nullptr ? nullptr : properties->get_object().if_contains(field.key());
      if (schema == nullptr) schema = others;
      if (schema != nullptr)
        append(found, problems(*schema, field.value(), place + "/" + std::string(field.key())));
    }
  }

  void combined(const json::object& keywords, const json::value& value, const std::string& place,
                Problems& found) const {
    if (const json::value* all = keywords.if_contains("allOf")) {
      for (const json::value& one : all->get_array()) append(found, problems(one, value, place));
    }
    if (const json::value* any = keywords.if_contains("anyOf");
        any != nullptr && fitting(*any, value) == 0) {
      found.push_back(place + ": " + shown(value) + " fits nothing of anyOf");
    }
    if (const json::value* one = keywords.if_contains("oneOf");
        one != nullptr && fitting(*one, value) != 1) {
      found.push_back(place + ": " + shown(value) + " fits " +
                      std::to_string(fitting(*one, value)) + " of oneOf");
    }
    if (const json::value* condition = keywords.if_contains("if")) {
      const json::value* consequence =
          keywords.if_contains(fits(*condition, value) ? "then" : "else");
      if (consequence != nullptr) append(found, problems(*consequence, value, place));
    }
  }

  std::size_t fitting(const json::value& schemas, const json::value& value) const {
    const json::array& all = schemas.get_array();
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [&](const json::value& one) { return fits(one, value); }));
  }

  const json::object& definitions_;
};

}  // namespace json_schema_internal

JsonSchema::JsonSchema(json::value schema) : schema_(std::move(schema)) {
  if (!schema_.is_object() || !schema_.get_object().contains("$defs"))
    json_schema_internal::bad_schema("", "has no $defs");
  json_schema_internal::SchemaCheck(schema_).schema(schema_, "");
}

std::vector<std::string> JsonSchema::definitions() const {
  std::vector<std::string> names;
  for (const auto& field : schema_.at("$defs").as_object()) names.emplace_back(field.key());
  return names;
}

bool JsonSchema::has(std::string_view definition) const {
  return schema_.at("$defs").as_object().contains(definition);
}

const json::value& JsonSchema::definition(std::string_view definition) const {
  return schema_.at("$defs").as_object().at(definition);
}

std::vector<std::string> JsonSchema::problems(std::string_view definition,
                                              const json::value& value) const {
  const json_schema_internal::Validation validation(schema_.at("$defs").as_object());
  return validation.problems(this->definition(definition), value, {});
}

}  // namespace agent_doc::fakes
