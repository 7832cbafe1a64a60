// What it is: permission questions of every agent's plugin with hostile tools, arguments and
// options: what a person is shown of them.
// What it is not: the answers (plugins_*_test), the screens (lsp_permissions_test,
// cli_question_text_test).
#include "server/turn/question.hpp"

#include "plugins/registry.hpp"
#include "tests/unit/protocol_host.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace turn_question_test {

using namespace agent_doc;
namespace json = boost::json;

/// Takes the question that a plugin asks as a person is shown it.
struct Asked final : plugins::Actions {
  void emit(const plugins::AgentEvent& event) override {
    if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event))
      question = turn::shown(*asked);
  }
  void write_line(std::string line) override { written.push_back(std::move(line)); }
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

  std::optional<turn::Permission> question;
  std::vector<std::string> written;
};

/// A plugin in the middle of a turn, whose agent says `lines`.
turn::Permission asked_by(const std::string& dialect, const std::vector<std::string>& lines) {
  const plugins::AgentSpec spec{dialect, dialect, dialect, {}, {}};
  const std::unique_ptr<plugins::AgentProtocol> protocol = plugins::make_protocol(spec);
  REQUIRE(protocol);
  Asked asked;
  plugins::LaunchRequest wanted;
  wanted.cwd = "/w";
  protocol->launch(wanted);
  protocol->begin_turn({"Hello?"}, asked);
  for (const std::string& line : lines) protocol->on_line(line, asked);
  REQUIRE(asked.question);
  return *asked.question;
}

turn::Permission by_claude(std::string_view tool, const json::object& input,
                           const json::array& suggestions = {}) {
  return asked_by("claude",
                  {json::serialize(json::object{{"type", "control_request"},
                                                {"request_id", "q"},
                                                {"request",
                                                 {{"subtype", "can_use_tool"},
                                                  {"tool_name", tool},
                                                  {"input", input},
                                                  {"permission_suggestions", suggestions}}}})});
}

turn::Permission by_codex(const json::object& params) {
  json::object all = params;
  all["threadId"] = "T";
  all["turnId"] = "t1";
  return asked_by(
      "codex",
      {R"({"id":1,"result":{"userAgent":"x"}})",
       R"({"id":2,"result":{"thread":{"id":"T"},"model":"m"}})",
       R"({"id":3,"result":{"turn":{"id":"t1"}}})",
       R"({"method":"turn/started","params":{"threadId":"T","turn":{"id":"t1"}}})",
       json::serialize(json::object{
           {"id", 7}, {"method", "item/commandExecution/requestApproval"}, {"params", all}})});
}

turn::Permission by_acp(const json::object& call,
                        const json::array& options = {json::object{
                            {"optionId", "a"}, {"name", "Allow"}, {"kind", "allow_once"}}}) {
  return asked_by(
      "acp", {R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}})",
              R"({"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}})",
              json::serialize(json::object{
                  {"jsonrpc", "2.0"},
                  {"id", 7},
                  {"method", "session/request_permission"},
                  {"params", {{"sessionId", "s"}, {"toolCall", call}, {"options", options}}}})});
}

std::string options_of(const turn::Permission& question) {
  constexpr const char* kKinds[] = {"once", "always", "widen", "deny"};
  std::string text;
  for (const plugins::PermissionOption& option : question.options) {
    text +=
        "[" + option.id + " " + kKinds[static_cast<int>(option.kind)] + ": " + option.label + "]";
  }
  return text;
}

TEST_CASE("question: whatever a command hides is shown, by every plugin that asks") {
  struct Case {
    std::string command;
    std::string shown;
  };
  const std::string long_command =
      "true " + std::string(1000, 'x') + "; rm -rf ~; echo " + std::string(1000, 'y');
  const std::vector<Case> cases = {
      {"make test", "make test"},
      {"echo hi\nrm -rf ~", "echo hi⏎\nrm -rf ~"},
      {"echo hi\ncwd: /tmp", "echo hi⏎\ncwd: /tmp"},
      {"ls \x1b[2K\x1b[1A\r# nothing", "ls <U+001B>[2K<U+001B>[1A<U+000D># nothing"},
      {"cat \u202Etxt.exe", "cat <U+202E>txt.exe"},
      {"ls\U000E003B\U000E0072\U000E006D", "ls<invisible: ;rm>"},
      {"ls" + std::string(5000, ' ') + "; rm -rf ~", "ls<5000 blanks>; rm -rf ~"},
      {"r\u200Bm -rf ~", "r<U+200B>m -rf ~"},
      {long_command, long_command},
  };
  for (const Case& one : cases) {
    CAPTURE(one.command);
    CHECK(by_claude("Bash", {{"command", one.command}}).detail == one.shown);
    CHECK(by_codex({{"command", one.command}}).detail == one.shown);
    CHECK(by_acp({{"toolCallId", "t"}, {"title", one.command}, {"kind", "execute"}}).detail ==
          one.shown);
    CHECK(by_acp({{"toolCallId", "t"}, {"title", "Run"}, {"rawInput", {{"command", one.command}}}})
              .detail.starts_with("Run: " + one.shown));
  }
}

