#include "tests/fakes/session_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using agent_doc::fakes::SessionWorld;
using agent_doc::session::Refusal;
using agent_doc::session::RefusalKind;
using agent_doc::session::RunRequest;
using agent_doc::turn::TurnState;

const std::string kHead = "---\nagent_doc_session: uuid-2\nagent: claude\n";
const std::string kBare = "Hello?\n";

std::string with_front_matter(const std::string& session, const std::string& body) { return kHead + "resume: " + session + "\n---\n" + body; }

/// The same with the blank line that a run leaves below front matter that it added itself.
std::string with_added_front_matter(const std::string& session, const std::string& body) { return with_front_matter(session, "\n" + body); }

bool refused(const agent_doc::session::Outcome<std::string>& outcome, RefusalKind kind) {
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal != nullptr && refusal->kind == kind && !refusal->message.empty();
}

TurnState last_state(const SessionWorld& world) { return world.views.back().state; }

/// A whole turn that answers "Hi." in session s-1.
void run_once(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Hi.");
  world.say_result("s-1");
  world.run_until_quiet();
}

}  // namespace

TEST_CASE("a run of a bare document writes front matter, frame and reply, and nothing else") {
  SessionWorld world(kBare);
  run_once(world);
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\n"));
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.views.back().reply_landed);
  CHECK(world.views.back().session_id == "s-1");
  CHECK(world.reply == "Hi.");
  CHECK(world.messages.empty());
}

TEST_CASE("the second run keeps the warm agent and sends the new prompt only") {
  SessionWorld world(kBare);
  run_once(world);
  world.type(world.editor.size(), world.editor.size(), "And now?");
  while (world.step()) {
  }
  world.written.clear();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.launches.size() == 1);
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("And now?") != std::string::npos);
  CHECK(world.written[0].find("Hello?") == std::string::npos);
  world.say_session("s-1");
  world.say_message_start("m2");
  world.say_text("Now.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nHi.\n\n## User\n\nAnd now?\n\n## Assistant\n\nNow.\n\n## User\n\n"));
}

TEST_CASE("a heading of the reply that reads like a turn's begins none: the next run asks what the person wrote") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("The tables:\\n\\n## User\\n\\nname");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nThe tables:\n\n### User\n\nname\n\n## User\n\n"));
  CHECK(refused(world.session.run({}), RefusalKind::NothingToSend));
  world.type(world.editor.size(), world.editor.size(), "And now?");
  while (world.step()) {
  }
  world.written.clear();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("And now?") != std::string::npos);
  CHECK(world.written[0].find("name") == std::string::npos);
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

namespace {

const std::string kGone =
    R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"gone","errors":["No conversation found with session ID: gone"]})";

}  // namespace

TEST_CASE("a session that the agent does not know: the turn goes on in a new one that reads the document, and says so") {
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
  CHECK(world.written.back().find("This is the markdown document that we write together") != std::string::npos);
  CHECK(world.written.back().find("Again") != std::string::npos);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "claude in doc.md: No conversation found with session ID: gone. The turn goes on in a new session, which is given the document to read. "
        "`resume` keeps the old session until the new one has answered.");
  world.say_session("s-2");
  world.say_message_start("m1");
  world.run_until_quiet();
  CHECK(world.editor.text().find("\nresume: gone\n") != std::string::npos);
  world.say_text("C");
  world.say_result("s-2");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Done);
  CHECK(world.editor.text() == with_front_matter("s-2", body.substr(0, body.size() - 1) + "\n\n## Assistant\n\nC\n\n## User\n\n"));
}

