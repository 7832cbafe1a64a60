// What it is: the Agent Client Protocol, message by message: the handshake, sessions and their
// settings.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "plugins/acp/acp_login.hpp"
#include "tests/unit/acp_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::acp_test {

TEST_CASE("ACP: how each preset is started") {
  const auto launch_of = [](const AgentSpec& spec) {
    return make_protocol(spec)->launch(Host::new_session());
  };
  CHECK(launch_of({"gemini", "gemini", "gemini", {"--skip-trust"}, {}}).args ==
        std::vector<std::string>{"--skip-trust", "--acp"});
  CHECK(launch_of({"opencode", "opencode", "opencode", {}, {}}).args ==
        std::vector<std::string>{"acp"});
  CHECK(launch_of({"claude-code-acp", "claude-code-acp", "claude-code-acp", {}, {}}).args.empty());
  const auto started = [&launch_of](const std::string& dialect) {
    const Launch launch =
        launch_of({dialect, dialect, std::string(find_dialect(dialect)->command), {}, {}});
    std::string line = launch.command;
    for (const std::string& argument : launch.args) line += " " + argument;
    return line;
  };
  CHECK(started("claude-agent-acp") == "claude-agent-acp");
  CHECK(started("codex-acp") == "codex-acp");
  CHECK(started("qwen") == "qwen --acp");
  CHECK(started("copilot") == "copilot --acp");
  CHECK(started("vibe") == "vibe-acp");
  CHECK(started("cline") == "cline --acp");
  CHECK(started("kilo") == "kilo acp");
  CHECK(started("goose") == "goose acp");
  const AgentSpec own{"mine", "acp", "/opt/mine", {"serve", "--acp"}, {{"KEY", "value"}}};
  const Launch launch = launch_of(own);
  CHECK(launch.command == "/opt/mine");
  CHECK(launch.args == own.args);
  CHECK(launch.env == own.env);
  CHECK(launch.cwd == "/w");
  CHECK(launch.lifetime == ProcessLifetime::Session);
}

TEST_CASE("ACP: which agents are never asked for a fork") {
  CHECK_FALSE(make_acp(spec_of("gemini"))->session_support().fork);
  for (const char* dialect : {"opencode", "claude-code-acp", "acp"}) {
    CHECK(make_acp(spec_of(dialect))->session_support().fork);
    CHECK(make_acp(spec_of(dialect))->session_support().resume);
  }
}

TEST_CASE("ACP: the handshake, and a prompt that waits for it") {
  Host host;
  host.protocol->begin_turn({"one"}, host);
  const Told first = host.written();
  REQUIRE(first.size() == 1);
  const json::object initialize = json::parse(first.front()).as_object();
  CHECK(initialize.at("method") == "initialize");
  CHECK(initialize.at("params").at("protocolVersion") == 1);
  CHECK(
      json::serialize(initialize.at("params").at("clientCapabilities")) ==
      R"({"terminal":false,"auth":{"terminal":true},"fs":{"readTextFile":true,"writeTextFile":true}})");
  CHECK(host.answer(1, kNothing).empty());
  CHECK(host.written() == Told{request(2, "session/new", R"({"cwd":"/w","mcpServers":[]})")});
  CHECK(host.answer(2, R"({"sessionId":"s","models":{"currentModelId":"m"},)" + kAsking + "}") ==
        Told{"session s m"});
  CHECK(host.written() == Told{first_prompt_request(3, "one")});
  CHECK(host.text("Hi.") == Told{"message 1", "block 1#0 text", "text 1#0 'Hi.'"});
  CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "message end 1 ", "done ''"});
  host.protocol->begin_turn({"two"}, host);
  CHECK(host.written() == Told{prompt_request(4, "two")});
}

TEST_CASE("ACP: claude-code-acp is told by its system prompt") {
  Host host(Host::new_session(), "claude-code-acp");
  host.begin();
  host.answer(1, kNothing);
  CHECK(host.written() ==
        Told{request(2, "session/new",
                     R"({"cwd":"/w","mcpServers":[],"_meta":{"systemPrompt":{"append":)" +
                         json::serialize(json::string(kSystemNote)) + "}}}")});
  host.answer(2, R"({"sessionId":"s"})");
  CHECK(host.written() == Told{prompt_request(3, "prompt")});
}

