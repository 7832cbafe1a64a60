// What goes over the wire, what protocol/agent-doc.schema.json describes, what PROTOCOL.md tells
// and what the clients read are the same: rules about the project's own files, as in lint_test.cpp.
// That the messages themselves are as the schema says is looked at by tests/fakes/wire_check.hpp,
// in every test.
#include "protocol/agent_doc.hpp"
#include "tests/fakes/wire_check.hpp"
#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace protocol_documented_test {

namespace json = boost::json;
using agent_doc::fakes::protocol_schema;
using agent_doc::tests::File;
using agent_doc::tests::is_name_character;
using agent_doc::tests::is_product;
using agent_doc::tests::project;
using Names = std::set<std::string, std::less<>>;

constexpr std::string_view kOfClient = "initialize.params.capabilities.experimental.agentDoc";
constexpr std::string_view kOfServer = "initialize.result.capabilities.experimental.agentDoc";

const std::string& text_of(std::string_view path) {
  const auto found = std::find_if(project().begin(), project().end(),
                                  [&](const File& one) { return one.path == path; });
  REQUIRE(found != project().end());
  return found->text;
}

Names names_in(const json::value& schema, std::string_view keyword) {
  Names names;
  const json::value* value = schema.as_object().if_contains(keyword);
  if (value == nullptr) return names;
  if (value->is_object()) {
    for (const auto& field : value->get_object()) names.emplace(field.key());
  } else {
    for (const json::value& one : value->as_array()) names.emplace(one.as_string());
  }
  return names;
}
Names fields_of(std::string_view definition) {
  return names_in(protocol_schema().definition(definition), "properties");
}

/// All that `expression` finds in `text`: its first group.
Names found_in(const std::string& text, const std::string& expression) {
  const std::regex pattern(expression);
  Names found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), pattern);
       match != std::sregex_iterator(); ++match)
    found.insert((*match)[1]);
  return found;
}

void check_is_within(const Names& names, const Names& known, const std::string& where) {
  for (const std::string& name : names) {
    if (!known.contains(name))
      FAIL_CHECK(std::string(where + ": the schema does not know " + name));
  }
}

/// Calls `look` with every schema inside `schema` that describes an object of the wire; conditions
/// describe none.
template <class Look>
void for_each_object(const json::value& schema, const std::string& place, const Look& look) {
  if (const json::array* list = schema.if_array()) {
    for (const json::value& one : *list) for_each_object(one, place, look);
  }
  const json::object* object = schema.if_object();
  if (object == nullptr) return;
  if (const json::value* type = object->if_contains("type"); type != nullptr && *type == "object")
    look(*object, place);
  for (const auto& field : *object) {
    const std::string_view key = field.key();
    if (key == "if" || key == "then" || key == "else" || key == "allOf") continue;
    for_each_object(field.value(), place + "/" + std::string(key), look);
  }
}

template <class Look>
void for_each_object_of_schema(const Look& look) {
  for (const std::string& name : protocol_schema().definitions())
    for_each_object(protocol_schema().definition(name), name, look);
}

bool is_of_ours(std::string_view definition) {
  return definition.starts_with("agentDoc.") || definition.starts_with("agentDoc/");
}
bool is_part(std::string_view definition) {
  return definition.ends_with(".params") || definition.ends_with(".argument") ||
         definition.ends_with(".result");
}

Names our_messages() {
  Names names;
  for (const std::string& name : protocol_schema().definitions()) {
    if (is_of_ours(name) && !is_part(name)) names.insert(name);
  }
  return names;
}

/// Every name of ours on the wire that a source may say.
Names all_names_of_ours() {
  Names names = our_messages();
  for (const std::string_view announced : {kOfClient, kOfServer}) {
    for (const std::string& field : fields_of(announced)) names.insert("agentDoc." + field);
  }
  for (const char* definition : {"window/showMessageRequest.params", "PermissionAction"}) {
    const Names fields = fields_of(definition);
    names.insert(fields.begin(), fields.end());
  }
  names.insert("agentDoc/");        // the beginning of a progress token
  names.insert("agentDoc.server");  // a setting of VS Code, not on the wire
  return names;
}

