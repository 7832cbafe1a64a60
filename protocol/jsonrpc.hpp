// JSON-RPC 2.0 messages: ids, errors, and the classification of an incoming body. Pending requests
// are kept by endpoint.hpp.
#pragma once

#include "protocol/json_text.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::protocol {

/// An integer or a string, echoed unchanged.
using Id = std::variant<std::int64_t, std::string>;
inline constexpr std::size_t kMaxIdBytes = 1024;

/// Returns the id, or nullopt for null, a fraction, a number beyond 64 bits, or a string longer
/// than kMaxIdBytes. `7.0` is 7.
std::optional<Id> read_id(const boost::json::value& value);
/// Returns `id` as JSON text.
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
  boost::json::value data;  ///< omitted when null
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
  std::optional<Id> id;  ///< absent for `"id": null`: the other side could not read our id
  std::variant<boost::json::value, Error> result;
};
/// A body that is no valid message. Answer it with `error`, under `id` if there is one, else under
/// null. It may be a malformed response to the request `id` of ours.
struct Invalid {
  std::optional<Id> id;
  Error error;
};
using Message = std::variant<Request, Notification, Response, Invalid>;

/// Classifies `body`. Never fails: malformed JSON, a batch or a wrong "jsonrpc" give Invalid.
Message parse_message(std::string_view body);

/// Omits `params` when they are null.
std::string serialise_request(const Id& id, std::string_view method,
                              const boost::json::value& params);
std::string serialise_notification(std::string_view method, const boost::json::value& params);
std::string serialise_result(const Id& id, const boost::json::value& result);
std::string serialise_error(const std::optional<Id>& id, const Error& error);

}  // namespace agent_doc::protocol