TEST_CASE(
    "ACP: claude-agent-acp is asked for its model's stream, which says that a message was cut") {
  const auto streamed = [](Host& host, const std::string& event,
                           const std::string& parent = "null") {
    return host.line(
        R"({"jsonrpc":"2.0","method":"_claude/sdkMessage","params":{"sessionId":"s","message":{"type":"stream_event","event":)" +
        event + R"(,"parent_tool_use_id":)" + parent + "}}}");
  };
  const std::string wanted = R"(,"mcpServers":[],"_meta":{"systemPrompt":{"append":)" +
                             json::serialize(json::string(kSystemNote)) +
                             R"(},"claudeCode":{"emitRawSDKMessages":[{"type":"stream_event"}]}}})";
  Host old(Host::old_session(SessionStart::Resume), "claude-agent-acp");
  old.begin();
  old.answer(1, kAll);
  CHECK(old.written().back() == request(2, "session/resume",
                                        R"({"cwd":"/w","mcpServers":[],"sessionId":"old")" +
                                            wanted.substr(wanted.find(",\"_meta\""))));
  Host host(Host::new_session(), "claude-agent-acp");
  host.begin();
  host.answer(1, kNothing);
  CHECK(host.written() == Told{request(2, "session/new", R"({"cwd":"/w")" + wanted)});
  host.answer(2, kSession);
  host.events();
  CHECK(host.text("A sen", R"(,"messageId":"m1")") ==
        Told{"message 1", "block 1#0 text", "text 1#0 'A sen'"});
  const std::string cut = R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"}})";
  const std::string events[] = {
      R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"A sen"}})",
      R"({"type":"message_delta","delta":{"stop_reason":null}})", R"({"type":"message_delta"})",
      "null"};
  for (const std::string& event : events) CHECK(streamed(host, event) == Told{});
  CHECK(streamed(host, cut, "\"t1\"") == Told{});
  CHECK(host.line(R"({"jsonrpc":"2.0","method":"_claude/sdkMessage","params":{}})") == Told{});
  CHECK(streamed(host, cut) == Told{"message end 1 max_tokens"});
  CHECK(streamed(host, cut) == Told{});
  CHECK(host.text("tence.", R"(,"messageId":"m2")") ==
        Told{"message 2", "block 2#0 text", "text 2#0 'tence.'"});
  CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "message end 2 ", "done ''"});
  CHECK(streamed(host, cut) == Told{});
}

TEST_CASE(
    "ACP: stopped before the prompt was sent, the turn ends at once and the next one uses the "
    "session") {
  Host host;
  host.protocol->begin_turn({"one"}, host);
  host.protocol->cancel(host);
  CHECK(host.events() == Told{"cancelled ''"});
  host.written();
  CHECK(host.answer(1, kNothing).empty());
  host.protocol->begin_turn({"two"}, host);
  host.written();
  CHECK(host.answer(2, kSession) == Told{"session s "});
  CHECK(host.written() == Told{first_prompt_request(3, "two")});
}

TEST_CASE("ACP: resume, else load, else nothing") {
  SUBCASE("resumed") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.written() ==
          Told{request(2, "session/resume", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    CHECK(host.answer(2, "{" + kAsking + "}") == Told{"session old "});
    CHECK(
        host.written() ==
        Told{
            R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"old","prompt":[{"type":"text","text":"prompt"}]}})"});
  }
  SUBCASE("resume fails, load works") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kAll);
    host.written();
    CHECK(host.refuse(2, -32603, "Internal error").empty());
    CHECK(host.written() ==
          Told{request(3, "session/load", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
  }
  SUBCASE("both fail: the agent is told to go, and the reason is its own") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    host.answer(1, kLoadOnly);
    host.written();
    const Told told = host.refuse(
        2, -32603, "Internal error",
        R"(,"data":{"details":"Invalid session identifier \"old\".\n  Searched everywhere."})");
    CHECK(told == failed(FailureKind::SessionUnknown, "Invalid session identifier \"old\""));
    CHECK(host.written() == Told{"(closed)", "(signal)"});
    host.protocol->begin_turn({"again"}, host);
    CHECK(host.events() == told);
  }
  SUBCASE("the agent has neither") {
    Host host(Host::old_session(SessionStart::Resume));
    host.begin();
    CHECK(host.answer(1, kNothing) ==
          failed(FailureKind::SessionUnknown, "The agent cannot go on with an earlier session"));
  }
}

