// What it is: catalogues of modes, as agents have them and as nobody should have them, and what is
// chosen of each under every policy.
// What it is not: how it is set (plugins_acp_session_test.cpp).
#include "plugins/acp/acp_mode.hpp"
#include "tests/unit/acp_host.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

namespace agent_doc::plugins::acp_test {

namespace {

/// `ids` as "a b c", the current one first.
std::string modes(std::string_view ids) {
  std::string text = R"({"modes":{"currentModeId":")" + std::string(ids.substr(0, ids.find(' '))) +
                     R"(","availableModes":[)";
  while (!ids.empty()) {
    text += R"({"id":")" + std::string(ids.substr(0, ids.find(' '))) + R"("},)";
    ids.remove_prefix(std::min(
        ids.size(), ids.find(' ') == std::string_view::npos ? ids.size() : ids.find(' ') + 1));
  }
  text.pop_back();
  return text + "]}}";
}

/// "stays", the modes that are set, or "refused"; with "!" when the person is told.
std::string chosen(const std::string& session, PermissionPolicy policy, std::string_view named = {},
                   std::string_view also_asking = {}) {
  const json::value value = json::parse(session);
  const AcpModeChoice choice = choose_mode(value.as_object(), {policy, named, also_asking});
  if (!choice.refusal.empty()) return choice.settings.empty() ? "refused" : "refused, and set";
  std::string text;
  for (const AcpSetting& setting : choice.settings) {
    const bool is_option = setting.method == "session/set_config_option";
    CHECK((is_option || setting.method == "session/set_mode"));
    if (!text.empty()) text += ", ";
    if (is_option) text += std::string(setting.params.at("configId").as_string()) + "=";
    const json::value& value_set = setting.params.at(is_option ? "value" : "modeId");
    text += value_set.is_bool() ? json::serialize(value_set) : std::string(value_set.as_string());
  }
  if (text.empty()) text = "stays";
  return text + (choice.warning.empty() ? "" : " !");
}

const std::string kCopilot = "https://agentclientprotocol.com/protocol/session-modes#";

}  // namespace

