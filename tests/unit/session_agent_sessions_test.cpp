#include "server/process/launch_error.hpp"
#include "tests/unit/session_test.hpp"

#include <algorithm>

namespace session_agent_sessions_test {

using namespace agent_doc::session_test;

const std::string kGone =
    R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"gone","errors":["No conversation found with session ID: gone"]})";

TEST_CASE(
    "an agent works where agent_doc_cwd really leads, and not at all when that is outside of the "
    "workspace") {
  SessionWorld world("---\nagent: claude\nagent_doc_cwd: sub\n---\nHello?\n");
  world.links["/w/sub"] = "";
  const auto outcome = world.session.run({});
  REQUIRE(refused(outcome, RefusalKind::Invalid));
  CHECK(std::get<Refusal>(outcome).message ==
        "agent_doc_cwd `sub` leads out of it: correct it in the front matter");
  CHECK(world.launches.empty());
  world.links["/w/sub"] = "/w/real/place";
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.launches.size() == 1);
  CHECK(world.launches[0].cwd == "/w/real/place");
}

TEST_CASE(
    "a folder that is missing is named, with what to do; nobody is told to install the agent") {
  SessionWorld world("---\nagent: claude\n---\nHello?\n");
  world.launch_error =
      agent_doc::process::make_error_code(agent_doc::process::LaunchError::FolderMissing);
  auto outcome = world.session.run({});
  REQUIRE(refused(outcome, RefusalKind::Invalid));
  CHECK(std::get<Refusal>(outcome).message ==
        "the agent claude could not be started in the folder /w: the working folder does not "
        "exist. Make that folder, or open the document "
        "from one that "
        "can be used, and run again");
  world.launch_error =
      agent_doc::process::make_error_code(agent_doc::process::LaunchError::CommandNotFound);
  outcome = world.session.run({});
  REQUIRE(refused(outcome, RefusalKind::UnknownAgent));
  CHECK(std::get<Refusal>(outcome).message.ends_with("). install it"));
  world.launch_error = {};
  world.folder_of_work = {{}, "there is no folder"};
  outcome = world.session.run({});
  REQUIRE(refused(outcome, RefusalKind::Invalid));
  CHECK(std::get<Refusal>(outcome).message == "there is no folder");
  CHECK(world.launches.empty());
}

TEST_CASE("a document with `resume` resumes that session in a new process") {
  SessionWorld world(with_front_matter("s-9", "## User\n\nAgain\n"));
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.launches.size() == 1);
  const auto& args = world.launches[0].args;
  const auto resume = std::find(args.begin(), args.end(), "--resume");
  REQUIRE(resume != args.end());
  CHECK(*(resume + 1) == "s-9");
  CHECK(std::find(args.begin(), args.end(), "--fork-session") == args.end());
}

TEST_CASE(
    "a session that the agent does not know: the turn goes on in a new one that reads the "
    "document, and says so") {
  const std::string body = "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nAgain\n";
  SessionWorld world(with_front_matter("gone", body));
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.written.back().find("Assistant") == std::string::npos);
  agent_doc::process::ChildObserver* const old = world.observer;
  world.say(kGone);
  REQUIRE(world.launches.size() == 2);
  old->on_exit({1, 0, "No conversation found with session ID: gone"});
  const auto& args = world.launches[1].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(world.written.back().find("This is the markdown document that we write together") !=
        std::string::npos);
  CHECK(world.written.back().find("Again") != std::string::npos);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "claude in doc.md: No conversation found with session ID: gone. The turn goes on in a new "
        "session, which is given the document to "
        "read. "
        "`resume` keeps the old session until the new one has answered.");
  world.say_session("s-2");
  world.say_message_start("m1");
  world.run_until_quiet();
  CHECK(world.editor.text().find("\nresume: gone\n") != std::string::npos);
  world.say_text("C");
  world.say_result("s-2");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.editor.text() ==
        with_front_matter(
            "s-2", body.substr(0, body.size() - 1) + "\n\n## Assistant\n\nC\n\n## User\n\n"));
}

TEST_CASE(
    "… and when nothing comes of the new session either, the document stays as it was, `resume` "
    "too") {
  const std::string before = with_front_matter("gone", "## User\n\nAgain\n");
  SessionWorld world(before);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say(kGone);
  world.say_session("s-2");
  world.exit({1, 0, "boom"});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.editor.text() == before);
}

TEST_CASE("… and a new agent that cannot be started fails the turn with both reasons") {
  SessionWorld world(with_front_matter("gone", "## User\n\nAgain\n"));
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.launch_error = make_error_code(boost::system::errc::no_such_file_or_directory);
  world.say(kGone);
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.views.back().failure.find("No conversation found") != std::string::npos);
  CHECK(world.views.back().failure.find("install it") != std::string::npos);
}

TEST_CASE("stopped while the lost session is being told: cancelled, and no new session") {
  SessionWorld world(with_front_matter("gone", "## User\n\nAgain\n"));
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.session.stop());
  world.say(kGone);
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Cancelled);
  CHECK(world.launches.size() == 1);
}