TEST_CASE("ACP: a replay is swallowed, before the answer and after it, until it is over") {
  Host host(Host::old_session(SessionStart::Resume));
  const auto replay = [&host](const std::string& kind) {
    return host.line(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":")" +
        kind + R"(","content":{"type":"text","text":"of old"},"toolCallId":"t"}}})");
  };
  host.begin();
  host.answer(1, kLoadOnly);
  host.written();
  CHECK(replay("user_message_chunk").empty());
  CHECK(host.answer(2, "{" + kAsking + "}").empty());
  CHECK(host.written() == Told{barrier_request(3)});
  CHECK(replay("agent_message_chunk").empty());
  CHECK(host.refuse(3, -32601, "Method not found").empty());
  CHECK(host.written() == Told{barrier_request(4)});
  CHECK(replay("tool_call").empty());
  CHECK(host.refuse(4, -32601, "Method not found").empty());
  CHECK(host.written() == Told{barrier_request(5)});
  CHECK(replay("available_commands_update").empty());
  CHECK(host.refuse(5, -32601, "Method not found") == Told{"session old "});
  CHECK(host.written().size() == 1);
  CHECK(replay("agent_message_chunk") == Told{"message 1", "block 1#0 text", "text 1#0 'of old'"});
}

TEST_CASE("ACP: fork where the agent has it") {
  SUBCASE("forked, with a replay") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.written() ==
          Told{request(2, "session/fork", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    CHECK(host.answer(2, kSession).empty());
    CHECK(host.written() == Told{barrier_request(3)});
    CHECK(host.answer(3, "{}") == Told{"session s "});
    CHECK(host.written() == Told{prompt_request(4, "prompt")});
  }
  SUBCASE("not there") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    CHECK(host.answer(1, kLoadOnly) ==
          failed(FailureKind::ForkUnsupported, "The agent cannot fork a session"));
    CHECK(host.written() == Told{"(closed)", "(signal)"});
  }
  SUBCASE("of a session that nobody knows") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.refuse(2, -32603, "Session not found").empty());
    CHECK(host.refuse(3, -32603, "Session not found") ==
          failed(FailureKind::SessionUnknown, "Session not found"));
  }
  SUBCASE("of a session that must be loaded first, whose old turns nobody wants to see") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    host.written();
    CHECK(host.refuse(2, -32603, "Session old is not loaded").empty());
    CHECK(host.written() ==
          Told{request(3, "session/load", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    host.line(
        R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of old"}}}})");
    CHECK(host.answer(3, "{}").empty());
    CHECK(host.written() ==
          Told{request(4, "session/fork", R"({"cwd":"/w","mcpServers":[],"sessionId":"old"})")});
    SUBCASE("forked") {
      CHECK(host.answer(4, kSession).empty());
      CHECK(host.written() == Told{barrier_request(5)});
      CHECK(host.refuse(5, -32601, "Method not found").back() == "session s ");
    }
    SUBCASE("refused again") {
      CHECK(host.refuse(4, -32603, "no") == failed(FailureKind::SessionUnknown, "no"));
    }
  }
  SUBCASE("a method that is not there is not asked for twice") {
    Host host(Host::old_session(SessionStart::Fork));
    host.begin();
    host.answer(1, kAll);
    CHECK(host.refuse(2, -32601, "Method not found") ==
          failed(FailureKind::ForkUnsupported, "Method not found"));
  }
}

TEST_CASE("ACP: not logged in, with the agent's own ways") {
  Host host;
  host.begin();
  host.answer(
      1,
      R"({"protocolVersion":1,"authMethods":[{"id":"a","name":"Log in with Us","description":"Run us login"},{"id":"b","name":"API key"}]})");
  CHECK(
      host.refuse(2, -32000, "Authentication required") ==
      failed(FailureKind::Auth, "Authentication required (Log in with Us: Run us login; API key)"));
}

namespace {

constexpr std::string_view kLogins =
    R"({"protocolVersion":1,"authMethods":[{"id":"web","name":"Browser"},{"id":"key","name":"API key","type":"env_var","vars":[{"name":"US_KEY"},{"name":"US_ORG","optional":true}]}]})";

struct LoginHost : tests::ProtocolHost {
  explicit LoginHost(const AgentSpec& spec) : ProtocolHost(make_acp(spec)) {
    protocol->launch(Host::new_session());
    begin();
    initialized = line(R"({"jsonrpc":"2.0","id":1,"result":)" + std::string(kLogins) + "}");
  }
  Told refuse(int id, int code, const std::string& message) {
    return line(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" +
                std::to_string(code) + R"(,"message":")" + message + R"("}})");
  }
  Told initialized;
};

const std::string kNewSession = R"("method":"session/new","params":{"cwd":"/w","mcpServers":[]}})";

}  // namespace

TEST_CASE("ACP: logged in by variables that are set, when the agent wants a login") {
  AgentSpec spec = spec_of("acp");
  const std::string failure = "failure " + std::to_string(static_cast<int>(FailureKind::Auth));
  const auto is_logged_in = [&spec] {
    LoginHost host(spec);
    host.written();
    host.refuse(2, -32000, "Authentication required");
    return host.written() == Told{request(3, "authenticate", R"({"methodId":"key"})")};
  };
  SUBCASE("in the configuration") {
    spec.env["US_KEY"] = "secret";
    LoginHost host(spec);
    CHECK(host.written().back() == R"({"jsonrpc":"2.0","id":2,)" + kNewSession);
    CHECK(host.refuse(2, -32000, "Authentication required").empty());
    CHECK(host.written() == Told{request(3, "authenticate", R"({"methodId":"key"})")});
    CHECK(host.line(R"({"jsonrpc":"2.0","id":3,"result":{}})").empty());
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":4,)" + kNewSession});
    CHECK(host.refuse(4, -32000, "Authentication required").front().starts_with(failure));
  }
  SUBCASE("in the environment of agent-doc") {
    spec.inherited_variables = {"US_KEY"};
    CHECK(is_logged_in());
  }
  SUBCASE("empty in the configuration") {
    spec.env["US_KEY"] = "";
    spec.inherited_variables = {"US_KEY"};
    CHECK_FALSE(is_logged_in());
  }
  SUBCASE("another variable") {
    spec.inherited_variables = {"US_ORG"};
    CHECK_FALSE(is_logged_in());
  }
  SUBCASE("refused") {
    spec.inherited_variables = {"US_KEY"};
    LoginHost host(spec);
    host.refuse(2, -32000, "Authentication required");
    CHECK(host.refuse(3, -32603, "Wrong key")
              .front()
              .starts_with(failure + " agent: Wrong key (Browser; API key: set US_KEY"));
  }
  SUBCASE("nothing is done where no login is wanted") {
    spec.inherited_variables = {"US_KEY"};
    LoginHost host(spec);
    host.line(R"({"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}})");
    for (const std::string& line : host.written())
      CHECK(line.find("authenticate") == std::string::npos);
  }
}

