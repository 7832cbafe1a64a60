// What it is: a typed reader of the params of one message. Every reader knows the whole path of
// what it reads, so that a wrong field is answered with -32602 `params.textDocument.uri: expected a
// string`.
// What it is not: a schema. Unknown fields are ignored; what a value means is the handler's
// business.
// Thread rule: plain values. A Fields refers to the JSON it was made of and must not outlive it;
// string() and the other readers return copies.
//
//   Fields params(value, "params");
//   std::string uri = params.object("textDocument").string("uri");
//   std::optional<std::int64_t> version = params.optional_integer("version");
//   for (const Fields& change : params.objects("contentChanges")) apply(change.view("text"));
#pragma once

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::protocol {

struct Error;

/// Thrown by the readers below inside a handler; the endpoint turns it into InvalidParams.
class InvalidField {
 public:
  InvalidField(std::string path, std::string expected);
  const std::string& path() const { return path_; }
  /// `PATH: expected WHAT`
  std::string message() const;
  Error to_error() const;

 private:
  std::string path_;
  std::string expected_;
};

/// Inclusive bounds of an integer field.
struct IntegerRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
/// LSP's `uinteger`.
inline constexpr IntegerRange kUnsignedRange{0, 2'147'483'647};

/// Reads the fields of one JSON object. An optional reader takes a field that is absent or null for
/// nothing; anything else of the wrong type throws.
class Fields {
 public:
  /// Throws when `value` is not an object.
  Fields(const boost::json::value& value, std::string path);

  const std::string& path() const { return path_; }
  bool has(std::string_view name) const;

  std::string string(std::string_view name) const;
  std::optional<std::string> optional_string(std::string_view name) const;
  /// A string without a copy, for whole documents.
  std::string_view view(std::string_view name) const;

  /// A number without a fraction; `3.0` is 3.
  std::int64_t integer(std::string_view name, IntegerRange range = {}) const;
  std::optional<std::int64_t> optional_integer(std::string_view name,
                                               IntegerRange range = {}) const;

  bool boolean(std::string_view name) const;
  std::optional<bool> optional_boolean(std::string_view name) const;

  Fields object(std::string_view name) const;
  std::optional<Fields> optional_object(std::string_view name) const;

  const boost::json::array& array(std::string_view name) const;
  const boost::json::array* optional_array(std::string_view name) const;
  /// An array of objects: `params.contentChanges[0]`, ...
  std::vector<Fields> objects(std::string_view name) const;
  std::vector<std::string> strings(std::string_view name) const;

  /// Any value, also null; for what is only passed on, such as a progress token.
  const boost::json::value& any(std::string_view name) const;
  /// Null when absent.
  const boost::json::value* find(std::string_view name) const;

  /// For a handler's own checks: `throw params.invalid("uri", "a file URI")`.
  InvalidField invalid(std::string_view name, std::string expected) const;

 private:
  std::string path_of(std::string_view name) const;
  /// The field, or null when it is absent or null.
  const boost::json::value* present(std::string_view name) const;

  const boost::json::object* object_;
  std::string path_;
};

}  // namespace agent_doc::protocol
