#include "tests/fakes/wire_check.hpp"

#include "protocol/fields.hpp"
#include "protocol/json_text.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <utility>
#include <variant>

namespace agent_doc::fakes {

namespace json = boost::json;

namespace wire_check_internal {

constexpr std::string_view kExecuteCommand = "workspace/executeCommand";
constexpr std::string_view kOurMethods = "agentDoc/";
constexpr std::string_view kOurCommands = "agentDoc.";
constexpr std::string_view kOfClient = "initialize.params.capabilities.experimental.agentDoc";
constexpr std::string_view kOfServer = "initialize.result.capabilities.experimental.agentDoc";
constexpr std::size_t kMaxShownBody = 2000;

/// What stands at `path` below `value`; null when nothing does.
const json::value& at(const json::value& value, std::initializer_list<std::string_view> path) {
  static const json::value kNull;
  const json::value* place = &value;
  for (const std::string_view name : path) {
    const json::object* object = place->if_object();
    place = object == nullptr ? nullptr : object->if_contains(name);
    if (place == nullptr) return kNull;
  }
  return *place;
}

std::string text_of(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : std::string();
}

json::value error_object(const protocol::Error& error) {
  json::object object{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return object;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

}  // namespace wire_check_internal

using namespace wire_check_internal;  // NOLINT: this file's own names

const JsonSchema& protocol_schema() {
  static const JsonSchema kSchema(json::value(
      protocol::parse_json(tests::read_file(AGENT_DOC_SOURCE_DIR "/protocol/agent-doc.schema.json"))
          .value()));
  return kSchema;
}

void WireCheck::from_client(std::string_view body) {
  body_ = body;
  const protocol::Message message = protocol::parse_message(body);
  if (const auto* request = std::get_if<protocol::Request>(&message))
    return client_request(*request);
  if (const auto* notification = std::get_if<protocol::Notification>(&message)) {
    if (notification->method.starts_with(kOurMethods))
      return problem("no client sends " + notification->method);
    if (notification->method == "window/workDoneProgress/cancel")
      look("window/workDoneProgress/cancel.params", notification->params);
    return;
  }
  const auto* response = std::get_if<protocol::Response>(&message);
  if (response == nullptr || !response->id) return;
  const auto asked = asked_of_client_.find(*response->id);
  if (asked == asked_of_client_.end()) return;
  const auto* result = std::get_if<json::value>(&response->result);
  // What a client answers is its own: a wrong answer is one of the things that tests do.
  if (result != nullptr && protocol_schema().has(asked->second + ".result"))
    look(asked->second + ".result", *result);
  asked_of_client_.erase(asked);
}

void WireCheck::client_request(const protocol::Request& request) {
  if (request.method.starts_with(kOurMethods)) problem("no client asks for " + request.method);
  if (request.method == "initialize") announced(request.params);
  Asked asked =
      request.method == kExecuteCommand ? asked_command(request.params) : Asked{request.method, {}};
  const auto [place, is_new] = asked_.emplace(request.id, std::move(asked));
  if (!is_new) place->second.is_ambiguous = true;
}

WireCheck::Asked WireCheck::asked_command(const json::value& params) {
  Asked asked{std::string(kExecuteCommand), text_of(at(params, {"command"}))};
  const json::array* arguments = at(params, {"arguments"}).if_array();
  asked.names_document =
      arguments != nullptr && !arguments->empty() && at(arguments->front(), {"uri"}).is_string();
  if (!protocol_schema().has(asked.command)) {
    asked.argument_problems.push_back("there is no command " + asked.command);
  } else if (asked.argument_problems = look(asked.command, params);
             asked.argument_problems.empty()) {
    if (arguments != nullptr && !arguments->empty()) seen_.insert(asked.command + ".argument");
  }
  return asked;
}

/// An odd value is never an error, one that nobody knows is a mistake of the test or of the schema.
void WireCheck::announced(const json::value& initialize_params) {
  announced_ = at(initialize_params, {"capabilities", "experimental", "agentDoc"});
  if (announced_.is_null() || look(kOfClient, announced_).empty() || !announced_.is_object())
    return;
  for (const auto& field : announced_.get_object()) {
    const json::value& known = protocol_schema().definition(kOfClient).at("properties");
    if (!known.get_object().contains(field.key()))
      problem("the schema knows no experimental.agentDoc." + std::string(field.key()));
  }
}

void WireCheck::from_server(std::string_view body) {
  body_ = body;
  const protocol::Message message = protocol::parse_message(body);
  if (const auto* request = std::get_if<protocol::Request>(&message)) {
    asked_of_client_.insert_or_assign(request->id, request->method);
    server_says(request->method, request->params);
  } else if (const auto* notification = std::get_if<protocol::Notification>(&message)) {
    server_says(notification->method, notification->params);
  } else if (const auto* response = std::get_if<protocol::Response>(&message)) {
    server_answers(*response);
  }
}

void WireCheck::server_says(std::string_view method, const json::value& params) {
  const std::string definition = std::string(method) + ".params";
  if (!protocol_schema().has(definition))
    return problem("the schema does not know that the server sends " + std::string(method));
  demand(definition, params);
  if (!method.starts_with(kOurMethods)) return;
  demand(method, protocol::parse_json(body_).value());
  if (at(announced_, {method.substr(kOurMethods.size())}) != json::value(true))
    problem(std::string(method) + " was not asked for by the client");
}

void WireCheck::server_answers(const protocol::Response& response) {
  Asked asked;
  if (const auto found = response.id ? asked_.find(*response.id) : asked_.end();
      found != asked_.end()) {
    asked = found->second;
    if (!asked.is_ambiguous) asked_.erase(found);
  }
  if (const auto* error = std::get_if<protocol::Error>(&response.result))
    return refused(asked, *error);
  if (!asked.is_ambiguous) carried_out(asked, std::get<json::value>(response.result));
}

void WireCheck::refused(const Asked& asked, const protocol::Error& error) {
  demand("Error", error_object(error));
  const bool schema_allows = !asked.command.empty() && asked.argument_problems.empty() &&
                             asked.names_document && !asked.is_ambiguous;
  if (schema_allows && error.code == protocol::ErrorCode::InvalidParams)
    problem("the schema allows what the server calls invalid");
}

void WireCheck::carried_out(const Asked& asked, const json::value& result) {
  if (asked.method == "initialize") initialized(result);
  if (asked.command.empty()) return offered_commands(result);
  if (!asked.argument_problems.empty())
    problem("the server took what the schema forbids:" + joined(asked.argument_problems));
  if (protocol_schema().has(asked.command + ".result")) demand(asked.command + ".result", result);
}

void WireCheck::initialized(const json::value& result) {
  demand(kOfServer, at(result, {"capabilities", "experimental", "agentDoc"}));
  const json::array* commands =
      at(result, {"capabilities", "executeCommandProvider", "commands"}).if_array();
  if (commands == nullptr) return problem("the server announces no commands");
  for (const json::value& command : *commands) demand("CommandName", command);
}

void WireCheck::offered_commands(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    for (const json::value& one : *array) offered_commands(one);
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return;
  const std::string command = text_of(at(value, {"command"}));
  if (command.starts_with(kOurCommands)) {
    json::object params = *object;
    params.erase("title");
    return protocol_schema().has(command) ? demand(command, params)
                                          : problem("the schema knows no command " + command);
  }
  for (const auto& field : *object) offered_commands(field.value());
}

std::vector<std::string> WireCheck::look(std::string_view definition, const json::value& value) {
  std::vector<std::string> found = protocol_schema().problems(definition, value);
  if (found.empty()) seen_.emplace(definition);
  return found;
}

void WireCheck::demand(std::string_view definition, const json::value& value) {
  const std::vector<std::string> found = look(definition, value);
  if (!found.empty())
    problem("not what the schema says of " + std::string(definition) + ":" + joined(found));
}

void WireCheck::problem(std::string text) {
  problems_.push_back(std::move(text) + "\n  in " + std::string(body_.substr(0, kMaxShownBody)));
}

std::vector<std::string> WireCheck::take_problems() {
  return std::exchange(problems_, {});
}

}  // namespace agent_doc::fakes
