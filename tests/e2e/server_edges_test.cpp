// What an editor does at the edges of a turn: it shuts the server down in the middle of one, has
// the document open through a link, or in a folder that is not there. The real program, with
// another one beside it.
#include "server/store/history.hpp"
#include "tests/e2e/command_run.hpp"
#include "tests/e2e/server_world.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <filesystem>
#include <string>

namespace server_edges_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::fakes::Editor;
using agent_doc::fakes::LspClient;
using agent_doc::fakes::ProgramOptions;
using agent_doc::lsp::uri_of;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

/// A server beside the runs of `desk`, of the same person.
ProgramOptions server_at(const Desk& desk) {
  return {AGENT_DOC_BINARY,
          {"serve"},
          {"HOME=" + desk.home(), "XDG_CONFIG_HOME=" + desk.home() + "/config",
           "XDG_STATE_HOME=" + desk.home() + "/state",
           "XDG_RUNTIME_DIR=" + desk.home() + "/runtime", "AGENT_DOC_TOUR_PACE=0"},
          desk.docs()};
}

json::value run_command(const std::string& uri) {
  return json::object{{"command", "agentDoc.run"},
                      {"arguments", json::array{json::object{{"uri", uri}}}}};
}

/// What the store at `home` has of the first reply.
std::string kept_reply(const Home& home) {
  auto history = agent_doc::store::History::open(home / "state/agent-doc/state.db");
  if (history.has_error()) return {};
  auto turn = history->turn(1);
  return turn.has_error() || !*turn ? std::string() : (*turn)->reply;
}

TEST_CASE(
    "shutdown in mid-turn: nothing is sent after its answer, and what the agent goes on to say is "
    "in the store") {
  const Home home(streaming_agent(100'000, 2));
  ServerWorld world(home);
  world.run();
  world.wait_for_text("w50 ");
  CHECK(world.client.request("shutdown").is_null());
  const std::size_t notifications = world.client.notifications().size();
  const std::size_t edits = world.document().applied() + world.document().refused();
  const std::string text = world.document().text();
  const std::size_t kept = kept_reply(home).size();
  for (int request = 0; kept_reply(home).size() < kept + 1000; ++request) {
    REQUIRE(request < 100'000);
    CHECK(world.client.request_error("textDocument/codeLens").code ==
          agent_doc::protocol::ErrorCode::InvalidRequest);
  }
  world.client.notify("exit");
  CHECK(world.client.wait_for_exit() == 0);
  CHECK(world.client.notifications().size() == notifications);
  CHECK(world.document().applied() + world.document().refused() == edits);
  CHECK(world.document().text() == text);
  CHECK(world.client.complaints().empty());
}

TEST_CASE(
    "a turn in an editor, in a document that is open through a link: status sees it by the file's "
    "own name, and a run there waits") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "2"});
  write_file(desk / "a.md", "Hello?\n");
  std::filesystem::create_symlink("a.md", desk / "link.md");
  const auto status = [&] {
    CommandRun run(desk, {"status", "a.md", "--json"});
    CHECK(run.wait() == 0);
    return json::parse(run.out());
  };
  CHECK(status().at("running") == false);
  LspClient client(server_at(desk));
  Editor editor(client.endpoint());
  client.initialize();
  const std::string uri = uri_of(desk / "link.md");
  editor.open(uri, read_file(desk / "a.md"));
  client.request("workspace/executeCommand", run_command(uri));
  client.wait_until("the reply begins",
                    [&] { return editor.document(uri).text().find("w5 ") != std::string::npos; });
  CHECK(status().at("running") == true);
  CommandRun second(desk, {"run", "a.md"});
  CHECK(second.wait() == 4);
  CHECK(second.error().find("a.md is busy: another agent-doc runs a turn in it (process " +
                            std::to_string(client.pid()) + ")") != std::string::npos);
  CHECK(read_file(desk / "a.md") == "Hello?\n");
  client.shut_down();
  CHECK(status().at("running") == false);
  // The store knows the file by its own name.
  CommandRun log(desk, {"log", "--turn", "1", "--json"});
  CHECK(log.wait() == 0);
  CHECK(json::parse(log.out()).at("file").as_string() ==
        std::filesystem::canonical(desk / "a.md").string());
}

TEST_CASE(
    "a document in a folder that is not there runs in the client's root, and an agent_doc_cwd that "
    "is not there is named") {
  const Home home;
  LspClient client(home.program());
  Editor editor(client.endpoint());
  json::object params{{"processId", nullptr},
                      {"rootPath", home / "work"},
                      {"capabilities", LspClient::standard_capabilities()}};
  client.request("initialize", params);
  client.notify("initialized", json::object{});
  const std::string uri = uri_of(home / "gone/doc.md");
  editor.open(uri, "Hello?\n");
  client.request("workspace/executeCommand", run_command(uri));
  const json::value message = client.wait_for_notification("window/showMessage");
  CHECK(message.at("message").as_string() ==
        "The folder " + (home / "gone") + " does not exist, so the agent of doc.md works in " +
            (home / "work") + ".");
  const json::value end = client.wait_for_notification(
      "agentDoc/turn", [](const json::value& turn) { return is_over(turn); });
  CHECK(end.at("state").as_string() == "done");

  const std::string second = uri_of(home / "work/second.md");
  editor.open(second, "---\nagent_doc_cwd: sub\n---\n\nHello?\n");
  const auto refused = client.request_error("workspace/executeCommand", run_command(second));
  CHECK(refused.message == "agent_doc_cwd `sub` is not there (" + (home / "work") +
                               "/sub): correct it in the front matter, or make that folder");
  CHECK(client.shut_down() == 0);
}

TEST_CASE("a folder that is not there is named, and the agent is not blamed") {
  const Home home;
  LspClient client(home.program());
  Editor editor(client.endpoint());
  client.initialize();
  const std::string uri = uri_of(home / "gone/doc.md");
  editor.open(uri, "Hello?\n");
  const auto refused = client.request_error("workspace/executeCommand", run_command(uri));
  CHECK(agent_doc::protocol::reason_of(refused) == agent_doc::protocol::RefusalReason::Invalid);
  CHECK(refused.message ==
        "doc.md has no folder for an agent to work in: " + (home / "gone") +
            " does not exist. Make that folder, or open one that is there, and run again.");
  std::filesystem::create_directory(home / "gone");
  client.request("workspace/executeCommand", run_command(uri));
  const json::value end = client.wait_for_notification(
      "agentDoc/turn", [](const json::value& turn) { return is_over(turn); });
  CHECK(end.at("state").as_string() == "done");
  CHECK(client.shut_down() == 0);
}

}  // namespace server_edges_test
