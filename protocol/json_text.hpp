// Parsing and serialising JSON for the wire: the depth is bounded, lone surrogates are repaired,
// and the output is acceptable to strict parsers.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::protocol {

/// Maximum nesting depth of a message.
inline constexpr std::size_t kMaxJsonDepth = 256;

/// Parses one JSON text. Invalid UTF-8 is an error. The value owns its memory: copying a part of it
/// keeps nothing else alive.
boost::system::result<boost::json::value> parse_json(std::string_view text);

/// Returns `value` as an integer, or nullopt when it is none. Accepts a fraction of zero (`7.0`),
/// which some Lua encoders write.
std::optional<std::int64_t> whole_number(const boost::json::value& value);

/// Returns valid JSON in valid UTF-8. A number that is not finite becomes null; an ill-formed byte
/// sequence, which a file name can contain, becomes U+FFFD.
std::string serialise_json(const boost::json::value& value);
/// Returns `text` as a JSON string, quotes included.
std::string quote_json(std::string_view text);

}  // namespace agent_doc::protocol
