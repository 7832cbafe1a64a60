#include "protocol/jsonrpc.hpp"

#include <boost/json/object.hpp>

#include <utility>

namespace agent_doc::protocol {
namespace {

namespace json = boost::json;

Invalid invalid_request(std::optional<Id> id, std::string message) {
  return Invalid{std::move(id), Error{ErrorCode::InvalidRequest, std::move(message), {}}};
}

ErrorCode read_code(const json::value* code) {
  if (code == nullptr) return ErrorCode::InternalError;
  boost::system::error_code inexact;
  const int number = code->to_number<int>(inexact);
  return inexact ? ErrorCode::InternalError : static_cast<ErrorCode>(number);
}

/// Accepts any shape, because whoever waits for this response must get an error.
Error read_error(json::value& value) {
  json::object* object = value.if_object();
  if (object == nullptr)
    return Error{ErrorCode::InternalError, "the answer is an error that is not an object",
                 std::move(value)};
  Error error;
  error.code = read_code(object->if_contains("code"));
  if (const json::value* message = object->if_contains("message");
      message != nullptr && message->is_string())
    error.message = message->get_string();
  if (json::value* data = object->if_contains("data")) error.data = std::move(*data);
  return error;
}

Message read_call(json::object& object, json::value& method, const json::value* id) {
  std::optional<Id> readable = id == nullptr ? std::nullopt : read_id(*id);
  if (id != nullptr && !readable)
    return invalid_request(std::nullopt, "the id must be an integer or a string");
  if (!method.is_string())
    return invalid_request(std::move(readable), "the method must be a string");
  json::value params;
  if (json::value* given = object.if_contains("params")) params = std::move(*given);
  if (!params.is_null() && !params.is_structured())
    return invalid_request(std::move(readable), "the params must be an object or an array");
  std::string name(method.get_string());
  if (readable) return Request{std::move(*readable), std::move(name), std::move(params)};
  return Notification{std::move(name), std::move(params)};
}

Message read_response(json::object& object, const json::value* id) {
  json::value* result = object.if_contains("result");
  json::value* error = object.if_contains("error");
  const bool failed = error != nullptr && !error->is_null();
  std::optional<Id> readable = id == nullptr ? std::nullopt : read_id(*id);
  if (!failed && result == nullptr)
    return invalid_request(std::move(readable),
                           "the message has no method, no result and no error");
  if (id == nullptr) return invalid_request(std::nullopt, "the response has no id");
  if (!readable && !id->is_null())
    return invalid_request(std::nullopt, "the id must be an integer or a string");
  if (failed) return Response{std::move(readable), read_error(*error)};
  return Response{std::move(readable), std::move(*result)};
}

std::string envelope(std::string_view fields) {
  std::string text = R"({"jsonrpc":"2.0",)";
  text.append(fields);
  text.push_back('}');
  return text;
}

std::string call_fields(std::string_view method, const json::value& params) {
  std::string fields = R"("method":)" + quote_json(method);
  if (!params.is_null()) fields.append(R"(,"params":)").append(serialise_json(params));
  return fields;
}

}  // namespace

std::optional<Id> read_id(const boost::json::value& value) {
  if (const auto* text = value.if_string()) {
    if (text->size() > kMaxIdBytes) return std::nullopt;
    return Id(std::string(*text));
  }
  if (const auto number = whole_number(value)) return Id(*number);
  return std::nullopt;
}

std::string to_json(const Id& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
  return quote_json(std::get<std::string>(id));
}

Message parse_message(std::string_view body) {
  auto parsed = parse_json(body);
  if (!parsed)
    return Invalid{std::nullopt, Error{ErrorCode::ParseError,
                                       "the message is not valid JSON: " + parsed.error().message(),
                                       {}}};
  if (parsed->is_array())
    return invalid_request(std::nullopt,
                           "batches are not supported: send every message on its own");
  boost::json::object* object = parsed->if_object();
  if (object == nullptr) return invalid_request(std::nullopt, "the message is not a JSON object");

  const boost::json::value* id = object->if_contains("id");
  const boost::json::value* version = object->if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0")
    return invalid_request(id == nullptr ? std::nullopt : read_id(*id),
                           R"("jsonrpc" must be "2.0")");
  if (boost::json::value* method = object->if_contains("method"))
    return read_call(*object, *method, id);
  return read_response(*object, id);
}

std::string serialise_request(const Id& id, std::string_view method,
                              const boost::json::value& params) {
  return envelope(R"("id":)" + to_json(id) + "," + call_fields(method, params));
}

std::string serialise_notification(std::string_view method, const boost::json::value& params) {
  return envelope(call_fields(method, params));
}

std::string serialise_result(const Id& id, const boost::json::value& result) {
  return envelope(R"("id":)" + to_json(id) + R"(,"result":)" + serialise_json(result));
}

std::string serialise_error(const std::optional<Id>& id, const Error& error) {
  std::string fields = R"("id":)" + (id ? to_json(*id) : std::string("null"));
  fields.append(R"(,"error":{"code":)").append(std::to_string(static_cast<int>(error.code)));
  fields.append(R"(,"message":)").append(quote_json(error.message));
  if (!error.data.is_null()) fields.append(R"(,"data":)").append(serialise_json(error.data));
  fields.push_back('}');
  return envelope(fields);
}

}  // namespace agent_doc::protocol
