// Typed access to the params of one message. Each reader knows the full path of what it reads, so
// that a bad field is answered with -32602 `params.textDocument.uri: expected a string`. Unknown
// fields are ignored. A Fields refers to the JSON it was made from and must not outlive it.
//
//     Fields params(value, "params");
//     std::string uri = params.object("textDocument").string("uri");
//     std::optional<std::int64_t> version = params.optional_integer("version");
//     for (const Fields& change : params.objects("contentChanges")) apply(change.view("text"));
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

/// Thrown by the readers below when a field is bad; the endpoint turns it into InvalidParams.
class InvalidField {
 public:
  InvalidField(std::string path, std::string expected);
  const std::string& path() const { return path_; }
  /// Returns `PATH: expected WHAT`.
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

/// Reads the fields of one JSON object. The optional readers return nullopt for a field that is
/// absent or null. Every other type mismatch throws InvalidField.
class Fields {
 public:
  /// Throws InvalidField when `value` is not an object.
  Fields(const boost::json::value& value, std::string path);

  const std::string& path() const { return path_; }
  bool has(std::string_view name) const;

  std::string string(std::string_view name) const;
  std::optional<std::string> optional_string(std::string_view name) const;
  /// Returns a string without copying it, for whole documents.
  std::string_view view(std::string_view name) const;

  /// Returns an integer. A number with a zero fraction counts as one: `3.0` is 3.
  std::int64_t integer(std::string_view name, IntegerRange range = {}) const;
  std::optional<std::int64_t> optional_integer(std::string_view name,
                                               IntegerRange range = {}) const;

  bool boolean(std::string_view name) const;
  std::optional<bool> optional_boolean(std::string_view name) const;

  Fields object(std::string_view name) const;
  std::optional<Fields> optional_object(std::string_view name) const;

  const boost::json::array& array(std::string_view name) const;
  const boost::json::array* optional_array(std::string_view name) const;
  /// Returns an array of objects, whose paths are `params.contentChanges[0]`, …
  std::vector<Fields> objects(std::string_view name) const;
  std::vector<std::string> strings(std::string_view name) const;

  /// Returns any value, null included. For values that are only passed on, such as progress tokens.
  const boost::json::value& any(std::string_view name) const;
  /// Returns null when the field is absent.
  const boost::json::value* find(std::string_view name) const;

  /// Returns the error for a handler's own checks: `throw params.invalid("uri", "a file URI")`.
  InvalidField invalid(std::string_view name, std::string expected) const;

 private:
  std::string path_of(std::string_view name) const;
  /// Returns the field, or null when it is absent or null.
  const boost::json::value* present(std::string_view name) const;

  const boost::json::object* object_;
  std::string path_;
};

}  // namespace agent_doc::protocol