TEST_CASE("documented: every object of the schema is closed, and says what its fields are") {
  for_each_object_of_schema([](const json::object& object, const std::string& place) {
    CAPTURE(place);
    CHECK(object.contains("additionalProperties"));
    for (const std::string& name : names_in(object, "required"))
      CHECK(names_in(object, "properties").contains(name));
  });
}

TEST_CASE(
    "documented: a notification has its params in the schema, a command its argument and its "
    "result") {
  for (const std::string& name : our_messages()) {
    CAPTURE(name);
    CHECK(protocol_schema().has(name + ".params") == name.starts_with("agentDoc/"));
    CHECK(protocol_schema().has(name + ".argument") == name.starts_with("agentDoc."));
    CHECK(protocol_schema().has(name + ".result") == name.starts_with("agentDoc."));
  }
  Names commands;
  for (const json::value& name : protocol_schema().definition("CommandName").at("enum").as_array())
    commands.emplace(name.as_string());
  Names described = our_messages();
  std::erase_if(described, [](const std::string& name) { return name.starts_with("agentDoc/"); });
  CHECK(commands == described);
}

TEST_CASE("documented: the schema knows every name of ours in the sources") {
  const Names known = all_names_of_ours();
  for (const File& one : project()) {
    const bool is_lua = one.path.starts_with("editors/neovim/") && one.path.ends_with(".lua");
    if (is_product(one.path) || is_lua)
      check_is_within(found_in(one.text, "(agentDoc[./]?[A-Za-z]+|agentDoc/)"), known, one.path);
  }
}

TEST_CASE("documented: the program says every message of the schema") {
  const std::string& code = text_of("protocol/agent_doc.hpp");
  for (const std::string& name : our_messages()) {
    CAPTURE(name);
    CHECK(code.find('"' + name + '"') != std::string::npos);
  }
}

TEST_CASE("documented: PROTOCOL.md tells every message and every field of the schema") {
  const std::string& text = text_of("protocol/PROTOCOL.md");
  for (const std::string& name : our_messages()) {
    if (text.find(name) == std::string::npos)
      FAIL_CHECK(std::string("PROTOCOL.md does not tell of " + name));
  }
  Names words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end > at) words.insert(text.substr(at, end - at));
    at = std::max(end, at + 1);
  }
  for_each_object_of_schema([&](const json::object& object, const std::string& place) {
    for (const std::string& field : names_in(object, "properties")) {
      if (!words.contains(field))
        FAIL_CHECK(std::string("PROTOCOL.md does not tell of " + field + " in " + place));
    }
  });
  for (const char* definition :
       {"TurnState", "TurnPhase", "RefusalReason", "OptionKind", "DiagnosticCode"}) {
    for (const json::value& value :
         protocol_schema().definition(definition).at("enum").as_array()) {
      const std::string word = "`" + std::string(value.as_string()) + "`";
      if (text.find(word) == std::string::npos)
        FAIL_CHECK(std::string("PROTOCOL.md does not tell of " + word + " in " + definition));
    }
  }
}

// --- what clients read and say ---