TEST_CASE("question: every argument of a tool is shown") {
  CHECK(by_claude("mcp__x__run", {{"description", "List files"},
                                  {"script", "rm -rf ~\nls"},
                                  {"as_root", true},
                                  {"none", nullptr}})
            .detail == "description: List files\nscript:\n    rm -rf ~⏎\n    ls\nas_root: true");
  CHECK(by_claude("Bash",
                  {{"command", "ls"}, {"description", "List"}, {"dangerouslyDisableSandbox", true}})
            .detail == "ls\ndescription: List\ndangerouslyDisableSandbox: true");
  CHECK(by_claude("x", {{"a\nb\u202E", "c"}}).detail == "a⏎ b<U+202E>: c");
  CHECK(by_codex({{"command", "curl x"},
                  {"cwd", "/etc"},
                  {"networkApprovalContext", {{"host", "evil.example"}}},
                  {"reason", "why"}})
            .detail == "curl x\nnetwork access to: evil.example\ncwd: /etc\nits reason: why");
  CHECK(by_codex({{"command", "ls"}, {"additionalPermissions", {{"network", true}}}}).detail ==
        "ls\nadditionalPermissions: {\"network\":true}");
  CHECK(by_acp({{"toolCallId", "t"},
                {"title", "Edit a"},
                {"kind", "edit"},
                {"content",
                 {{{"type", "diff"}, {"path", "/w/a"}, {"oldText", "x"}, {"newText", "y\nz"}}}},
                {"locations", {{{"path", "/w/b"}}}}})
            .detail ==
        "Edit a: /w/b\nchange of /w/a:\n    - x\n    \\ no line end\n    + y\n    + z\n    \\ no "
        "line end");
  CHECK(by_claude("Edit", {{"file_path", "/w/a"},
                           {"old_string", "one\ntwo\n"},
                           {"new_string", "one\n2\u202E\n- three\n"},
                           {"replace_all", true}})
            .detail ==
        "/w/a\nchange:\n      one\n    - two\n    + 2<U+202E>\n    + - three\nreplace_all: true");
  CHECK(by_acp({{"toolCallId", "t"},
                {"title", "Edit a"},
                {"rawInput", {{"file_path", "/w/a"}, {"old_string", "x\n"}, {"new_string", "y\n"}}},
                {"content",
                 {{{"type", "diff"}, {"path", "/w/a"}, {"oldText", "x\n"}, {"newText", "y\n"}}}}})
            .detail == "Edit a: /w/a\nfile_path: /w/a\nchange of /w/a:\n    - x\n    + y");
  CHECK(
      by_acp({{"toolCallId", "t"},
              {"title", "Write a"},
              {"rawInput", {{"content", "new\n"}}},
              {"content",
               {{{"type", "diff"}, {"path", "/w/a"}, {"oldText", nullptr}, {"newText", "new\n"}}}}})
          .detail == "Write a: /w/a\nchange of /w/a:\n    + new");
}

TEST_CASE(
    "question: the names of tools and the words of options are visible, too, and no longer than a "
    "row or two") {
  const turn::Permission asked = by_acp(
      {{"toolCallId", "t"}, {"title", "x"}},
      {json::object{{"optionId", "a"}, {"name", "Al\u202Elow\nonce"}, {"kind", "allow_once"}}});
  CHECK(asked.options.front().label == "Al<U+202E>low⏎ once");
  CHECK(by_claude("Ba\x1b[0msh", {}).tool == "Ba<U+001B>[0msh");
  CHECK(by_claude(std::string(5000, 'x'), {}).tool.size() < turn::kMaxQuestionName + 100);
}

