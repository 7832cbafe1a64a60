// What outlives a document, a client and a server: the replies in the store, and the leases of
// agents' sessions. Real programs, real files.
#include "tests/e2e/command_run.hpp"
#include "tests/e2e/server_world.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <csignal>
#include <string>
#include <string_view>

namespace store_e2e_test {

namespace json = boost::json;
using namespace agent_doc::e2e;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

/// What replay_agent says in its first turn, up to its word `words`.
std::string stream_of(int words) {
  std::string text;
  for (int i = 0; i < words; ++i) text += "w" + std::to_string(i) + (i % 12 == 11 ? "\n" : " ");
  return text;
}

std::string value_in(const std::string& document, const std::string& key) {
  const std::size_t at = document.find("\n" + key + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 3;
  return document.substr(begin, document.find('\n', begin) - begin);
}

/// What stands between the frame's headings.
std::string reply_in(const std::string& document) {
  const std::string head = "## Assistant\n\n";
  const std::size_t begin = document.find(head) + head.size();
  return document.substr(begin, document.find("\n\n## User", begin) - begin);
}

struct Finished {
  int code = 0;
  std::string out;
  std::string error;
};

Finished finished(const Desk& desk, std::vector<std::string> arguments) {
  CommandRun run(desk, std::move(arguments));
  const int code = run.wait();
  return {code, run.out(), run.error()};
}

TEST_CASE(
    "a run that is killed: recover brings what had come into the file, once; log tells all of it") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "2"});
  write_file(desk / "a.md", "Hello?\n");
  {
    CommandRun run(desk, {"run", "a.md", "--json"});
    REQUIRE(run.wait_until([&] { return run.out().find("w400 ") != std::string::npos; }));
    run.signal(SIGKILL);
    CHECK(run.wait() == 128 + SIGKILL);
  }
  const std::string crashed = read_file(desk / "a.md");
  const Finished recovered = finished(desk, {"recover", "a.md"});
  CHECK(recovered.error == "");
  CHECK(recovered.code == 0);
  CHECK(recovered.out ==
        "What was missing of the last reply of fake (interrupted) is in a.md now.\n");
  const std::string text = read_file(desk / "a.md");
  const std::string reply = reply_in(text);
  CHECK(reply.size() >= reply_in(crashed).size());
  CHECK(stream_of(100'000).starts_with(reply));
  CHECK(text == "---\nagent_doc_session: " + value_in(text, "agent_doc_session") +
                    "\nagent: fake\nresume: " + value_in(text, "resume") +
                    "\n---\n\nHello?\n\n## Assistant\n\n" + reply + "\n\n## User\n\n");
  const Finished again = finished(desk, {"recover", "a.md"});
  CHECK(again.code == 3);
  CHECK(again.error ==
        "agent-doc: nothing of the last reply is missing in a.md; earlier ones: agent-doc log "
        "a.md\n");
  CHECK(read_file(desk / "a.md") == text);

  const Finished list = finished(desk, {"log", "a.md"});
  CHECK(list.code == 0);
  CHECK(list.out.starts_with("1  20"));
  CHECK(list.out.find("  fake  interrupted (") != std::string::npos);
  CHECK(list.out.ends_with("  Hello?\n"));
  const json::value turn = json::parse(finished(desk, {"log", "--turn", "1", "--json"}).out);
  CHECK(turn.at("state") == "interrupted");
  CHECK(turn.at("prompt") == "Hello?");
  CHECK(turn.at("file").as_string() == desk / "a.md");
  CHECK(turn.at("reply").as_string() == reply);
  CHECK(finished(desk, {"log", "--search", "hello w3"}).out == finished(desk, {"log"}).out);
  CHECK(finished(desk, {"log", "--search", "absent"}).code == 3);
  CHECK(finished(desk, {"log", "--turn", "2"}).code == 2);
}

TEST_CASE("the log of a person who has run nothing, and of a document that was not run") {
  const Desk desk;
  write_file(desk / "a.md", "Hello?\n");
  const Finished log = finished(desk, {"log"});
  CHECK(log.code == 3);
  CHECK(log.error == "agent-doc: there is no store at " + desk.home() +
                         "/state/agent-doc/state.db yet: it is made by the first run\n");
  CHECK(finished(desk, {"log", "a.md"}).code == 3);
  CHECK(finished(desk, {"recover", "a.md"}).code == 3);
  CHECK(finished(desk, {"log", "b.md"}).code == 2);
}

TEST_CASE("a reply that ended well needs no recovery, and its rounds are in the log") {
  const Desk desk;
  write_file(desk / "a.md", "Work a little, please: rounds\n");
  REQUIRE(finished(desk, {"run", "a.md", "--agent", "tour"}).code == 0);
  CHECK(finished(desk, {"recover", "a.md"}).code == 3);
  const std::string document = read_file(desk / "a.md");
  const json::value turn = json::parse(finished(desk, {"log", "--turn", "1", "--json"}).out);
  CHECK(turn.at("state") == "done");
  CHECK(turn.at("reply").as_string() == reply_in(document));
  const std::string report = finished(desk, {"log", "--turn", "1"}).out;
  CHECK(report.find("\n--- prompt ---\nWork a little, please: rounds\n") != std::string::npos);
  CHECK(report.ends_with("\n--- reply ---\n" + reply_in(document) + "\n"));
  CHECK(turn.at("earlierRounds").as_array().size() > 0);
}

TEST_CASE(
    "kill -9 of the server while the document is unsaved: the next server offers the reply, and "
    "writes it once") {
  const Home home(streaming_agent(100'000, 2));
  {
    ServerWorld world(home);
    world.run();
    world.wait_for_text("w300 ");
    world.client.kill(SIGKILL);
    CHECK(world.client.wait_for_exit() == 128 + SIGKILL);
  }
  ServerWorld world(home);
  const json::value message = world.client.wait_for_notification("window/showMessage");
  CHECK(message.at("message").as_string().starts_with(
      "The last reply of fake in doc.md (interrupted) is not all there."));
  const json::value actions = world.client.request(
      "textDocument/codeAction",
      json::object{
          {"textDocument", json::object{{"uri", world.uri}}},
          {"range",
           json::parse(R"({"start":{"line":0,"character":0},"end":{"line":0,"character":0}})")},
          {"context", json::object{{"diagnostics", json::array{}}}}});
  CHECK(json::serialize(actions).find("agentDoc.recoverReply") != std::string::npos);
  world.command("agentDoc.recoverReply");
  world.wait_for_text("w100 ");
  world.client.wait_until("the session is back",
                          [&] { return !value_in(world.document().text(), "resume").empty(); });
  const std::string text = world.document().text();
  const std::string reply = reply_in(text);
  CHECK(stream_of(100'000).starts_with(reply));
  CHECK(text == "---\nagent_doc_session: " + value_in(text, "agent_doc_session") +
                    "\nagent: fake\nresume: " + value_in(text, "resume") +
                    "\n---\n\nHello?\n\n## Assistant\n\n" + reply + "\n\n## User\n\n");
  CHECK_THROWS(world.command("agentDoc.recoverReply"));
  CHECK(world.client.shut_down() == 0);
}

TEST_CASE("one session at a time: a copy of a document waits for the turn of the other one") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "2"});
  write_file(desk / "a.md", "Hello?\n");
  CommandRun first(desk, {"run", "a.md"});
  REQUIRE(first.wait_until([&] { return !value_in(read_file(desk / "a.md"), "resume").empty(); }));
  const std::string session = value_in(read_file(desk / "a.md"), "resume");
  write_file(desk / "copy.md", "---\nagent: fake\nresume: " + session + "\n---\n\nHello, too?\n");
  const Finished second = finished(desk, {"run", "copy.md"});
  CHECK(second.code == 4);
  CHECK(second.error.find("the session of fake in copy.md is in use for " + (desk / "a.md") +
                          " (process ") != std::string::npos);
  CHECK(read_file(desk / "copy.md") ==
        "---\nagent: fake\nresume: " + session + "\n---\n\nHello, too?\n");
  first.signal(SIGKILL);
  first.wait();
  CommandRun third(desk, {"run", "copy.md"});
  CHECK(third.wait_until(
      [&] { return read_file(desk / "copy.md").find("w5 ") != std::string::npos; }));
  third.signal(SIGINT);
  CHECK(third.wait() == 130);
}

TEST_CASE(
    "two servers share a session turn by turn: the agent of the first one learns what was said in "
    "the second") {
  const Home home;
  ServerWorld first(home, "hello from the first\n");
  first.run_to_end();
  const std::string session = value_in(first.document().text(), "resume");
  ServerWorld second(home,
                     "---\nagent: tour\nresume: " + session + "\n---\n\nhello from the second\n");
  second.run_to_end();
  first.document().insert(first.document().text().size(), "history\n");
  first.run_to_end();
  CHECK(first.reply.find("hello from the first") != std::string::npos);
  CHECK(first.reply.find("hello from the second") != std::string::npos);
  CHECK(second.client.shut_down() == 0);
  CHECK(first.client.shut_down() == 0);
}

}  // namespace store_e2e_test
