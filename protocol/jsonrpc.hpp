// What it is: JSON-RPC 2.0 messages: ids, errors, and one classification of whatever came in.
// What it is not: it keeps no pending requests (endpoint.hpp), knows no method.
// Thread rule: plain values and pure functions.
#pragma once

#include "protocol/json_text.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::protocol {

/// Integer or string; echoed as it came.
using Id = std::variant<std::int64_t, std::string>;
inline constexpr std::size_t kMaxIdBytes = 1024;

/// Nothing for null, a fraction, a number beyond 64 bits, a string longer than kMaxIdBytes. `7.0`
/// is 7.
std::optional<Id> read_id(const boost::json::value& value);
/// As it stands in JSON.
std::string to_json(const Id& id);

enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,  // LSP
  RequestCancelled = -32800,      // LSP
  ContentModified = -32801,       // LSP
  RequestFailed = -32803,         // LSP
};

struct Error {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;
  boost::json::value data;  ///< null: left out
};

struct Request {
  Id id;
  std::string method;
  boost::json::value params;
};
struct Notification {
  std::string method;
  boost::json::value params;
};
struct Response {
  std::optional<Id> id;  ///< nothing: "id": null, the other side could not read our id
  std::variant<boost::json::value, Error> result;
};
/// Not a message that can be handled: answer it with `error`, under `id` if one could be read, else
/// under null. It may also have been meant as a response to the request `id` of ours.
struct Invalid {
  std::optional<Id> id;
  Error error;
};
using Message = std::variant<Request, Notification, Response, Invalid>;

/// Never fails: bad JSON, a batch, a wrong "jsonrpc" are Invalid.
Message parse_message(std::string_view body);

/// Null params are left out.
std::string serialise_request(const Id& id, std::string_view method,
                              const boost::json::value& params);
std::string serialise_notification(std::string_view method, const boost::json::value& params);
std::string serialise_result(const Id& id, const boost::json::value& result);
std::string serialise_error(const std::optional<Id>& id, const Error& error);

}  // namespace agent_doc::protocol
