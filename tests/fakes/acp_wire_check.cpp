#include "tests/fakes/acp_wire_check.hpp"

#include "tests/fakes/json_schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

namespace agent_doc::fakes {

namespace json = boost::json;

namespace acp_wire_check_internal {

constexpr std::string_view kRef = "#/$defs/";

json::value read(const std::string& name) {
  const std::string path = AGENT_DOC_TEST_DATA "/schemas/acp/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("there is no schema " + path);
  std::stringstream text;
  text << file.rdbuf();
  return json::parse(text.str());
}

/// Keywords that judge nothing.
bool is_annotation(std::string_view keyword) {
  return keyword.starts_with("x-") || keyword == "format" || keyword == "default" ||
         keyword == "discriminator";
}

enum class Level { Schema, NamedSchemas };

/// `schema` without annotations. The names of properties and definitions are no keywords.
json::value without_annotations(const json::value& schema, Level level) {
  if (const json::array* list = schema.if_array()) {
    json::array result;
    for (const json::value& one : *list) result.push_back(without_annotations(one, Level::Schema));
    return result;
  }
  const json::object* object = schema.if_object();
  if (object == nullptr) return schema;
  json::object result;
  for (const auto& [name, value] : *object) {
    if (level == Level::Schema && is_annotation(name)) continue;
    const bool names = level == Level::Schema && (name == "properties" || name == "$defs");
    result[name] = without_annotations(value, names ? Level::NamedSchemas : Level::Schema);
  }
  return result;
}

/// The definitions that `schema` refers to; of those that stand beside `properties`, which add
/// fields to them, into `open`, too.
void find_references(const json::value& schema, std::set<std::string>& all,
                     std::set<std::string>& open, bool beside_properties) {
  if (const json::array* list = schema.if_array()) {
    for (const json::value& one : *list) find_references(one, all, open, beside_properties);
  }
  const json::object* object = schema.if_object();
  if (object == nullptr) return;
  const json::value* ref = object->if_contains("$ref");
  if (ref != nullptr && ref->is_string()) {
    const std::string name(std::string_view(ref->get_string()).substr(kRef.size()));
    all.insert(name);
    if (beside_properties) open.insert(name);
  }
  for (const auto& [name, value] : *object) {
    const bool combines = name == "allOf" || name == "anyOf" || name == "oneOf";
    find_references(value, all, open,
                    combines && (beside_properties || object->contains("properties")));
  }
}

/// What a line of ours may be, by its method.
struct Rule {
  std::string_view method;
  std::string_view definition;
};
constexpr std::array kRequests{
    Rule{"initialize", "InitializeRequest"},
    Rule{"authenticate", "AuthenticateRequest"},
    Rule{"session/new", "NewSessionRequest"},
    Rule{"session/load", "LoadSessionRequest"},
    Rule{"session/resume", "ResumeSessionRequest"},
    Rule{"session/fork", "ForkSessionRequest"},
    Rule{"session/list", "ListSessionsRequest"},
    Rule{"session/close", "CloseSessionRequest"},
    Rule{"session/set_mode", "SetSessionModeRequest"},
    Rule{"session/set_model", "SetSessionModelRequest"},
    Rule{"session/set_config_option", "SetSessionConfigOptionRequest"},
    Rule{"session/prompt", "PromptRequest"},
};
constexpr std::array kNotifications{Rule{"session/cancel", "CancelNotification"}};
constexpr std::array kAnswers{
    Rule{"fs/read_text_file", "ReadTextFileResponse"},
    Rule{"fs/write_text_file", "WriteTextFileResponse"},
    Rule{"session/request_permission", "RequestPermissionResponse"},
};

template <std::size_t kCount>
std::string_view definition_of(const std::array<Rule, kCount>& rules, std::string_view method) {
  for (const Rule& rule : rules) {
    if (rule.method == method) return rule.definition;
  }
  return {};
}

/// The definitions of all rules and what they refer to. Objects that nothing adds fields to take no
/// other fields: a misspelt one would count as left out.
json::value closed_schema() {
  json::object all =
      without_annotations(read("schema.json"), Level::Schema).at("$defs").as_object();
  const json::value beside = without_annotations(read("beside.json"), Level::Schema);
  for (const auto& [name, definition] : beside.at("$defs").as_object()) all[name] = definition;
  std::set<std::string> wanted = {"RequestId", "Error"};
  for (const Rule& rule : kRequests) wanted.emplace(rule.definition);
  for (const Rule& rule : kNotifications) wanted.emplace(rule.definition);
  for (const Rule& rule : kAnswers) wanted.emplace(rule.definition);
  std::set<std::string> open;
  for (std::size_t before = 0; before != wanted.size();) {
    before = wanted.size();
    for (const std::string& name : std::set<std::string>(wanted))
      find_references(all.at(name), wanted, open, false);
  }
  json::object definitions;
  for (const std::string& name : wanted) {
    json::value definition = all.at(name);
    json::object& keywords = definition.as_object();
    if (keywords.contains("properties") && !keywords.contains("additionalProperties") &&
        !open.contains(name)) {
      const bool combined =
          keywords.contains("allOf") || keywords.contains("anyOf") || keywords.contains("oneOf");
      if (!combined) keywords["additionalProperties"] = false;
    }
    definitions[name] = std::move(definition);
  }
  return json::object{{"$defs", std::move(definitions)}};
}

const JsonSchema& acp_schema() {
  static const JsonSchema schema(closed_schema());
  return schema;
}

json::value parsed(std::string_view line) {
  boost::system::error_code error;
  json::value value = json::parse({line.data(), line.size()}, error);
  return error ? json::value() : value;
}

std::string method_of(const json::object& line) {
  const json::value* method = line.if_contains("method");
  return method != nullptr && method->is_string() ? std::string(method->get_string())
                                                  : std::string();
}

}  // namespace acp_wire_check_internal

void AcpWireCheck::from_agent(std::string_view line) {
  const json::value value = acp_wire_check_internal::parsed(line);
  const json::object* object = value.if_object();
  if (object == nullptr || !object->contains("id")) return;
  const std::string method = acp_wire_check_internal::method_of(*object);
  if (!method.empty()) asked_[json::serialize(object->at("id"))] = method;
}

std::vector<std::string> AcpWireCheck::from_client(std::string_view line) {
  using namespace acp_wire_check_internal;
  const json::value value = parsed(line);
  const json::object* object = value.if_object();
  if (object == nullptr) return {"this is no JSON object"};
  const json::value* version = object->if_contains("jsonrpc");
  if (version == nullptr || *version != "2.0") return {"it is not of JSON-RPC 2.0"};
  const std::string method = method_of(*object);
  const json::value* id = object->if_contains("id");
  if (id != nullptr) {
    if (std::vector<std::string> problems = acp_schema().problems("RequestId", *id);
        !problems.empty())
      return problems;
  }
  if (method.empty()) return answer(*object);
  if (method.starts_with("_")) return {};  // a method of our own, which the protocol leaves to us
  const std::string_view definition =
      id != nullptr ? definition_of(kRequests, method) : definition_of(kNotifications, method);
  if (definition.empty()) return {"nothing describes the method \"" + method + "\""};
  const json::value* params = object->if_contains("params");
  return acp_schema().problems(definition, params != nullptr ? *params : json::value());
}

/// A request of the agent's that was answered is answered.
std::vector<std::string> AcpWireCheck::answer(const json::object& line) {
  using namespace acp_wire_check_internal;
  const json::value* id = line.if_contains("id");
  const auto asked = id != nullptr ? asked_.find(json::serialize(*id)) : asked_.end();
  if (asked == asked_.end()) return {"it answers what nobody asked"};
  const std::string_view definition = definition_of(kAnswers, asked->second);
  const std::string method = asked->second;
  asked_.erase(asked);
  const json::value* error = line.if_contains("error");
  const json::value* result = line.if_contains("result");
  if ((error == nullptr) == (result == nullptr))
    return {"it has both a result and an error, or none of them"};
  if (error != nullptr) return acp_schema().problems("Error", *error);
  if (definition.empty()) return {"nothing describes an answer to \"" + method + "\""};
  return acp_schema().problems(definition, *result);
}

}  // namespace agent_doc::fakes
