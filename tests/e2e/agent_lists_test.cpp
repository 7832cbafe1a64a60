// agentDoc.agents and agentDoc.sessions of the real program: agents that are recordings of real
// ones, or small scripts that do not want to end.
#include "tests/e2e/server_world.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace agent_doc::e2e {

namespace agent_lists_test {

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/acp/";

std::string keeper(const std::string& dialect, const std::string& command,
                   const std::vector<std::string>& arguments) {
  std::string config = "default_agent = \"keeper\"\n[agents.keeper]\ndialect = \"" + dialect +
                       "\"\ncommand = \"" + command + "\"\nargs = [";
  for (const std::string& argument : arguments) config += "'''" + argument + "''', ";
  return config + "]\n";
}

/// An agent that says `answer` and does not want to end; what it started does not, either. `pids`
/// in its folder has both processes.
std::string stubborn(const std::string& answers) {
  return "trap '' INT TERM; tail -f /dev/null & echo $! > pids; echo $$ >> pids; read -r line; " +
         answers + " wait";
}

json::object sessions_of_document(const std::string& uri) {
  return {{"command", "agentDoc.sessions"}, {"arguments", json::array{json::object{{"uri", uri}}}}};
}

/// Both processes of stubborn(), when they run.
std::vector<pid_t> wait_for_processes(ServerWorld& world, const std::string& file) {
  world.client.wait_until("the agent runs", [&] {
    return std::filesystem::exists(file) && process_test::read_pids(file).size() == 2;
  });
  return process_test::read_pids(file);
}

void check_gone(ServerWorld& world, const std::vector<pid_t>& pids) {
  for (const pid_t pid : pids)
    world.client.wait_until("its processes are gone",
                            [&] { return !process_test::is_running(pid); });
}

}  // namespace agent_lists_test

using namespace agent_lists_test;  // NOLINT: this file's own names

TEST_CASE("agents: the configured ones among the known ones") {
  const Home home(keeper("acp", "no-such-program", {}));
  ServerWorld world(home);
  const json::value agents =
      world.client.request("workspace/executeCommand", json::object{{"command", "agentDoc.agents"}})
          .at("agents");
  const auto find = [&](std::string_view name) {
    for (const json::value& agent : agents.as_array()) {
      if (agent.at("name").as_string() == name) return agent.as_object();
    }
    return json::object();
  };
  CHECK(find("tour").at("installed") == true);
  CHECK(find("tour").at("default") == false);
  CHECK(find("keeper").at("installed") == false);
  CHECK(find("keeper").at("default") == true);
  CHECK(find("keeper").at("canList") == true);
  CHECK(find("keeper").contains("howToGet"));
  CHECK_FALSE(find("claude").empty());
  CHECK(world.client.shut_down() == 0);
}

TEST_CASE("sessions: what a real agent was recorded to say, in the order of a picker") {
  const Home home(
      keeper("opencode", RPC_REPLAY_AGENT, {kRecordings + "opencode-session-list.ndjson"}));
  ServerWorld world(home);
  const json::value listed =
      world.client.request("workspace/executeCommand", sessions_of_document(world.uri));
  CHECK(listed.at("agent") == "keeper");
  CHECK(listed.at("folder").as_string() == lsp::uri_of(home / "work"));
  CHECK(listed.at("complete") == true);
  CHECK(listed.at("sessions").as_array().size() == 57);
  CHECK(listed.at("sessions").at(1) == json::value({{"sessionId", "ses_e07ade1d3ffeAcjXSRhxJYwujm"},
                                                    {"title", "Mock title (fork #1)"},
                                                    {"usedMs", 1795167494439}}));
  CHECK(world.client.shut_down() == 0);
}

TEST_CASE(
    "sessions: nothing is left of an agent that does not want to end, after its answer, a cancel, "
    "or the end of the server") {
  const std::string can_list =
      R"(echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}}}';)";
  SUBCASE("after its answer") {
    const std::string answer =
        can_list +
        R"( read -r line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"a"}]}}';)";
    const Home home(keeper("acp", "/bin/sh", {"-c", stubborn(answer)}));
    ServerWorld world(home);
    const json::value listed =
        world.client.request("workspace/executeCommand", sessions_of_document(world.uri));
    CHECK(listed.at("sessions").as_array().size() == 1);
    check_gone(world, wait_for_processes(world, home / "work/pids"));
    CHECK(world.client.shut_down() == 0);
  }
  SUBCASE("after a cancel") {
    const Home home(keeper("acp", "/bin/sh", {"-c", stubborn(can_list)}));
    ServerWorld world(home);
    std::optional<protocol::Result> answer;
    const protocol::Id id = world.client.endpoint().request(
        "workspace/executeCommand", sessions_of_document(world.uri),
        [&](protocol::Result result) { answer = std::move(result); });
    const std::vector<pid_t> pids = wait_for_processes(world, home / "work/pids");
    CHECK_FALSE(answer);
    world.client.endpoint().cancel(id);
    world.client.wait_until("the request is answered", [&] { return answer.has_value(); });
    CHECK(std::get<protocol::Error>(*answer).code == protocol::ErrorCode::RequestCancelled);
    check_gone(world, pids);
    CHECK(world.client.shut_down() == 0);
  }
  SUBCASE("at the end of the server") {
    const Home home(keeper("acp", "/bin/sh", {"-c", stubborn(can_list)}));
    ServerWorld world(home);
    std::optional<protocol::Result> answer;
    world.client.endpoint().request("workspace/executeCommand", sessions_of_document(world.uri),
                                    [&](protocol::Result result) { answer = std::move(result); });
    const std::vector<pid_t> pids = wait_for_processes(world, home / "work/pids");
    CHECK(world.client.shut_down() == 0);
    REQUIRE(answer);
    CHECK(std::get<protocol::Error>(*answer).message == "the server ends");
    for (const pid_t pid : pids) CHECK_FALSE(process_test::is_running(pid));
  }
}

}  // namespace agent_doc::e2e