TEST_CASE("… and when nothing comes of the new session either, the document stays as it was, `resume` too") {
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

TEST_CASE("another agent in the middle of a document gets a session of its own, and both are kept") {
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
  CHECK(world.messages[0] == "other begins a session of its own in doc.md and is given the document to read; the session of claude is kept.");
  world.say_session("o-1");
  world.say_message_start("m1");
  world.say_text("D");
  world.say_result("o-1");
  world.run_until_quiet();
  const std::string head = "---\nagent_doc_session: uuid-2\nagent: other\nresume: {claude: s-1, other: o-1}\n---\n";
  CHECK(world.editor.text() == head + body.substr(0, body.size() - 1) + "\n\n## Assistant\n\nD\n\n## User\n\n");

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

TEST_CASE("typing above, inside and below the reply while it streams") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  world.type_behind("Hello?", " (above)");
  world.say_text("two ");
  world.type_behind("one", "!");
  world.say_text("three");
  world.type(world.editor.size(), world.editor.size(), "below");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello? (above)\n\n## Assistant\n\none! two three\n\n## User\n\nbelow"));
  CHECK(world.refused > 0);
}

TEST_CASE("the first text leaves the moment its frame has landed, before the session is noted") {
  SessionWorld world(kHead + "---\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one");
  const auto before = world.clock;
  REQUIRE(world.step());
  REQUIRE(world.edit);
  CHECK(world.edit->edit.replacement == "one");
  CHECK(world.clock == before);
  world.say_text(" two");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\none two\n\n## User\n\n"));
}

TEST_CASE("a CRLF document gets CRLF, also where a later round replaces the reply") {
  SessionWorld world("## User\r\n\r\nHello?\r\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("first\\nround\\n");
  world.run_until_quiet();
  world.say_tool("t1");
  world.say_message_start("m2");
  world.say_text("second\\nround");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        "---\r\nagent_doc_session: uuid-2\r\nagent: claude\r\nresume: s-1\r\n---\r\n\r\n## User\r\n\r\nHello?\r\n\r\n## Assistant\r\n\r\nsecond\r\nround\r\n\r\n## User\r\n\r\n");
}

TEST_CASE("a second run while one runs is refused, never doubled") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(refused(world.session.run({}), RefusalKind::Busy));
  CHECK(world.launches.size() == 1);
}

TEST_CASE("what cannot be run is refused in words, and the document stays as it is") {
  const std::string empty_prompt = "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\n";
  SessionWorld nothing(empty_prompt);
  CHECK(refused(nothing.session.run({}), RefusalKind::NothingToSend));
  nothing.run_until_quiet();
  CHECK(nothing.editor.text() == empty_prompt);

  SessionWorld unknown("---\nagent: nobody\n---\nHi\n");
  CHECK(refused(unknown.session.run({}), RefusalKind::UnknownAgent));

  SessionWorld missing(kBare);
  missing.launch_error = make_error_code(boost::system::errc::no_such_file_or_directory);
  CHECK(refused(missing.session.run({}), RefusalKind::UnknownAgent));
  missing.run_until_quiet();
  CHECK(missing.editor.text() == kBare);
}

TEST_CASE("a turn that fails before any text takes its frame back") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\n\n\n## User\n\n"));
  world.exit({1, 0, "boom"});
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n"));
  CHECK(last_state(world) == TurnState::Failed);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("boom") != std::string::npos);
}

TEST_CASE("… but not when somebody wrote into it") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.run_until_quiet();
  world.type(world.editor.size(), world.editor.size(), "next");
  world.type_behind("## Assistant", " mine");
  world.exit({1, 0, "boom"});
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant mine\n\n\n\n## User\n\nnext"));
}

TEST_CASE("stop asks the agent, keeps what came, and escalates when the agent does not listen") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("half a ");
  world.run_until_quiet();
  world.written.clear();
  CHECK(world.session.stop());
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("interrupt") != std::string::npos);
  world.clock += std::chrono::milliseconds{2000};
  world.session.wake();
  CHECK(world.written.back() == "<stop>");
  world.exit({0, 9, ""});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Cancelled);
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nhalf a \n\n## User\n\n"));
  CHECK_FALSE(world.session.stop());
}

