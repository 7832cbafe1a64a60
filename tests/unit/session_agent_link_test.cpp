// What it is: an agent whose plugin, or whose owner, throws in the middle of what it does: the turn
// ends with a sentence, the agent is stopped, and the program goes on.
#include "server/session/agent_link.hpp"
#include "tests/fakes/scripted_agents.hpp"
#include "tests/unit/session_test.hpp"

#include <new>
#include <stdexcept>

namespace agent_doc::session_agent_link_test {

using namespace agent_doc::session_test;

enum class Place { Nowhere, Launch, BeginTurn, List, Line, Exit, Cancel, Answer, End };

/// Throws whatever `thrown` throws, at one place.
class ThrowingProtocol final : public plugins::AgentProtocol {
 public:
  ThrowingProtocol(Place place, std::function<void()> thrown)
      : place_(place), thrown_(std::move(thrown)) {}

  plugins::Launch launch(const plugins::LaunchRequest&) override {
    at(Place::Launch);
    return {};
  }
  void begin_turn(const plugins::TurnRequest&, plugins::Actions&) override { at(Place::BeginTurn); }
  void list_sessions(plugins::Actions&) override { at(Place::List); }
  void on_line(std::string_view, plugins::Actions& actions) override {
    actions.emit(plugins::TextDelta{{{}, "m", 0}, "A word"});
    at(Place::Line);
  }
  void on_exit(const plugins::ExitStatus&, plugins::Actions&) override { at(Place::Exit); }
  void cancel(plugins::Actions&) override { at(Place::Cancel); }
  void answer(std::string_view, std::string_view, plugins::Actions&) override { at(Place::Answer); }
  void end(plugins::Actions&) override { at(Place::End); }

 private:
  void at(Place place) {
    if (place == place_) thrown_();
  }

  Place place_;
  std::function<void()> thrown_;
};

/// Writes down what it hears.
class Owner final : public session::AgentLinkOwner {
 public:
  void on_agent_line(std::size_t) override {}
  void on_agent_event(const plugins::AgentEvent& event) override {
    if (std::holds_alternative<plugins::TextDelta>(event)) heard.emplace_back("text");
    if (const auto* failure = std::get_if<plugins::Failure>(&event))
      heard.emplace_back(failure->message);
    if (const auto* ended = std::get_if<plugins::TurnEnded>(&event)) {
      if (throws_at_end-- > 0) throw std::bad_alloc();
      heard.emplace_back(ended->outcome == plugins::Outcome::Failed ? "failed" : "ended");
    }
  }
  plugins::FileAnswer read_file(const plugins::FileRead&) override { return {}; }
  plugins::FileAnswer write_file(const plugins::FileWrite&) override { return {}; }
  void on_agent_settled() override { ++settled; }

  std::vector<std::string> heard;
  int settled = 0;
  int throws_at_end = 0;
};

std::string sentence(const std::string& what) {
  return "agent-doc could not go on with what bot said (" + what +
         "): this is a mistake in agent-doc, please report it. The agent is stopped; to go on, run "
         "it again.";
}

struct World {
  World(Place place, std::function<void()> thrown)
      : link({"bot", "bot", "bot", {}, {}},
             std::make_unique<ThrowingProtocol>(place, std::move(thrown)), owner) {}

  bool start() {
    return link
        .start({},
               [this](const plugins::Launch& launch, process::ChildObserver& observer) {
                 return launcher.launch(launch, observer);
               })
        .has_value();
  }

