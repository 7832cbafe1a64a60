// Reads a line of an agent's output as JSON objects: usually one, sometimes several, sometimes
// after an SSE prefix `data:`. Repairs the lone surrogates that JavaScript programs write when they
// cut a string. Use one for each agent process.
#pragma once

#include <boost/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// JSON nested deeper than this is malformed.
inline constexpr std::size_t kMaxJsonDepth = 256;

class JsonLine {
 public:
  JsonLine() = default;
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;

  void begin(std::string_view line);
  /// Returns the next object of the line, or null at its end or where it is malformed. The object
  /// is valid until the next call.
  const boost::json::object* next();
  /// Returns the part that could not be parsed; empty when everything was.
  std::string_view malformed() const { return rest_; }

 private:
  bool parse();
  void drop_value();

  std::array<unsigned char, 64 * 1024> buffer_;
  std::optional<boost::json::monotonic_resource> memory_;
  std::optional<boost::json::value> value_;  ///< allocated in memory_
  std::string_view rest_;
  std::string repaired_;
  bool is_repaired_ = false;
};

// --- fields of an object; a field of another type counts as missing ---

std::string_view string_of(const boost::json::object& object, std::string_view key);
std::int64_t integer_of(const boost::json::object& object, std::string_view key,
                        std::int64_t otherwise);
double number_of(const boost::json::object& object, std::string_view key);
bool is_true(const boost::json::object& object, std::string_view key);
const boost::json::object* object_of(const boost::json::object& object, std::string_view key);
const boost::json::array* array_of(const boost::json::object& object, std::string_view key);

}  // namespace agent_doc::plugins