TEST_CASE("permission: one question at a time, never allowed by default, cancelled on stop") {
  SessionWorld world(kBare);
  const auto run = world.session.run({});
  REQUIRE(std::holds_alternative<std::string>(run));
  const std::string turn = std::get<std::string>(run);
  world.say_session("s-1");
  world.say_permission("p1");
  world.say_permission("p2");
  CHECK(world.asked == std::vector<std::string>{"p1"});
  CHECK(last_state(world) == TurnState::Waiting);
  CHECK_FALSE(world.session.answer(turn, "p2", {}));
  CHECK_FALSE(world.session.answer(turn, "p1", "not an option"));
  world.written.clear();
  const std::string deny = [&] {
    for (const auto& option : world.views.back().permission->options) {
      if (option.kind == agent_doc::plugins::OptionKind::Deny) return option.id;
    }
    return std::string();
  }();
  CHECK(world.session.answer(turn, "p1", deny));
  REQUIRE(world.written.size() == 1);
  CHECK(world.written[0].find("\"deny\"") != std::string::npos);
  CHECK(world.asked == std::vector<std::string>{"p1", "p2"});
  CHECK(world.withdrawn == std::vector<std::string>{"p1"});
  world.written.clear();
  CHECK(world.session.stop());
  CHECK(world.withdrawn == std::vector<std::string>{"p1", "p2"});
  REQUIRE(world.written.size() >= 2);
  CHECK(world.written[0].find("\"allow\"") == std::string::npos);
}

TEST_CASE("undo of the reply pauses it; going on writes the rest and never what was undone") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  const std::size_t at = world.editor.text().find("one ");
  world.type(at, at + 4, "");
  world.say_text("two ");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n\n## Assistant\n\n\n\n## User\n\n"));
  REQUIRE(world.messages.size() == 1);
  CHECK(std::holds_alternative<std::string>(world.session.continue_reply()));
  world.say_text("three");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n\n## Assistant\n\ntwo three\n\n## User\n\n"));
}

TEST_CASE("a deleted region is left alone; the whole reply can be put at the end") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  const std::size_t at = world.editor.text().find("\n\n## Assistant");
  world.type(at, world.editor.size(), "\n");
  world.say_text("two");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n"));
  CHECK(world.reply == "one two");
  CHECK(std::holds_alternative<std::string>(world.session.continue_reply()));
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n\n## Assistant\n\none two\n\n## User\n\n"));
}

TEST_CASE("a read-only editor: the edits stop, the person is told, the reply is kept") {
  SessionWorld world(kBare);
  world.refuse_edits = true;
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("kept");
  world.say_result("s-1");
  world.run_until_quiet(std::chrono::hours{1});
  CHECK(world.editor.text() == kBare);
  CHECK(world.refused == agent_doc::sync::kMaxRefusalsAtOneVersion);
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0].find("read-only") != std::string::npos);
  CHECK(world.reply == "kept");
  world.refuse_edits = false;
  world.type(0, 0, "!");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "!Hello?\n\n## Assistant\n\nkept\n\n## User\n\n"));
}