TEST_CASE("ACP modes: 23 catalogues under four policies") {
  struct Case {
    std::string_view who;
    std::string session;
    std::string_view ask, deny, accept_edits, plan;
    std::string_view also_asking = {};
  };
  const std::array<Case, 23> cases = {{
      {"claude-agent-acp 0.101.0",
       R"({"modes":{"currentModeId":"auto","availableModes":[{"id":"default","name":"Manual"},{"id":"acceptEdits","name":"Accept edits"},{"id":"plan","name":"Plan"},{"id":"auto","name":"Auto"}]},
           "configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"auto","options":[{"value":"default","name":"Manual"},{"value":"acceptEdits","name":"Accept edits"},{"value":"plan","name":"Plan"},{"value":"auto","name":"Auto"}]}]})",
       "default", "default", "acceptEdits", "plan"},
      {"codex-acp 2.6.0",
       R"({"modes":{"currentModeId":"agent","availableModes":[{"id":"read-only","name":"Read-only"},{"id":"workspace-write","name":"Workspace access"},{"id":"agent","name":"Auto review"},{"id":"agent-full-access","name":"Full access"}]},
           "configOptions":[{"id":"mode","name":"Mode","category":"mode","type":"select","currentValue":"agent","options":[{"value":"read-only","name":"Read-only"},{"value":"workspace-write","name":"Workspace access"},{"value":"agent","name":"Auto review"},{"value":"agent-full-access","name":"Full access"}]},
             {"id":"collaboration_mode","name":"Collaboration mode","category":"collaboration_mode","type":"select","currentValue":"default","options":[{"value":"default","name":"Default"},{"value":"plan","name":"Plan"}]}]})",
       "read-only", "read-only", "workspace-write", "read-only"},
      {"claude-code-acp", modes("default acceptEdits plan dontAsk"), "stays", "dontAsk",
       "acceptEdits", "plan"},
      {"claude, as its settings say", modes("bypassPermissions default acceptEdits plan"),
       "default", "default", "acceptEdits", "plan"},
      {"codex-acp 0.16", modes("auto read-only full-access"), "read-only", "read-only",
       "read-only !", "read-only"},
      {"gemini", modes("default autoEdit yolo plan"), "stays", "stays", "autoEdit", "plan"},
      {"qwen 0.24.4", modes("auto plan default auto-edit yolo"), "default", "default", "auto-edit",
       "plan"},
      {"vibe 3.0.2", modes("accept-edits ask auto-approve"), "ask", "ask", "stays", "ask !"},
      {"opencode",
       R"({"configOptions":[{"id":"mode","category":"mode","currentValue":"build","options":[{"value":"build","name":"build"},{"value":"plan","name":"plan"}]}]})",
       "stays !", "mode=plan", "stays !", "mode=plan"},
      {"copilot", modes(kCopilot + "agent " + kCopilot + "plan " + kCopilot + "autopilot"), "stays",
       "stays", "stays !", "https://agentclientprotocol.com/protocol/session-modes#plan", "agent"},
      {"copilot, left on autopilot", modes(kCopilot + "autopilot " + kCopilot + "agent"),
       "https://agentclientprotocol.com/protocol/session-modes#agent",
       "https://agentclientprotocol.com/protocol/session-modes#agent",
       "https://agentclientprotocol.com/protocol/session-modes#agent !",
       "https://agentclientprotocol.com/protocol/session-modes#agent !", "agent"},
      {"goose", modes("auto approve smart_approve chat"), "approve", "approve", "approve !",
       "approve !"},
      {"copilot 1.0.102, that allows all",
       R"({"modes":{"currentModeId":"https://agentclientprotocol.com/protocol/session-modes#agent","availableModes":[{"id":"https://agentclientprotocol.com/protocol/session-modes#agent","name":"Agent"},{"id":"https://agentclientprotocol.com/protocol/session-modes#plan","name":"Plan"},{"id":"https://agentclientprotocol.com/protocol/session-modes#autopilot","name":"Autopilot"}]},
           "configOptions":[{"type":"select","id":"allow_all","name":"Allow All","category":"permissions","currentValue":"on","options":[{"value":"on","name":"On"},{"value":"off","name":"Off"}]}]})",
       "allow_all=off", "allow_all=off", "allow_all=off !",
       "https://agentclientprotocol.com/protocol/session-modes#plan, allow_all=off", "agent"},
      {"kilo 7.7.7, whose ask answers without a change",
       R"({"configOptions":[{"id":"mode","name":"Session Mode","category":"mode","type":"select","currentValue":"code","options":[{"value":"code","name":"code"},{"value":"ask","name":"ask"},{"value":"debug","name":"debug"},{"value":"orchestrator","name":"orchestrator"},{"value":"plan","name":"plan"}]}]})",
       "mode=ask", "mode=ask", "mode=ask !", "mode=plan"},
      {"cline 3.0.65",
       R"({"modes":{"currentModeId":"act","availableModes":[{"id":"plan","name":"Plan"},{"id":"act","name":"Act"}]},
           "configOptions":[{"type":"boolean","id":"auto_approve","name":"Auto-approve tools","currentValue":false}]})",
       "stays", "stays", "stays !", "plan", "act"},
      {"cline 3.0.65, that approves of all",
       R"({"modes":{"currentModeId":"act","availableModes":[{"id":"plan","name":"Plan"},{"id":"act","name":"Act"}]},
           "configOptions":[{"type":"boolean","id":"auto_approve","name":"Auto-approve tools","currentValue":true}]})",
       "auto_approve=false", "auto_approve=false", "auto_approve=false !",
       "plan, auto_approve=false", "act"},
      {"act and plan, and nothing known of them", modes("act plan"), "stays !", "plan", "stays !",
       "plan"},
      {"no modes", R"({"sessionId":"s"})", "stays !", "refused", "stays !", "refused"},
      {"an empty list", R"({"modes":{"currentModeId":"x","availableModes":[]}})", "stays !",
       "refused", "stays !", "refused"},
      {"a harmless id with a telling name",
       R"({"modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"YOLO"},{"id":"m2","name":"Ask"}]}})",
       "m2", "m2", "m2 !", "m2 !"},
      {"wide ones alone, with the words in them",
       modes("ask-never-bypass plan-and-yolo default_full_access"), "stays !", "refused", "stays !",
       "refused"},
      {"the mode says nothing, the approvals do",
       R"({"modes":{"currentModeId":"code","availableModes":[{"id":"code"},{"id":"write"}]},
           "configOptions":[{"id":"approval_policy","currentValue":"never","options":[{"value":"never"},{"value":"ask","name":"Ask"}]}]})",
       "approval_policy=ask", "approval_policy=ask", "approval_policy=ask !",
       "approval_policy=ask !"},
      {"of other types",
       R"({"modes":{"currentModeId":7,"availableModes":[null,{"id":3},{"name":"Ask"},"plan",{"id":"Manual"}]},"configOptions":[4,{"category":"mode"}]})",
       "Manual", "Manual", "Manual !", "Manual !"},
  }};
  for (const Case& one : cases) {
    CAPTURE(one.who);
    CHECK(chosen(one.session, PermissionPolicy::Ask, {}, one.also_asking) == one.ask);
    CHECK(chosen(one.session, PermissionPolicy::Deny, {}, one.also_asking) == one.deny);
    CHECK(chosen(one.session, PermissionPolicy::AcceptEdits, {}, one.also_asking) ==
          one.accept_edits);
    CHECK(chosen(one.session, PermissionPolicy::Plan, {}, one.also_asking) == one.plan);
  }
}

