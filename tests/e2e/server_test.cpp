#include "tests/e2e/server_world.hpp"

#include "tests/fakes/delta_stream.hpp"

#include <doctest/doctest.h>

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace server_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::fakes::Caret;
using agent_doc::process_test::is_running;
using agent_doc::process_test::read_pids;
using agent_doc::process_test::wait_until_gone;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long agents may outlive their server. The promise is made for the program as it is shipped;
/// with sanitizers it is several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr milliseconds kLastsAtMost{8000};
#else
constexpr milliseconds kLastsAtMost{2000};
#endif

/// The front matter that a run writes into a document without any; the id of the document is
/// random.
std::string front_matter(const std::string& text, const std::string& agent,
                         const json::value& turn) {
  const std::string key = "agent_doc_session: ";
  const std::size_t id = text.find(key) + key.size();
  return "---\n" + key + text.substr(id, 36) + "\nagent: " + agent +
         "\nresume: " + std::string(turn.at("sessionId").as_string()) + "\n---\n\n";
}

/// What the streaming agent says in its first turn; a line end at the end of a reply is not kept.
std::string whole_stream(std::uint64_t deltas) {
  std::string text;
  for (std::uint64_t i = 0; i < deltas; ++i) text += agent_doc::fakes::delta_text(1, i);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

TEST_CASE("the tour agent's reply streams into the document; the next run goes on in its session") {
  const Home home;
  ServerWorld world(home);
  const json::value first = world.run_to_end();
  CHECK(first.at("state").as_string() == "done");
  CHECK_FALSE(first.as_object().contains("failure"));
  CHECK(world.reply.find("Hello?") != std::string::npos);
  const std::string after_first = front_matter(world.document().text(), "tour", first) +
                                  "Hello?\n\n## Assistant\n\n" + world.reply + "\n\n## User\n\n";
  CHECK(world.document().text() == after_first);

  world.document().insert(world.document().text().size(), "What did I ask before?");
  const json::value second = world.run_to_end();
  CHECK(second.at("sessionId") == first.at("sessionId"));
  CHECK(world.reply.find("Hello?") != std::string::npos);
  CHECK(world.document().text() == after_first + "What did I ask before?\n\n## Assistant\n\n" +
                                       world.reply + "\n\n## User\n\n");
  CHECK(world.editor.violations().empty());
  CHECK(world.client.complaints().empty());
  CHECK(world.client.shut_down() == 0);
}

TEST_CASE("a new server resumes the session that the document names") {
  const Home home;
  std::string text;
  std::string session;
  {
    ServerWorld world(home, "My name is Ada.\n");
    session = world.run_to_end().at("sessionId").as_string();
    text = world.document().text();
    CHECK(world.client.shut_down() == 0);
  }
  ServerWorld world(home, text + "What did I ask before?");
  CHECK(world.run_to_end().at("sessionId").as_string() == session);
  CHECK(world.reply.find("My name is Ada.") != std::string::npos);
}

TEST_CASE("a fork goes its own way and leaves the session of the first document as it was") {
  const Home home;
  ServerWorld world(home, "My name is Ada.\n");
  const std::string session(world.run_to_end().at("sessionId").as_string());
  const std::string before = world.document().text();

  const std::string fork_uri(world.command("agentDoc.fork").at("uri").as_string());
  const std::string fork_path = home / "work/doc-fork.md";
  CHECK(fork_uri == agent_doc::lsp::uri_of(fork_path));
  world.editor.open(fork_uri, agent_doc::tests::read_file(fork_path) + "What did I ask before?");
  const json::value forked = world.run_to_end({{"uri", fork_uri}});
  CHECK(forked.at("sessionId").as_string() != session);
  CHECK(world.reply.find("My name is Ada.") != std::string::npos);

  CHECK(world.document().text() == before);
  world.document().insert(before.size(), "And what did I ask here?");
  CHECK(world.run_to_end().at("sessionId").as_string() == session);
  CHECK(world.reply.find("What did I ask before?") == std::string::npos);
}

TEST_CASE(
    "an id that the agent does not know: told, and the turn goes on in a new session that was "
    "given the document") {
  const Home home;
  const std::string head = "---\nagent: tour\nresume: ";
  const std::string body =
      "\n---\n\n## User\n\nMy name is Ada.\n\n## Assistant\n\nHello.\n\n## User\n\nHow do I stop "
      "you?\n";
  ServerWorld world(home, head + "01234567-89ab-cdef-0123-456789abcdef" + body);
  const json::value turn = world.run_to_end();
  CHECK(turn.at("state").as_string() == "done");
  const json::value told = world.client.wait_for_notification("window/showMessage");
  CHECK(told.at("type").as_int64() == 2);
  CHECK(told.at("message").as_string() ==
        "tour in doc.md: No conversation found with session ID: "
        "01234567-89ab-cdef-0123-456789abcdef. The turn goes on in a new session, "
        "which is given "
        "the document to read. `resume` keeps the old session until the new one has answered.");
  const std::string session(turn.at("sessionId").as_string());
  CHECK(session.size() == 36);
  CHECK(world.document().text().starts_with(head + session + "\n"));
  CHECK(world.document().text().find("01234567-89ab-cdef-0123-456789abcdef") == std::string::npos);
  CHECK(world.document().text().find("How do I stop you?\n\n## Assistant\n\n" + world.reply +
                                     "\n\n## User\n") != std::string::npos);
}

TEST_CASE("a fork at an earlier turn begins a session of its own") {
  const Home home;
  ServerWorld world(home, "My name is Ada.\n");
  world.run_to_end();
  world.document().insert(world.document().text().size(), "My cat is called Bob.");
  const std::string session(world.run_to_end().at("sessionId").as_string());
  const std::string fork_uri(world.command("agentDoc.fork", {{"turn", 1}}).at("uri").as_string());
  const std::string text = agent_doc::tests::read_file(home / "work/doc-fork.md");
  CHECK(text.find("Ada") != std::string::npos);
  CHECK(text.find("Bob") == std::string::npos);
  CHECK(text.ends_with("\n\n## User\n\n"));
  world.editor.open(fork_uri, text + "How do I stop you?");
  const json::value forked = world.run_to_end({{"uri", fork_uri}});
  CHECK(forked.at("state").as_string() == "done");
  CHECK(forked.at("sessionId").as_string() != session);
}

TEST_CASE(
    "stop, by the command and by the progress display's button, ends the turn and keeps what "
    "came") {
  for (const bool by_button : {false, true}) {
    const Home home(streaming_agent(100'000, 2));
    ServerWorld world(home);
    std::string token;
    world.client.on_request("window/workDoneProgress/create",
                            [&](const json::value& params, agent_doc::protocol::Replier reply) {
                              token = params.at("token").as_string();
                              reply.result(nullptr);
                            });
    const std::string turn = world.run();
    world.wait_for_text("w50 ");
    if (by_button) {
      world.client.notify("window/workDoneProgress/cancel", json::object{{"token", token}});
    } else {
      CHECK(world.command("agentDoc.stop").at("stopped") == true);
    }
    const json::value end = world.wait_for_end(turn);
    CHECK(end.at("state").as_string() == "cancelled");
    CHECK(whole_stream(100'000).starts_with(world.reply));
    CHECK(world.document().text() == front_matter(world.document().text(), "fake", end) +
                                         "Hello?\n\n## Assistant\n\n" + world.reply +
                                         "\n\n## User\n\n");
    CHECK(world.command("agentDoc.stop").at("stopped") == false);
  }
}

TEST_CASE("a second run while one runs is refused") {
  const Home home(streaming_agent(100'000, 2));
  ServerWorld world(home);
  world.run();
  const auto refused = world.client.request_error(
      "workspace/executeCommand",
      json::object{{"command", "agentDoc.run"},
                   {"arguments", json::array{json::object{{"uri", world.uri}}}}});
  CHECK(agent_doc::protocol::reason_of(refused) == agent_doc::protocol::RefusalReason::Busy);
  world.command("agentDoc.stop");
}

TEST_CASE("a permission question reaches the person, and the answer the agent") {
  for (const std::string kind : {"allow_once", "deny"}) {
    const Home home;
    ServerWorld world(home, "What time is it?\n");
    int asked = 0;
    world.client.on_request("window/showMessageRequest",
                            [&](const json::value& params, agent_doc::protocol::Replier reply) {
                              ++asked;
                              for (const json::value& action : params.at("actions").as_array()) {
                                if (action.at("agentDocKind").as_string() == kind)
                                  return reply.result(action);
                              }
                              reply.result(nullptr);
                            });
    const json::value turn = world.run_to_end();
    CHECK(turn.at("state").as_string() == "done");
    CHECK(asked == 1);
    CHECK(world.document().text().find("## Assistant\n\n" + world.reply + "\n\n## User\n") !=
          std::string::npos);
    const bool was_told_the_time =
        world.reply.find("20") != std::string::npos && world.reply.find(":") != std::string::npos;
    CAPTURE(world.reply);
    CHECK(was_told_the_time == (kind == "allow_once"));
  }
}

TEST_CASE(
    "a person types at 25 ms a key while 1,200 deltas come at 2 ms: above, inside and below the "
    "reply") {
  const Home home(streaming_agent(1200, 2));
  ServerWorld world(home, "Hello?\n");
  const std::string turn = world.run();
  world.wait_for_text("w5 w6 ");  // an editor pushes a caret along that is right where the reply
                                  // grows; this one is inside
  const auto behind = [&](std::string_view mark) {
    return world.document().text().find(mark) + mark.size();
  };
  const Caret carets[] = {world.document().add_caret(behind("Hel")),
                          world.document().add_caret(behind("w5 ")),
                          world.document().add_caret(behind("## User\n\n"))};
  std::string typed[3];
  const auto is_typing = [&] {
    return world.document().text().find("w1199\n") == std::string::npos;
  };
  for (int key = 0; is_typing(); ++key) {
    REQUIRE(key < 4000);
    const std::string letter =
        key % 10 == 9 ? "ü" : std::string(1, static_cast<char>('A' + key % 26));
    world.document().type(carets[key % 3], letter);
    typed[key % 3] += letter;
    world.client.run_for(milliseconds{25});
  }
  const json::value end = world.wait_for_end(turn);
  CHECK(end.at("state").as_string() == "done");
  CHECK(typed[0].size() > 10);

  std::string reply = whole_stream(1200);
  CHECK(world.reply == reply);
  reply.insert(reply.find("w5 ") + 3, typed[1]);
  CHECK(world.document().text() == front_matter(world.document().text(), "fake", end) + "Hel" +
                                       typed[0] + "lo?\n\n## Assistant\n\n" + reply +
                                       "\n\n## User\n\n" + typed[2]);
  MESSAGE("edits applied: " << world.document().applied()
                            << ", refused: " << world.document().refused());
  CHECK(world.editor.violations().empty());
}

TEST_CASE("a key between the arrival of an edit and its check, at every second edit") {
  const Home home(streaming_agent(300, 2));
  ServerWorld world(home, "Hello?\n");
  std::size_t edits = 0;
  std::string typed;
  const Caret caret = world.document().add_caret(3);
  world.document().before_check = [&] {
    if (edits++ % 2 == 1) return;
    world.document().type(caret, "x");
    typed += 'x';
  };
  const json::value end = world.run_to_end();
  CHECK(typed.size() > 5);
  CHECK(world.document().refused() == typed.size());
  CHECK(world.document().text() == front_matter(world.document().text(), "fake", end) + "Hel" +
                                       typed + "lo?\n\n## Assistant\n\n" + whole_stream(300) +
                                       "\n\n## User\n\n");
}

TEST_CASE("the end of standard input ends a running agent and the server within two seconds") {
  const Home home(streaming_agent(100'000, 2, "agents"));
  ServerWorld world(home);
  world.run();
  world.wait_for_text("w5 ");
  const auto agents = read_pids(home / "work/agents");
  REQUIRE(agents.size() == 1);
  const auto begin = steady_clock::now();
  world.client.close_input();
  CHECK(world.client.wait_for_exit() == 1);
  CHECK(steady_clock::now() - begin < kLastsAtMost);
  CHECK_FALSE(is_running(agents[0]));
}

TEST_CASE("shutdown and exit with a warm agent: code 0, and no agent is left") {
  const Home home(streaming_agent(3, 0, "agents"));
  ServerWorld world(home);
  world.run_to_end();
  const auto agents = read_pids(home / "work/agents");
  REQUIRE(agents.size() == 1);
  CHECK(is_running(agents[0]));
  CHECK(world.client.shut_down() == 0);
  CHECK_FALSE(is_running(agents[0]));
}

TEST_CASE("kill -9 of the server leaves no agent after two seconds") {
  const Home home(streaming_agent(100'000, 2, "agents"));
  ServerWorld world(home);
  world.run();
  world.wait_for_text("w5 ");
  const auto agents = read_pids(home / "work/agents");
  REQUIRE(agents.size() == 1);
  world.client.kill(SIGKILL);
  CHECK(world.client.wait_for_exit() == 128 + SIGKILL);
  CHECK(wait_until_gone(agents[0], kLastsAtMost));
}

TEST_CASE(
    "what an agent started in a session of its own and without an environment is gone after a "
    "stop, and after kill -9 of the server") {
  // The agent, a child in its group, one in a session of its own, and one like `env -i setsid
  // PROGRAM &`; none of them heeds a polite signal.
  const Home home(
      "default_agent = \"fake\"\n[agents.fake]\ndialect = \"claude\"\ncommand = "
      "\"" MISBEHAVING_AGENT "\"\nargs = [\"--pid-file\", \"agents\", \"family\"]\n");
  ServerWorld world(home);
  const std::string turn = world.run();
  const std::string file = home / "work/agents";
  world.client.wait_until("the agent and its family run", [&] {
    return std::filesystem::exists(file) && read_pids(file).size() == 4;
  });
  const auto family = read_pids(file);
  SUBCASE("a stop") {
    CHECK(world.command("agentDoc.stop").at("stopped") == true);
    CHECK(world.wait_for_end(turn).at("state") == "cancelled");
    for (const pid_t pid : family)
      world.client.wait_until("its family is gone",
                              [&] { return !agent_doc::process_test::is_running(pid); });
    CHECK(world.client.shut_down() == 0);
  }
  SUBCASE("kill -9 of the server") {
    world.client.kill(SIGKILL);
    CHECK(world.client.wait_for_exit() == 128 + SIGKILL);
    for (const pid_t pid : family) CHECK(wait_until_gone(pid, kLastsAtMost));
  }
}

std::size_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator folder("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

/// Numbers of the processes whose parent is `pid`, zombies too.
std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t child = std::stoi(name);
    if (agent_doc::process_test::status_field(child, "PPid") == std::to_string(pid))
      children.push_back(child);
  }
  return children;
}

TEST_CASE("200 runs, each with a new agent, leave no process, no descriptor and no file") {
  const Home home(streaming_agent(3, 0, "agents"));
  ServerWorld world(home);
  std::vector<std::string> files;
  std::size_t descriptors = 0;
  std::size_t children = 0;
  constexpr int kRuns = 200;
  for (int run = 1; run <= kRuns; ++run) {
    world.command("agentDoc.newSession");
    world.document().replace_all("Run " + std::to_string(run) + "\n");
    REQUIRE(world.run_to_end().at("state").as_string() == "done");
    REQUIRE(world.reply == "w0 w1 w2 ");
    const auto agents = read_pids(home / "work/agents");
    REQUIRE(agents.size() == static_cast<std::size_t>(run));
    // The agent of the run before was asked to end when this one's session began.
    if (run > 1) REQUIRE(wait_until_gone(agents[agents.size() - 2]));
    if (run != 5) continue;
    files = home.files();
    descriptors = descriptors_of(world.client.pid());
    children = children_of(world.client.pid()).size();
  }
  world.client.wait_until("the last but one agent is reaped",
                          [&] { return children_of(world.client.pid()).size() <= children; });
  CHECK(descriptors_of(world.client.pid()) <= descriptors);
  CHECK(home.files() == files);
  CHECK(world.client.shut_down() == 0);
  for (const pid_t agent : read_pids(home / "work/agents")) CHECK_FALSE(is_running(agent));
}

TEST_CASE(
    "a document that is closed in the middle of a turn gets the rest of the reply into its file") {
  const Home home(streaming_agent(300, 2));
  ServerWorld world(home, "Hello?\n");
  const std::string turn = world.run();
  world.wait_for_text("w5 ");
  const std::string saved = world.document().text();
  agent_doc::tests::write_file(home.document(), saved);
  world.editor.close(world.uri);
  const json::value end = world.wait_for_end(turn);
  const std::string whole = front_matter(saved, "fake", end) + "Hello?\n\n## Assistant\n\n" +
                            whole_stream(300) + "\n\n## User\n\n";
  world.client.wait_until("the file has the reply",
                          [&] { return agent_doc::tests::read_file(home.document()) == whole; });
  world.editor.open(world.uri, whole);
  CHECK(world.client.shut_down() == 0);
  CHECK(agent_doc::tests::read_file(home.document()) == whole);
}

TEST_CASE("problems of the configuration are told once, a missing agent when it is wanted") {
  const Home home(
      "default_agent = \"fake\"\n[agents.fake]\ndialect = \"claude\"\ncommand = "
      "\"/no/such/agent\"\ncolour = \"red\"\n");
  ServerWorld world(home);
  const json::value message = world.client.wait_for_notification("window/showMessage");
  CHECK(message.at("type").as_int64() == 2);
  CHECK(std::string(message.at("message").as_string())
            .find("config.toml:5: unknown key `colour` in [agents.fake]") != std::string::npos);
  const json::object run{{"command", "agentDoc.run"},
                         {"arguments", json::array{json::object{{"uri", world.uri}}}}};
  const auto refused = world.client.request_error("workspace/executeCommand", run);
  CHECK(agent_doc::protocol::reason_of(refused) ==
        agent_doc::protocol::RefusalReason::UnknownAgent);
  CHECK(refused.message.find("/no/such/agent") != std::string::npos);
  CHECK(world.document().text() == "Hello?\n");
}

}  // namespace server_test