TEST_CASE("documented: the client in VS Code reads and sends only what the schema has") {
  const std::string& text = text_of("editors/vscode/src/protocol.ts");
  const std::map<std::string, std::string> definitions{
      {"PermissionOption", "PermissionOption"},
      {"PermissionQuestion", "PermissionQuestion"},
      {"Usage", "Usage"},
      {"Turn", "agentDoc/turn.params"},
      {"DocumentArgument", "agentDoc.run.argument"},
      {"AnswerArgument", "agentDoc.answer.argument"},
      {"Preview", "agentDoc.preview.result"},
      {"Agent", "Agent"},
      {"AgentList", "agentDoc.agents.result"},
      {"KeptSession", "KeptSession"},
      {"SessionList", "agentDoc.sessions.result"}};
  const std::regex interface(R"(interface (\w+) \{([^}]*)\})");
  std::size_t seen = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), interface);
       match != std::sregex_iterator(); ++match, ++seen) {
    const std::string name = (*match)[1];
    CAPTURE(name);
    REQUIRE(definitions.contains(name));
    const std::string& definition = definitions.at(name);
    check_is_within(found_in((*match)[2], R"(readonly (\w+)\??:)"), fields_of(definition), name);
    if (definition.ends_with(".argument")) continue;
    const Names sure = names_in(protocol_schema().definition(definition), "required");
    CHECK(found_in((*match)[2], R"(readonly (\w+):)") == sure);
  }
  CHECK(seen == definitions.size());
  for (const auto& [kind, definition] : {std::pair{"TurnState =([^;]*);", "TurnState"},
                                         {"readonly phase:([^;]*);", "TurnPhase"},
                                         {"readonly kind:([^;]*);", "OptionKind"}}) {
    std::smatch match;
    REQUIRE(std::regex_search(text, match, std::regex(kind)));
    CHECK(found_in(match[1], "'([^']+)'") ==
          names_in(protocol_schema().definition(definition), "enum"));
  }
  const Names named = found_in(text, "'(agentDoc[./]\\w+)'");
  check_is_within(named, our_messages(), "protocol.ts");
  CHECK(named.contains("agentDoc/turn"));
}

TEST_CASE("documented: the plugin for Neovim reads only what the schema has") {
  Names of_turn = fields_of("agentDoc/turn.params");
  of_turn.insert("heard_at");  // the plugin's own
  Names of_question = fields_of("PermissionQuestion");
  of_question.insert("request");  // the plugin's own
  std::size_t files = 0;
  for (const File& one : project()) {
    if (!one.path.starts_with("editors/neovim/lua/")) continue;
    ++files;
    check_is_within(found_in(one.text, R"(\bturn\.(\w+))"), of_turn, one.path);
    check_is_within(found_in(one.text, R"(\b(?:question|turn\.permission)\.(\w+))"), of_question,
                    one.path);
    check_is_within(found_in(one.text, R"(\boption\.(\w+))"), fields_of("PermissionOption"),
                    one.path);
  }
  CHECK(files > 10);
}

TEST_CASE("documented: the packages have one version") {
  const std::string version =
      "\"version\": \"" + std::string(agent_doc::protocol::kServerVersion) + "\"";
  for (const char* path : {"editors/vscode/package.json", "editors/vscode/package-lock.json",
                           "protocol/PROTOCOL.md"}) {
    CAPTURE(path);
    CHECK(text_of(path).find(version) != std::string::npos);
  }
  CHECK(text_of("CHANGELOG.md")
            .find("\n## " + std::string(agent_doc::protocol::kServerVersion) + " ") !=
        std::string::npos);
}

TEST_CASE("documented: clients of ours announce only what the schema has") {
  const auto announced = [](const char* path, const std::string& expression,
                            const std::string& name) {
    CAPTURE(path);
    std::smatch match;
    const std::string& text = text_of(path);
    REQUIRE(std::regex_search(text, match, std::regex(expression)));
    const Names names = found_in(match[1], name);
    CHECK(names.contains("strictEdits"));
    check_is_within(names, fields_of(kOfClient), path);
  };
  announced("editors/vscode/src/server.ts", R"(agentDoc: \{([^}]*)\})", R"((\w+): true)");
  announced("editors/neovim/lua/agent_doc/server.lua", R"(agentDoc = \{([^}]*)\})",
            R"((\w+) = true)");
  announced("editors/cli/local_server.cpp", R"(agent_doc(\{[^;]*);)", R"rx("(\w+)", true)rx");
  Names read = found_in(text_of("protocol/lsp.cpp"), R"rx("experimental", "agentDoc", "(\w+)")rx");
  CHECK(read == fields_of(kOfClient));
}

}  // namespace protocol_documented_test