TEST_CASE("ACP modes: the one that the configuration names") {
  const std::string session =
      R"({"modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"First"},{"id":"https://x.invalid/modes#b","name":"Second"},{"id":"yolo"}]}})";
  for (const char* name : {"https://x.invalid/modes#b", "Second", "b"}) {
    CHECK(chosen(session, PermissionPolicy::Ask, name) == "https://x.invalid/modes#b");
    CHECK(chosen(session, PermissionPolicy::Deny, name) == "https://x.invalid/modes#b");
  }
  CHECK(chosen(session, PermissionPolicy::Ask, "First") == "stays");
  CHECK(chosen(session, PermissionPolicy::Ask, "yolo") == "yolo");
  CHECK(chosen(session, PermissionPolicy::Plan, "yolo") == "refused");
  CHECK(chosen(session, PermissionPolicy::Ask, "third") == "refused");
  CHECK(chosen(R"({"sessionId":"s"})", PermissionPolicy::Ask, "third") == "refused");
}

TEST_CASE("ACP modes: what cannot be kept ends the turn before the prompt, with what to do") {
  LaunchRequest wanted = Host::new_session();
  wanted.permissions = PermissionPolicy::Deny;
  Host host(wanted);
  host.begin();
  host.answer(1, kAll);
  host.written();
  CHECK(host.answer(2, modes("write").insert(1, R"("sessionId":"s",)")) ==
        Told{"failure " + std::to_string(static_cast<int>(FailureKind::Invalid)) +
                 " agent: `permissions = \"deny\"` cannot be kept: the agent has no mode that is "
                 "known to ask before it changes files (it "
                 "offers write). Name one that changes nothing by `mode = \"…\"` in its table of "
                 "agent-doc's config.toml, or set "
                 "`permissions = "
                 "\"ask\"` there.",
             "failed ''"});
  CHECK(host.written() == Told{"(closed)", "(signal)"});
}

TEST_CASE(
    "ACP modes: an agent that begins in another one is put into one that asks before it hears "
    "anything") {
  Host host;
  host.begin();
  host.answer(1, kAll);
  host.written();
  CHECK(host.answer(2, modes("accept-edits default").insert(1, R"("sessionId":"s",)")).empty());
  CHECK(host.written() ==
        Told{request(3, "session/set_mode", R"({"modeId":"default","sessionId":"s"})")});
  CHECK(host.answer(3, "{}") == Told{"session s "});
  CHECK(host.written() == Told{first_prompt_request(4, "prompt")});
}

}  // namespace agent_doc::plugins::acp_test