TEST_CASE(
    "question: what an agent suggests is offered in its own words, and a widening is none of "
    "\"always\"") {
  const auto of = [](const json::array& suggestions) {
    return options_of(by_claude("Bash", {{"command", "ls"}}, suggestions));
  };
  const json::value rule = json::parse(
      R"({"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"ls:*"}],"destination":"localSettings"})");
  const json::value bypass =
      json::parse(R"({"type":"setMode","mode":"bypassPermissions","destination":"session"})");
  const json::value folders = json::parse(
      R"({"type":"addDirectories","directories":["/etc"],"destination":"userSettings"})");
  const json::value unknown = json::parse(R"({"type":"brandNew","x":1})");
  CHECK(of({}) == "[allow once: Allow once][deny deny: Deny]");
  CHECK(of({rule}) ==
        "[allow once: Allow once][allow_always always: Always allow Bash(ls:*), in this "
        "project][deny deny: Deny]");
  CHECK(of({bypass}) ==
        "[allow once: Allow once][allow_wider widen: Allow, and everything from now on, without a "
        "question (mode bypassPermissions)][deny deny: Deny]");
  CHECK(of({rule, bypass, folders}) ==
        "[allow once: Allow once][allow_always always: Always allow Bash(ls:*), in this project]"
        "[allow_wider widen: Allow, and everything from now on, without a question (mode "
        "bypassPermissions); "
        "work in the folders [\"/etc\"], in all your projects][deny deny: Deny]");
  CHECK(of({unknown}) ==
        "[allow once: Allow once][allow_wider widen: Allow, and "
        "{\"type\":\"brandNew\",\"x\":1}][deny deny: Deny]");
}

TEST_CASE(
    "question: of an ACP agent's options, a wider mode asks once more, and what is of no known "
    "kind is no no") {
  struct Case {
    std::string option;
    std::string kind_of_tool;
    std::string shown;
  };
  const std::vector<Case> cases = {
      {R"({"optionId":"allow","name":"Allow","kind":"allow_once"})", "edit", "[allow once: Allow]"},
      {R"({"optionId":"proceed_always","name":"Allow for this session","kind":"allow_always"})",
       "edit", "[proceed_always always: Allow for this session]"},
      {R"({"optionId":"bypassPermissions","name":"Yes","kind":"allow_always"})", "switch_mode",
       "[bypassPermissions widen: Yes]"},
      {R"({"optionId":"x","name":"Yes, and auto-accept edits","kind":"allow_once"})", "switch_mode",
       "[x widen: Yes, and auto-accept edits]"},
      {R"({"optionId":"default","name":"Yes, and manually approve edits","kind":"allow_once"})",
       "switch_mode", "[default once: Yes, and manually approve edits]"},
      {R"({"optionId":"build","name":"Go on","kind":"allow_always"})", "switch_mode",
       "[build widen: Go on]"},
      {R"({"optionId":"yolo","name":"Go on","kind":"allow_always"})", "execute",
       "[yolo widen: Go on]"},
      {R"({"optionId":"go","name":"Go on","kind":"proceed"})", "execute", "[go widen: Go on]"},
      {R"({"optionId":"no","name":"No, allow all later","kind":"reject_once"})", "execute",
       "[no deny: No, allow all later]"},
      {R"({"optionId":"x","name":"Deny","kind":"allow_once"})", "execute", "[x once: Allow: Deny]"},
      {R"({"optionId":"x","name":"Show all of it","kind":"allow_always"})", "execute",
       "[x always: Allow: Show all of it]"},
      {R"({"optionId":"x","name":"Yes","kind":"reject_once"})", "execute", "[x deny: Deny: Yes]"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.option);
    CHECK(options_of(by_acp({{"toolCallId", "t"}, {"title", "x"}, {"kind", one.kind_of_tool}},
                            {json::parse(one.option)})) == one.shown);
  }
}

TEST_CASE("question: what is too long has its middle left out, and says so; its end is there") {
  const turn::Permission asked = by_claude(
      "Bash",
      {{"command", std::string(turn::kMaxQuestionBytes, 'x') + "; rm -rf ~"}, {"z", "last"}});
  CHECK(asked.detail.size() < turn::kMaxQuestionBytes + 100);
  CHECK(asked.detail.find(" bytes are left out here …>") != std::string::npos);
  CHECK(asked.detail.ends_with("xx; rm -rf ~\nz: last"));
}

}  // namespace turn_question_test