  Owner owner;
  fakes::ScriptedLauncher launcher;
  session::AgentLink link;
};

TEST_CASE("what a plugin throws in a turn ends the turn with a sentence and stops the agent") {
  const std::function<void()> no_memory = [] { throw std::bad_alloc(); };
  struct Case {
    Place place;
    std::function<void()> thrown;
    std::string what;
    bool text;
  };
  const std::vector<Case> cases = {
      {Place::Line, no_memory, "std::bad_alloc", true},
      {Place::Line, [] { throw std::out_of_range("map::at"); }, "map::at", true},
      {Place::Line, [] { throw 7; }, "an unknown exception", true},
      {Place::BeginTurn, no_memory, "std::bad_alloc", false},
      {Place::Cancel, no_memory, "std::bad_alloc", false},
      {Place::Answer, no_memory, "std::bad_alloc", false},
      {Place::Exit, no_memory, "std::bad_alloc", false}};
  for (const Case& c : cases) {
    CAPTURE(static_cast<int>(c.place));
    World world(c.place, c.thrown);
    REQUIRE(world.start());
    world.link.begin_turn({"prompt"});
    if (c.place == Place::Cancel) world.link.cancel();
    if (c.place == Place::Answer) world.link.answer("p", "o");
    if (c.place == Place::Line) world.launcher.last().say("a line");
    if (c.place == Place::Exit) world.launcher.last().exit();
    std::vector<std::string> expected = {sentence(c.what), "failed"};
    if (c.text) expected.insert(expected.begin(), "text");
    CHECK(world.owner.heard == expected);
    CHECK(world.link.broken());
    CHECK(world.owner.settled >= 1);
    if (c.place == Place::Exit) continue;
    CHECK(world.launcher.last().signals == std::vector<std::string>{"stop"});
    world.launcher.last().say("another line");
    world.launcher.last().exit();
    CHECK(world.owner.heard == expected);
    CHECK(world.link.gone());
  }
}

TEST_CASE(
    "what a plugin throws outside of a turn stops the agent, and the next turn of it is refused "
    "with the sentence") {
  World world(Place::Line, [] { throw std::bad_alloc(); });
  REQUIRE(world.start());
  world.launcher.last().say("a line");
  CHECK(world.owner.heard == std::vector<std::string>{"text"});
  CHECK(world.launcher.last().signals == std::vector<std::string>{"stop"});
  world.link.begin_turn({"prompt"});
  CHECK(world.owner.heard ==
        std::vector<std::string>{"text", sentence("std::bad_alloc"), "failed"});
}

TEST_CASE(
    "what a plugin throws when it is to list sessions stops the agent, and is told as no turn's "
    "end") {
  World world(Place::List, [] { throw std::bad_alloc(); });
  REQUIRE(world.start());
  world.link.list_sessions();
  CHECK(world.link.broken());
  CHECK(world.owner.heard.empty());
  CHECK(world.owner.settled == 1);
  CHECK(world.launcher.last().signals == std::vector<std::string>{"stop"});
}

TEST_CASE("what a plugin throws before its program runs is an error of the start") {
  World world(Place::Launch, [] { throw std::bad_alloc(); });
  CHECK_FALSE(world.start());
  CHECK(world.launcher.agents.empty());
}

TEST_CASE("what a plugin throws at its end stops the agent in silence") {
  World world(Place::End, [] { throw std::bad_alloc(); });
  REQUIRE(world.start());
  world.link.retire(process::StopUrgency::Normal);
  CHECK(world.owner.heard.empty());
  CHECK(world.launcher.last().signals.front() == "stop");
}

TEST_CASE("an owner that could not hear the end of the turn hears it at the end of the process") {
  World world(Place::Line, [] { throw std::bad_alloc(); });
  REQUIRE(world.start());
  world.link.begin_turn({"prompt"});
  world.owner.throws_at_end = 1;
  world.launcher.last().say("a line");
  CHECK(world.owner.heard == std::vector<std::string>{"text", sentence("std::bad_alloc")});
  world.launcher.last().exit();
  CHECK(world.owner.heard == std::vector<std::string>{"text", sentence("std::bad_alloc"),
                                                      sentence("std::bad_alloc"), "failed"});
}

TEST_CASE(
    "an exception of what hears a reply ends that turn; the text so far stays, and the next run "
    "has a new agent") {
  SessionWorld world(with_front_matter("s-1", "## User\n\nHello?\n"));
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Well. ");
  world.recorded.throws_at = "never";
  world.say_text("never");
  world.recorded.throws_at.clear();
  world.say_text(" read");
  world.run_until_quiet();
  CHECK(last_state(world) == TurnState::Failed);
  CHECK(world.views.back().failure.find("this is a mistake in agent-doc") != std::string::npos);
  CHECK(world.written.back() == "<stop>");
  CHECK(world.editor.text().find("Well.") != std::string::npos);
  CHECK(world.editor.text().find("read") == std::string::npos);
  const std::size_t end = world.editor.text().size();
  world.type(end, end, "Again?\n");
  world.run_until_quiet();
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  CHECK(world.launches.size() == 2);
}

}  // namespace agent_doc::session_agent_link_test