TEST_CASE("ACP: logged in as the configuration says") {
  AgentSpec spec = spec_of("acp");
  for (const char* way : {"web", "Browser"}) {
    spec.auth_method = way;
    LoginHost host(spec);
    CHECK(host.written().back() == request(2, "authenticate", R"({"methodId":"web"})"));
    host.line(R"({"jsonrpc":"2.0","id":2,"result":{}})");
    CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":3,)" + kNewSession});
  }
  spec.auth_method = "other";
  LoginHost host(spec);
  CHECK(host.initialized ==
        Told{"failure " + std::to_string(static_cast<int>(FailureKind::Auth)) +
                 " agent: The agent has no way to log in of `auth_method = \"other\"`: it has web, "
                 "key. Mend it in agent-doc's config.toml.",
             "failed ''"});
}

TEST_CASE("ACP: ways to log in that a person can follow") {
  const auto ways = [](std::string_view methods) {
    const json::value value = json::parse(methods);
    return acp_ways_to_log_in(value.as_array(), "us --acp");
  };
  CHECK(ways("[]") == "");
  CHECK(
      ways(
          R"([{"name":"A","description":"d"},7,{"name":"B"},{"name":"C","type":"agent","description":"browser"}])") ==
      "A: d; B; C: browser");
  CHECK(
      ways(
          R"([{"name":"T","type":"terminal","description":"not told","args":["log in","--now"]}])") ==
      "T: run `us --acp 'log in' --now` in a terminal");
  CHECK(
      ways(
          R"([{"name":"T","type":"terminal","env":{"MODE":"it's"}},{"name":"U","type":"terminal","env":[{"name":"A","value":"1"},2]}])") ==
      R"(T: run `MODE='it'\''s' us --acp` in a terminal; U: run `A=1 us --acp` in a terminal)");
  CHECK(
      ways(
          R"([{"name":"K","type":"env_var","vars":[{"name":"US_KEY"},{"name":"US_ORG","optional":true},{"name":"US_URL"}],"link":"https://us.invalid"}])") ==
      "K: set US_KEY, US_URL in its environment (https://us.invalid)");
  CHECK(ways(R"([{"name":"K","type":"env_var","description":"d"}])") == "K: d");
  CHECK(
      ways(
          R"([{"name":"1"},{"name":"2"},{"name":"3"},{"name":"4"},{"name":"5"},{"name":"6"},{"name":"7"},{"name":"8"},{"name":"9"},{"name":"10"},{"name":"11"}])") ==
      "1; 2; 3; 4; 5; 6; 7; 8; 9; 10; …");
}

TEST_CASE("ACP: another version of the protocol") {
  Host host;
  host.begin();
  CHECK(host.answer(1, R"({"protocolVersion":2})") ==
        failed(FailureKind::Unknown,
               "The agent speaks version 2 of ACP, agent-doc speaks version 1: install a version "
               "of the agent that fits"));
}

TEST_CASE("ACP: models and modes are set before the prompt, in either way of the protocol") {
  LaunchRequest wanted = Host::new_session();
  wanted.model = "Large";
  wanted.permissions = PermissionPolicy::Plan;
  SUBCASE("models and modes") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(
        2,
        R"({"sessionId":"s","models":{"currentModelId":"m1","availableModels":[{"modelId":"m1","name":"Small"},{"modelId":"m2","name":"Large"}]},
                       "modes":{"currentModeId":"default","availableModes":[{"id":"default","name":"Default"},{"id":"plan","name":"Plan"}]}})");
    CHECK(host.written() ==
          Told{request(3, "session/set_model", R"({"modelId":"m2","sessionId":"s"})"),
               request(4, "session/set_mode", R"({"modeId":"plan","sessionId":"s"})")});
    CHECK(host.answer(3, "{}").empty());
    CHECK(host.answer(4, "null") == Told{"session s Large"});
    CHECK(host.written() == Told{first_prompt_request(5, "prompt")});
  }
  SUBCASE("config options, in groups too") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(2, R"({"sessionId":"s","configOptions":[
        {"id":"the-model","category":"model","type":"select","currentValue":"m1","options":[{"group":"g","name":"G","options":[{"value":"m2","name":"Large"}]}]},
        {"id":"the-mode","category":"mode","type":"select","currentValue":"build","options":[{"value":"build","name":"build"},{"value":"plan","name":"plan"}]}]})");
    CHECK(host.written() ==
          Told{request(3, "session/set_config_option",
                       R"({"configId":"the-model","value":"m2","sessionId":"s"})"),
               request(4, "session/set_config_option",
                       R"({"configId":"the-mode","value":"plan","sessionId":"s"})")});
  }
  SUBCASE("as it is already") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.written();
    host.answer(
        2,
        R"({"sessionId":"s","models":{"currentModelId":"m2","availableModels":[{"modelId":"m2","name":"Large"}]},
                       "modes":{"currentModeId":"plan","availableModes":[{"id":"plan","name":"Plan"}]}})");
    CHECK(host.written() == Told{first_prompt_request(3, "prompt")});
  }
  SUBCASE("a model that the agent does not have") {
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    CHECK(
        host.answer(
            2,
            R"({"sessionId":"s","models":{"currentModelId":"m1","availableModels":[{"modelId":"m1"},{"modelId":"m3"}]}})") ==
        failed(FailureKind::Invalid,
               "The agent does not know the model \"Large\": it offers m1, m3"));
  }
  SUBCASE("a mode that the agent refuses") {
    wanted.model.clear();
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    host.answer(
        2,
        R"({"sessionId":"s","modes":{"currentModeId":"default","availableModes":[{"id":"default"},{"id":"plan"}]}})");
    CHECK(host.refuse(3, -32603, "Internal error: no plan today") ==
          failed(
              FailureKind::Invalid,
              "The agent does not take the model or the permissions that you want: no plan today"));
  }
  SUBCASE("no such mode, but one that asks: said") {
    wanted.model.clear();
    Host host(wanted);
    host.begin();
    host.answer(1, kAll);
    CHECK(
        host.answer(
            2,
            R"({"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask"}]}})") ==
        Told{"notice 'the agent has no mode for `permissions = \"plan\"`: what it asks is denied "
             "when it changes files'",
             "session s "});
  }
}

}  // namespace agent_doc::plugins::acp_test