TEST_CASE("a given prompt is written under the open heading and sent") {
  SessionWorld world(with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\n"));
  RunRequest request;
  request.prompt = "What next?";
  REQUIRE(std::holds_alternative<std::string>(world.session.run(request)));
  CHECK(world.written.back().find("What next?") != std::string::npos);
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("This.");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() ==
        with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nWhat next?\n\n## Assistant\n\nThis.\n\n## User\n\n"));
}

TEST_CASE("a new session takes `resume` out; the next run begins anew and sends the document") {
  SessionWorld world(with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n"));
  CHECK(std::holds_alternative<std::string>(world.session.new_session()));
  world.run_until_quiet();
  CHECK(world.editor.text() == kHead + "---\n## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  const auto& args = world.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(world.written.back().find("B") != std::string::npos);
}

TEST_CASE("fork: a linked document whose first run forks the session and keeps its own id") {
  const std::string original = with_front_matter("s-1", "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
  SessionWorld world(original);
  const auto forked = world.session.fork("/w/doc-fork.md");
  REQUIRE(std::holds_alternative<agent_doc::session::ForkedDocument>(forked));
  const std::string text = std::get<agent_doc::session::ForkedDocument>(forked).text;
  CHECK(text ==
        "---\nagent_doc_session: uuid-1\nagent: claude\nforked_from: {file: \"doc.md\", session: \"s-1\", turn: 1}\n---\n## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n");
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

TEST_CASE("fork at an earlier turn: the document's beginning, in a session of its own that reads it") {
  const std::string body = "## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\nC\n\n## Assistant\n\nD\n\n## User\n\n";
  SessionWorld world(with_front_matter("s-1", body));
  const auto forked_at = [&](std::size_t turn) {
    const auto outcome = world.session.fork("/w/doc-fork.md", turn);
    const auto* forked = std::get_if<agent_doc::session::ForkedDocument>(&outcome);
    return forked != nullptr ? forked->text : std::get<Refusal>(outcome).message;
  };
  CHECK(forked_at(1) ==
        "---\nagent_doc_session: uuid-1\nagent: claude\nforked_from: {file: \"doc.md\", turn: 1}\n---\n## User\n\nA\n\n## Assistant\n\nB\n\n## User\n\n");
  CHECK(forked_at(2) ==
        "---\nagent_doc_session: uuid-2\nagent: claude\nforked_from: {file: \"doc.md\", session: \"s-1\", turn: 2}\n---\n" + body);
  CHECK(forked_at(3) == "doc.md has 2 replies: there is no turn 3 to fork it at");

  SessionWorld fork(forked_at(1) + "E\n");
  REQUIRE(std::holds_alternative<std::string>(fork.session.run({})));
  const auto& args = fork.launches[0].args;
  CHECK(std::find(args.begin(), args.end(), "--resume") == args.end());
  CHECK(fork.written.back().find("\\n\\nB\\n") != std::string::npos);
}

TEST_CASE("first text goes at once, then one edit an interval with everything that came") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.run_until_quiet();
  const int before = world.applied;
  world.say_text("a");
  CHECK(world.edit.has_value());
  while (world.step()) {
  }
  CHECK(world.applied == before + 1);
  for (int i = 0; i < 20; ++i) world.say_text("b");
  CHECK_FALSE(world.edit.has_value());
  world.clock += agent_doc::session::kPaceForOurPlugins.interval;
  world.session.wake();
  REQUIRE(world.edit.has_value());
  CHECK(world.edit->edit.replacement == std::string(20, 'b'));
}

TEST_CASE("closing the document in mid-turn keeps the turn; opening it again goes on") {
  SessionWorld world("## User\n\nHello?\n");
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("one ");
  world.run_until_quiet();
  world.session.did_close();
  world.say_text("two ");
  CHECK_FALSE(world.edit.has_value());
  world.version = 1;
  world.session.did_open(world.version, world.editor.text());
  world.say_text("three");
  world.say_result("s-1");
  world.run_until_quiet();
  CHECK(world.editor.text() == with_added_front_matter("s-1", "## User\n\nHello?\n\n## Assistant\n\none two three\n\n## User\n\n"));
}

TEST_CASE("what streamed before a crash stays, and the person is told the agent's last words") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("half");
  world.clock += std::chrono::seconds{7};
  world.exit({139, 0, "first line\nsegmentation fault\n"});
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.editor.text() == with_added_front_matter("s-1", "Hello?\n\n## Assistant\n\nhalf\n\n## User\n\n"));
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] ==
        "claude in doc.md: The agent ended before the turn did (exit code 139): first line\nsegmentation fault. `agent-doc doctor` shows whether it starts.");
  CHECK(world.views.back().health.find("; first text after 0.0 s") != std::string::npos);
}

TEST_CASE("a text for an open document: an edit like any other, but not while a reply is written there") {
  SessionWorld world("one\ntwo\n");
  CHECK(std::holds_alternative<std::string>(world.session.write_text("one\ntwo\n", "one\nTWO\n")));
  world.type(0, 0, "typed\n");
  world.run_until_quiet();
  CHECK(world.editor.text() == "typed\none\nTWO\n");
  CHECK(world.refused == 1);
  CHECK_FALSE(world.session.engine().wants_to_write());
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(refused(world.session.write_text("", "x"), RefusalKind::Busy));
}

TEST_CASE("shut_down interrupts the turn and ends the agent") {
  SessionWorld world(kBare);
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.session.shut_down();
  CHECK(last_state(world) == TurnState::Interrupted);
  CHECK(world.written.back() == "<shutdown>");
  CHECK_FALSE(world.session.agent_gone());
  world.exit({0, 2, ""});
  CHECK(world.session.agent_gone());
}

TEST_CASE("what the agent says after its turn is not lost") {
  SessionWorld world(kBare);
  run_once(world);
  world.say(
      R"({"type":"assistant","message":{"id":"m7","role":"assistant","content":[{"type":"text","text":"The build is green."}]},"parent_tool_use_id":null})");
  REQUIRE(world.messages.size() == 1);
  CHECK(world.messages[0] == "claude said after its turn in doc.md: The build is green.");
}