TEST_CASE(
    "what somebody types into the front matter the moment it is written stays, and is not written "
    "over") {
  for (const char* key : {"agent_doc_session: ", "agent: ", "resume: "}) {
    CAPTURE(key);
    SessionWorld world(kBare);
    REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
    world.say_session("s-1");
    bool typed = false;
    while (world.edit) {
      const agent_doc::sync::OutgoingEdit sent = *std::exchange(world.edit, std::nullopt);
      world.editor.apply(sent.edit);
      world.session.did_change(++world.version, {sent.edit});
      if (!typed && world.editor.text().find(key) != std::string::npos) {
        typed = true;
        world.type_behind(key, "mine ");
        const auto [version, change] = world.changes.front();
        world.changes.pop_front();
        world.session.did_change(version, {change});
      }
      world.session.edit_answered(agent_doc::sync::Answer::Applied);
    }
    CHECK(typed);
    world.say_message_start("m1");
    world.say_text("Hi.");
    world.say_result("s-1");
    world.run_until_quiet();
    std::string text =
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n");
    text.insert(text.find(key) + std::string_view(key).size(), "mine ");
    CHECK(world.editor.text() == text);
  }
}

TEST_CASE(
    "another agent in the middle of a document gets a session of its own, and both are kept") {
  const std::string body = "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n";
  SessionWorld world(with_front_matter("s-1", body));
  const std::size_t at = world.editor.text().find("claude");
  world.type(at, at + 6, "other");
  while (world.step()) {
  }
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  const auto& args = world.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(world.written.back().find("\\n\\nB\\n") != std::string::npos);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "other begins a session of its own in doc.md and is given the document to read; the "
        "session of claude is kept.");
  world.say_session("o-1");
  world.say_message_start("m1");
  world.say_text("D");
  world.say_result("o-1");
  world.run_until_quiet();
  const std::string head =
      "---\nagent_doc_session: uuid-2\nagent: other\nresume: {claude: s-1, other: o-1}\n---\n";
  CHECK(world.editor.text() ==
        head + body.substr(0, body.size() - 1) + "\n\n## Assistant\n\nD\n\n## User\n\n");

  // Back to the first one: it resumes its session, and reads what the other one said.
  world.type(world.editor.size(), world.editor.size(), "E");
  while (world.step()) {
  }
  RunRequest request;
  request.agent = "claude";
  REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
  REQUIRE(world.launches.size() == 2);
  const auto& back = world.launches[1].args;
  const auto resume = std::find(back.begin(), back.end(), "--resume");
  REQUIRE(resume != back.end());
  CHECK(*(resume + 1) == "s-1");
  CHECK(world.written.back().find("\\n\\nD\\n") != std::string::npos);
}

TEST_CASE("a new session takes `resume` out; the next run begins anew and sends the document") {
  SessionWorld world(
      with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n"));
  CHECK(std::holds_alternative<std::string>(world.session.new_session()));
  world.run_until_quiet();
  CHECK(world.editor.text() == kHead + "---\n## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  const auto& args = world.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(world.written.back().find("B") != std::string::npos);
}

TEST_CASE("fork: a linked document whose first run forks the session and keeps its own id") {
  const std::string original =
      with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
  SessionWorld world(original);
  const auto forked = world.session.fork("/w/doc-fork.md");
  REQUIRE(std::holds_alternative<agent_doc::session::ForkedDocument>(forked));
  const std::string text = std::get<agent_doc::session::ForkedDocument>(forked).text;
  CHECK(text ==
        "---\nagent_doc_session: uuid-1\nagent: claude\nforked_from: {file: \"doc.md\", session: "
        "\"s-1\", turn: 1}\n---\n## "
        "User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
  CHECK(world.editor.text() == original);

  SessionWorld fork(text);
  REQUIRE(std::holds_alternative<std::string>(fork.session.run({})));
  const auto& args = fork.launches[0].args;
  const auto resume = std::find(args.begin(), args.end(), "--resume");
  REQUIRE(resume != args.end());
  CHECK(*(resume + 1) == "s-1");
  CHECK(std::find(args.begin(), args.end(), "--fork-session") != args.end());
  fork.say_session("s-2");
  fork.say_message_start("m1");
  fork.say_text("D");
  fork.say_result("s-2");
  fork.run_until_quiet();
  CHECK(fork.editor.text().find("\nresume: s-2\n") != std::string::npos);

  SessionWorld never_run(kBare);
  CHECK(std::holds_alternative<Refusal>(never_run.session.fork("/w/x.md")));
}

TEST_CASE(
    "fork at an earlier turn: the document's beginning, in a session of its own that reads it") {
  const std::string body =
      "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n\n## Assistant\n\nD\n\n## User\n\n";
  SessionWorld world(with_front_matter("s-1", body));
  const auto forked_at = [&](std::size_t turn) {
    const auto outcome = world.session.fork("/w/doc-fork.md", turn);
    const auto* forked = std::get_if<agent_doc::session::ForkedDocument>(&outcome);
    return forked != nullptr ? forked->text : std::get<Refusal>(outcome).message;
  };
  CHECK(forked_at(1) ==
        "---\nagent_doc_session: uuid-1\nagent: claude\nforked_from: {file: \"doc.md\", turn: "
        "1}\n---\n## User\n\nA\n\n## "
        "Assistant\n\nB\n\n## User\n\n");
  CHECK(forked_at(2) ==
        "---\nagent_doc_session: uuid-2\nagent: claude\nforked_from: {file: \"doc.md\", session: "
        "\"s-1\", turn: 2}\n---\n" +
            body);
  CHECK(forked_at(3) == "doc.md has 2 replies: there is no turn 3 to fork it at");

  SessionWorld fork(forked_at(1) + "E\n");
  REQUIRE(std::holds_alternative<std::string>(fork.session.run({})));
  const auto& args = fork.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(fork.written.back().find("\\n\\nB\\n") != std::string::npos);
}

}  // namespace session_agent_sessions_test
