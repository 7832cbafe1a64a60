#include "plugins/json_rpc_lines.hpp"

#include <utility>

namespace agent_doc::plugins {
namespace {

std::optional<RpcId> id_of(const boost::json::object& message) {
  const boost::json::value* id = message.if_contains("id");
  if (id == nullptr) return std::nullopt;
  if (const std::int64_t* number = id->if_int64()) return RpcId(*number);
  if (const boost::json::string* text = id->if_string();
      text != nullptr && text->size() <= kMaxRpcName) {
    return RpcId(std::string(text->data(), text->size()));
  }
  return std::nullopt;
}

boost::json::value json_of(const RpcId& id) {
  if (const std::int64_t* number = std::get_if<std::int64_t>(&id)) return *number;
  return boost::json::value(std::get<std::string>(id));
}

const boost::json::object& params_of(const boost::json::object& message) {
  static const boost::json::object kNone;
  const boost::json::object* params = object_of(message, "params");
  return params != nullptr ? *params : kNone;
}

RpcError error_of(const boost::json::value& error) {
  const boost::json::object* object = error.if_object();
  if (object == nullptr) return {0, "an error that says nothing", nullptr};
  return {integer_of(*object, "code", 0), string_of(*object, "message"),
          object->if_contains("data")};
}

}  // namespace

std::int64_t JsonRpcLines::request(std::string_view method, boost::json::object params,
                                   Actions& actions) {
  pending_.emplace(++last_id_, method);
  boost::json::object message{{"id", last_id_}, {"method", method}};
  message["params"] = std::move(params);
  send(std::move(message), actions);
  return last_id_;
}

void JsonRpcLines::notify(std::string_view method, boost::json::object params, Actions& actions) {
  boost::json::object message{{"method", method}};
  if (!params.empty()) message["params"] = std::move(params);
  send(std::move(message), actions);
}

void JsonRpcLines::answer(const RpcId& id, boost::json::value result, Actions& actions) {
  boost::json::object message;
  message["id"] = json_of(id);
  message["result"] = std::move(result);
  send(std::move(message), actions);
}

void JsonRpcLines::refuse(const RpcId& id, std::int64_t code, std::string_view text,
                          Actions& actions) {
  boost::json::object message;
  message["id"] = json_of(id);
  message["error"] = boost::json::object{{"code", code}, {"message", text}};
  send(std::move(message), actions);
}

void JsonRpcLines::refuse_unknown(const RpcRequest& request, Actions& actions) {
  refuse(request.id, kRpcMethodNotFound,
         "agent-doc does not know the method \"" + std::string(request.method) + "\"", actions);
}

void JsonRpcLines::send(boost::json::object message, Actions& actions) const {
  if (version_ == Version::Omitted) return actions.write_line(boost::json::serialize(message));
  boost::json::object versioned{{"jsonrpc", "2.0"}};
  for (auto& field : message) versioned[field.key()] = std::move(field.value());
  actions.write_line(boost::json::serialize(versioned));
}

void JsonRpcLines::deliver(std::string_view line, RpcReceiver& receiver, Actions& actions) {
  json_.begin(line);
  while (const boost::json::object* message = json_.next())
    deliver_message(*message, receiver, actions);
  if (!json_.malformed().empty()) actions.emit(Malformed{json_.malformed()});
}

void JsonRpcLines::deliver_message(const boost::json::object& message, RpcReceiver& receiver,
                                   Actions& actions) {
  const std::string_view method = string_of(message, "method");
  if (method.empty() && message.contains("id")) return deliver_answer(message, receiver, actions);
  if (method.empty() || method.size() > kMaxRpcName)
    return actions.emit(Unrecognised{"(no method)"});
  const boost::json::object& params = params_of(message);
  if (!message.contains("id")) return receiver.on_notification({method, params}, actions);
  std::optional<RpcId> id = id_of(message);
  if (!id) return actions.emit(Unrecognised{"(request without a usable id)"});
  receiver.on_request({std::move(*id), method, params}, actions);
}

void JsonRpcLines::deliver_answer(const boost::json::object& message, RpcReceiver& receiver,
                                  Actions& actions) {
  static const boost::json::value kNull;
  const auto pending = pending_.find(integer_of(message, "id", 0));
  if (pending == pending_.end()) return actions.emit(Unrecognised{"(answer to no request)"});
  const std::string method = std::move(pending->second);
  RpcAnswer answer{pending->first, method, nullptr, {}};
  pending_.erase(pending);
  if (const boost::json::value* error = message.if_contains("error");
      error != nullptr && !error->is_null()) {
    answer.error = error_of(*error);
  } else {
    const boost::json::value* result = message.if_contains("result");
    answer.result = result != nullptr ? result : &kNull;
  }
  receiver.on_answer(answer, actions);
}

}  // namespace agent_doc::plugins
