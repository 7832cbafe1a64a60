// What it is: JSON text <-> values as the wire needs it: bounded depth, lone surrogates mended, and
// nothing goes out that a strict reader would refuse.
// What it is not: it knows no messages (jsonrpc.hpp).
// Thread rule: pure functions.
#pragma once

#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::protocol {

/// Depth of JSON in one message.
inline constexpr std::size_t kMaxJsonDepth = 256;

/// One JSON text. Invalid UTF-8 is refused. The value owns its memory: copies of a part of it keep
/// nothing else alive.
boost::system::result<boost::json::value> parse_json(std::string_view text);

/// The integer that `value` is; also one that was written with a fraction of zero, as some Lua
/// encoders do (`7.0`).
std::optional<std::int64_t> whole_number(const boost::json::value& value);

/// Always valid JSON in valid UTF-8: a number that is not finite becomes null, a broken byte
/// sequence (a file name may hold one) becomes U+FFFD.
std::string serialise_json(const boost::json::value& value);
/// `text` as a JSON string, with its quotes.
std::string quote_json(std::string_view text);

}  // namespace agent_doc::protocol
