// What the tour says: topics, offers, quotations, the history of its session.
#include "plugins/tour/tour_text.hpp"

#include "server/turn/prompt.hpp"
#include "tests/unit/tour_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_test {

TEST_CASE("tour: every topic is a valid stream, as a first and as a later question") {
  for (const tour::TopicEntry& entry : tour::topics()) {
    CAPTURE(entry.name);
    CHECK(tour::recognise(entry.name) == entry.topic);
    for (const bool first : {true, false}) {
      tour::TourOptions options = with_everything();
      options.permission_host = tour::PermissionHost::None;
      Driver driver(options);
      if (!first) driver.reply_to("hello");
      driver.forget_lines();
      const std::string reply = driver.reply_to(entry.name);
      check_stream(driver.lines());
      CHECK(driver.count("result") == 1);
      CHECK(contains(reply, "You wrote:\n\n> " + std::string(entry.name) + "\n\n"));
      CHECK(contains(reply, "What you could ask next:\n\n- `"));
      CHECK(contains(reply, "## What this is") == first);
      CHECK_FALSE(has_turn_heading(reply));
      CHECK(reply.back() != '\n');
    }
  }
}

TEST_CASE("tour: topics are recognised by their words") {
  const std::vector<std::pair<std::string_view, tour::Topic>> cases{
      {"hello", tour::Topic::Welcome},
      {"Hi, please show me TABLES", tour::Topic::Tables},
      {"What did I ask before?", tour::Topic::History},
      {"Do you remember my questions?", tour::Topic::History},
      {"How do I fork this conversation?", tour::Topic::Fork},
      {"Can I resume the session tomorrow?", tour::Topic::Resume},
      {"May I go on typing while you answer?", tour::Topic::Typing},
      {"print some code, in C++ or python", tour::Topic::Code},
      {"你好", tour::Topic::Unicode},
      {"What day is it today? Ask me first.", tour::Topic::Permission},
      {"where does your thinking go", tour::Topic::Thinking},
      {"How can I stop you?", tour::Topic::Stop},
      {"Which agents are there besides claude?", tour::Topic::Agents},
      {"a markdown showcase please", tour::Topic::Markdown},
      {"use a tool, in several rounds", tour::Topic::Rounds},
      {"something slow and long", tour::Topic::Long},
      {"What is the capital of France?", tour::Topic::Unknown},
      {"How does agent-doc do it?", tour::Topic::Unknown},
      {"", tour::Topic::Unknown},
  };
  for (const auto& [question, topic] : cases) {
    CAPTURE(question);
    CHECK(tour::entry_of(tour::recognise(question)).name == tour::entry_of(topic).name);
  }
}

TEST_CASE("tour: a question without a topic is read, counted and answered honestly") {
  Driver driver;
  driver.reply_to("hello");
  const std::string reply = driver.reply_to("What is the capital\nof France?");
  CHECK(contains(reply, "You wrote:\n\n> What is the capital\n> of France?\n\n"));
  CHECK(contains(reply, "I did read it, though: it has 6 words in 2 lines."));
}

TEST_CASE("tour: a long question is quoted in part, and says so") {
  Driver driver;
  const std::string question = std::string(399, 'x') + "é" + std::string(100, 'y');
  const std::string reply = driver.reply_to(question);
  CHECK(reply.starts_with("Hello! You wrote:\n\n> " + std::string(399, 'x') +
                          "\n>\n> *(and 102 more bytes)*\n\n"));
}

TEST_CASE("tour: the history quotes the questions of the session exactly") {
  Driver driver;
  driver.reply_to("First *question*,\r\n\r\n  with three lines ✅");
  driver.reply_to("emoji");
  const std::string reply = driver.reply_to("What did I ask before?");
  CHECK(contains(reply,
                 "This session has 2 earlier questions.\n\nQuestion 1:\n\n> First "
                 "*question*,\n>\n>   with three lines ✅\n\nQuestion "
                 "2:\n\n> emoji\n\n"));
  CHECK_FALSE(contains(reply, "> What did I ask before?\n\nWhat you"));

  SUBCASE("a first question has none before it") {
    Driver fresh;
    CHECK(contains(fresh.reply_to("history"), "This is the first question of our session"));
  }
  SUBCASE("a resumed session remembers, under its id") {
    const auto stored = tour::from_json(tour::to_json(driver.agent().session()));
    REQUIRE(stored.has_value());
    Driver later(with_everything(), *stored);
    CHECK(contains(later.reply_to("history"), "Question 3:\n\n> What did I ask before?\n\n"));
    CHECK(at(later.lines().front(), "/session_id") == kId);
  }
  SUBCASE("a fork remembers under another id, and the old session stays as it was") {
    const std::string before = tour::to_json(driver.agent().session());
    Driver fork(with_everything(), tour::fork_of(driver.agent().session(), std::string(kOtherId)));
    const std::string forked = fork.reply_to("history");
    CHECK(contains(forked, "This session has 3 earlier questions. It is a fork;"));
    CHECK(contains(forked, "> emoji\n"));
    CHECK(at(fork.lines().front(), "/session_id") == kOtherId);
    CHECK(fork.agent().session().forked_from == kId);
    CHECK(tour::to_json(driver.agent().session()) == before);
  }
}

TEST_CASE(
    "tour: the topics that were seen are not offered again, and at the end there is nothing to "
    "offer") {
  tour::TourOptions options = with_everything();
  options.permission_host = tour::PermissionHost::None;
  options.pace = tour::TourPace::Immediate;
  Driver driver(options);
  driver.reply_to("hello");
  CHECK_FALSE(contains(driver.reply_to("typing"), "- `typing`"));
  for (const tour::TopicEntry& entry : tour::topics()) driver.reply_to(entry.name);
  CHECK(contains(driver.reply_to("hello"), "You have seen the whole tour now."));
}

TEST_CASE("tour: the question is the prompt, or what follows the document in it") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"hello", "hello"},
      {"", ""},
      {"\n\n  hello \n", "  hello"},
      {"a\r\nb\rc\n", "a\nb\nc"},
      {"what does `</document>` mean\n\n## User\n", "what does `</document>` mean\n\n## User"},
  };
  for (const auto& [prompt, question] : cases) {
    CAPTURE(prompt);
    CHECK(tour::open_question(prompt) == question);
  }
  const std::string_view body = "# Notes\n\nSome text.\n\n## User\n\nfirst line\n\n  second line\n";
  const std::string prompt =
      turn::build_prompt(body, body.find("first"), body.size(), turn::SessionKnows::Nothing);
  CHECK(contains(prompt, "Some text."));
  CHECK(tour::open_question(prompt) == "first line\n\n  second line");
  const turn::PromptMessage changed =
      turn::message_about({"# Notes\n\nWhy?\n", 8, {}}, "# Old\n", "Why?");
  CHECK(contains(changed.text, "# Notes"));
  CHECK(tour::open_question(changed.text) == "Why?");
}

}  // namespace agent_doc::tour_test
