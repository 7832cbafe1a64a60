// The tour as a program: its stream, its pace, permissions and interruptions. Time is a parameter;
// nothing here waits.
#include "plugins/tour/tour_agent.hpp"

#include "tests/unit/tour_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_test {

TEST_CASE(
    "tour: the first reply shows what a document can hold, thinking first, within 12 seconds") {
  Driver driver;
  const std::string reply = driver.reply_to("Hello there");
  check_stream(driver.lines());
  CHECK(driver.order() ==
        "init status message_start content_block_start thinking_delta signature_delta "
        "assistant:thinking content_block_stop "
        "content_block_start "
        "text_delta assistant:text content_block_stop message_delta message_stop result");
  CHECK(driver.count("init") == 1);
  CHECK(driver.count("result") == 1);
  CHECK(driver.count("thinking_tokens") == driver.count("thinking_delta"));
  CHECK(at(driver.last("assistant:text"), "/message/content/0/text") == reply);
  CHECK(reply.starts_with("Hello! You wrote:\n\n> Hello there\n\n## What this is\n"));
  for (const std::string_view part : {"\n- ", "\n|:--|:--|:--|\n", "\n```sh\n", "你好",
                                      "こんにちは", "👩‍💻", "What you could ask next:"}) {
    CAPTURE(part);
    CHECK(contains(reply, part));
  }
  CHECK_FALSE(has_turn_heading(reply));
  CHECK(driver.now().elapsed < milliseconds{12000});
  CHECK(driver.now().elapsed > milliseconds{3000});
  const json::value result = driver.last("result");
  CHECK(at(result, "/subtype") == "success");
  CHECK(at(result, "/terminal_reason") == "completed");
  CHECK_FALSE(result.at("is_error").as_bool());
  CHECK(result.at("num_turns").as_int64() == 1);
  CHECK(result.at("usage").at("output_tokens").as_int64() > 100);
}

TEST_CASE("tour: pieces are cut inside what a reader sees as one character, never inside UTF-8") {
  Driver driver;
  driver.reply_to("emoji");
  bool inside_cluster = false;
  for (const json::value& line : driver.lines()) {
    if (kind_of(line) == "text_delta" && at(line, "/event/delta/text").starts_with("\u200D"))
      inside_cluster = true;
  }
  CHECK(inside_cluster);

  std::string together;
  for (const std::string& piece : tour::in_pieces("a👩‍💻é漢字\tb", {1, 3})) {
    CHECK(is_utf8(piece));
    together += piece;
  }
  CHECK(together == "a👩‍💻é漢字\tb");
  CHECK(tour::in_pieces("", {1, 3}).empty());
}

TEST_CASE("tour: several rounds use tools, and the last message is the reply") {
  Driver driver;
  driver.reply_to("hello");
  driver.forget_lines();
  const std::string reply = driver.reply_to("several rounds, please");
  check_stream(driver.lines());
  CHECK(driver.count("init") == 1);
  CHECK(driver.count("message_start") == 3);
  CHECK(driver.count("user:tool_result") == 2);
  CHECK(driver.count("control_request") == 0);
  CHECK(contains(reply,
                 "| 1 | count the words of the question | 3 words in 1 line |\n| 2 | count the "
                 "questions of the session | 2 questions so far |\n"));
  CHECK(at(driver.last("assistant:text"), "/message/content/0/text") == reply);
  const json::value result = driver.last("result");
  CHECK(result.at("num_turns").as_int64() == 3);
  CHECK(result.at("permission_denials").as_array().empty());
}

TEST_CASE("tour: permission to look at the clock") {
  Driver driver;
  driver.ask("permission");
  driver.settle();
  REQUIRE(driver.count("control_request") == 1);
  CHECK(driver.count("result") == 0);
  const json::value request = driver.last("control_request");
  CHECK(at(request, "/request/subtype") == "can_use_tool");
  CHECK(at(request, "/request/tool_name") == "Tour");
  CHECK(at(request, "/request/input/description") == "look at the clock");
  CHECK(at(request, "/request/tool_use_id") ==
        at(driver.last("assistant:tool_use"), "/message/content/0/id"));
  const std::string day = "2026-11-20 09:11 UTC";

  SUBCASE("allowed: the date is told") {
    answer(driver, {{"behavior", "allow"}, {"updatedInput", request.at("request").at("input")}});
    driver.settle();
    CHECK(at(driver.last("user:tool_result"), "/message/content/0/content") == day);
    CHECK(contains(at(driver.last("result"), "/result"), "It says: **" + day + "**"));
    CHECK(driver.last("result").at("permission_denials").as_array().empty());
    driver.ask("clock");
    driver.settle();
    CHECK(driver.count("control_request") == 2);
  }
  SUBCASE("always allowed: it does not ask again") {
    answer(driver, {{"behavior", "allow"},
                    {"updatedPermissions", request.at("request").at("permission_suggestions")}});
    driver.settle();
    CHECK(contains(driver.reply_to("clock"), day));
    CHECK(driver.count("control_request") == 1);
  }
  SUBCASE("denied: it goes on without") {
    answer(driver, {{"behavior", "deny"}, {"message", "not now"}});
    driver.settle();
    const std::string reply = at(driver.last("result"), "/result");
    CHECK(contains(reply, "You did not allow me to look at the clock"));
    CHECK(contains(reply, "> not now\n"));
    CHECK_FALSE(contains(reply, "2026"));
    const json::value denial = driver.last("result").at("permission_denials").at(0);
    CHECK(at(denial, "/tool_name") == "Tour");
    CHECK(
        driver.last("user:tool_result").at("message").at("content").at(0).at("is_error").as_bool());
  }
  SUBCASE("denied with an interruption: the turn ends") {
    answer(driver, {{"behavior", "deny"}, {"message", "no"}, {"interrupt", true}});
    driver.settle();
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_tools");
  }
  SUBCASE("interrupted: the question is withdrawn, and a late answer changes nothing") {
    driver.interrupt();
    driver.settle();
    CHECK(at(driver.last("control_cancel_request"), "/request_id") == at(request, "/request_id"));
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_tools");
    answer(driver, {{"behavior", "allow"}});
    driver.settle();
    CHECK(driver.count("result") == 1);
  }
  SUBCASE("an answer to another question changes nothing") {
    driver.send(
        R"({"type":"control_response","response":{"subtype":"success","request_id":"other","response":{"behavior":"allow"}}})");
    driver.settle();
    CHECK(driver.count("result") == 0);
  }
  SUBCASE("standard input ends: the answer is no, the turn is finished") {
    driver.agent().on_eof(driver.now());
    driver.settle();
    CHECK(contains(at(driver.last("result"), "/result"), "Nobody is there any more"));
    REQUIRE(driver.agent().exit().has_value());
    CHECK(driver.agent().exit()->code == 0);
  }
  check_stream(driver.lines());
}

TEST_CASE("tour: without anybody to ask, permission is denied") {
  tour::TourOptions options = with_everything();
  options.permission_host = tour::PermissionHost::None;
  Driver driver(options);
  const std::string reply = driver.reply_to("what time is it");
  CHECK(driver.count("control_request") == 0);
  CHECK(driver.count("permission_denied") == 1);
  CHECK(contains(reply, "there is nobody to allow it"));
}

TEST_CASE("tour: the tails of an interruption are those of the recordings") {
  Driver driver;
  SUBCASE("while text streams") {
    driver.ask("hello");
    while (driver.count("text_delta") < 5) driver.step();
    driver.forget_lines();
    driver.interrupt();
    driver.settle();
    CHECK(driver.order() ==
          "control_response assistant:text user:text content_block_stop message_delta message_stop "
          "result");
    CHECK(driver.last("assistant:text").at("aborted").as_bool());
    CHECK(driver.last("message_stop").at("abandoned_blocks").at("from_block_index").as_int64() ==
          2);
    CHECK(at(driver.last("user:text"), "/message/content/0/text") ==
          "[Request interrupted by user]");
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_streaming");
    CHECK(driver.last("result").at("num_turns").as_int64() == 2);
  }
  SUBCASE("while thinking streams") {
    driver.ask("hello");
    while (driver.count("thinking_delta") < 5) driver.step();
    driver.forget_lines();
    driver.interrupt();
    driver.settle();
    CHECK(driver.order() ==
          "control_response user:text content_block_stop message_delta message_stop result");
    CHECK(driver.last("message_stop").at("abandoned_blocks").at("from_block_index").as_int64() ==
          0);
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_streaming");
  }
  SUBCASE("while a tool runs") {
    driver.ask("rounds");
    while (driver.count("message_stop") < 1) driver.step();
    driver.forget_lines();
    driver.interrupt();
    driver.settle();
    CHECK(driver.order() == "control_response user:tool_result user:text result");
    CHECK(at(driver.last("user:text"), "/message/content/0/text") ==
          "[Request interrupted by user for tool use]");
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_tools");
    CHECK(driver.last("result").at("num_turns").as_int64() == 3);
  }
  const json::value result = driver.last("result");
  CHECK(at(result, "/subtype") == "error_during_execution");
  CHECK(result.at("is_error").as_bool());
  CHECK(result.as_object().if_contains("result") == nullptr);
  CHECK(at(result, "/errors/0").starts_with("[ede_diagnostic] "));
}

TEST_CASE(
    "tour: interrupted at any moment there is exactly one result, and the conversation goes on") {
  for (const std::string_view question : {"hello", "rounds", "permission"}) {
    // Each of the first moments, where everything begins; later ones differ only in how much text
    // there is.
    for (std::size_t moment = 0; true; moment += moment < 50 ? 1 : 9) {
      CAPTURE(question);
      CAPTURE(moment);
      Driver driver;
      driver.ask(question);
      std::size_t steps = 0;
      while (steps < moment && driver.count("result") == 0 && driver.step()) ++steps;
      const bool was_running = driver.count("result") == 0;
      driver.interrupt();
      driver.settle();
      REQUIRE(driver.count("result") == 1);
      check_stream(driver.lines());

      const std::string reply = driver.reply_to("history");
      REQUIRE(driver.count("result") == 2);
      const std::string heading =
          was_running ? "Question 1 (its reply did not come to its end):" : "Question 1:";
      CHECK(contains(reply, heading + "\n\n> " + std::string(question) + "\n"));
      if (steps < moment) break;
    }
  }
}

TEST_CASE("tour: SIGINT gives the tail, then the end") {
  Driver driver;
  SUBCASE("in a reply") {
    driver.ask("hello");
    for (int steps = 0; steps < 30; ++steps) driver.step();
    driver.ask("this one waits");
    driver.agent().on_interrupt(driver.now());
    driver.settle();
    CHECK(driver.count("result") == 1);
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_streaming");
    check_stream(driver.lines());
  }
  SUBCASE("between replies") {
    driver.agent().on_interrupt(driver.now());
    driver.settle();
    CHECK(driver.lines().empty());
  }
  REQUIRE(driver.agent().exit().has_value());
  CHECK(driver.agent().exit()->code == 0);
}

TEST_CASE("tour: questions that come during a reply are answered together, after it") {
  Driver driver;
  driver.ask("hello");
  for (int steps = 0; steps < 30; ++steps) driver.step();
  driver.ask("fork");
  driver.ask("and how do I branch off?");
  driver.agent().on_eof(driver.now());
  driver.settle();
  check_stream(driver.lines());
  CHECK(driver.count("result") == 2);
  CHECK(driver.count("init") == 2);
  CHECK(contains(at(driver.last("result"), "/result"), "> fork\n>\n> and how do I branch off?\n"));
  REQUIRE(driver.agent().exit().has_value());
  CHECK(driver.agent().exit()->code == 0);
}

TEST_CASE("tour: control requests beside the turns") {
  Driver driver;
  for (const std::string_view subtype : {"initialize", "set_permission_mode", "interrupt"}) {
    driver.forget_lines();
    driver.send(control_line(subtype));
    driver.settle();
    CAPTURE(subtype);
    CHECK(driver.order() == "control_response");
    CHECK(at(driver.lines().front(), "/response/subtype") == "success");
    CHECK(at(driver.lines().front(), "/response/request_id") == "int-1");
  }
  driver.forget_lines();
  driver.send(
      R"({"type":"control_request","request_id":"m-1","request":{"subtype":"set_model","model":"tour-in-a-hurry"}})");
  driver.send(control_line("mcp_message"));
  driver.settle();
  CHECK(at(driver.lines()[0], "/response/response/model") == "tour-in-a-hurry");
  CHECK(at(driver.lines()[1], "/response/subtype") == "error");
  driver.reply_to("hello");
  CHECK(at(driver.last("init"), "/model") == "tour-in-a-hurry");
}

TEST_CASE("tour: nothing is said before the first question, and what is no question is ignored") {
  Driver driver;
  driver.send("");
  driver.send(R"({"type":"keep_alive"})");
  driver.send("{}");
  CHECK_FALSE(driver.agent().next_due().has_value());
  CHECK(driver.agent().session().turns.empty());
  driver.send(R"({"type":"user","message":{"role":"user","content":"as a string"}})");
  driver.settle();
  CHECK(driver.agent().session().turns.back().question == "as a string");
}

TEST_CASE("tour: a line that is no JSON object ends it with an error") {
  for (const std::string_view line : {"this is not JSON", "[1]", "{\"type\":"}) {
    CAPTURE(line);
    Driver driver;
    driver.send(line);
    REQUIRE(driver.agent().exit().has_value());
    CHECK(driver.agent().exit()->code == 1);
    CHECK(driver.agent().exit()->message.starts_with("Error parsing streaming input line ("));
  }
}

TEST_CASE("tour: without partial messages only whole ones are printed") {
  tour::TourOptions options = with_everything();
  options.partial = tour::PartialMessages::Omitted;
  Driver driver(options);
  driver.reply_to("hello");
  CHECK(driver.order() == "init assistant:thinking assistant:text result");
}

TEST_CASE("tour: the long reply has 1,200 words and leaves time to type and to stop") {
  Driver driver;
  driver.reply_to("hello");
  const milliseconds began = driver.now().elapsed;
  const std::string reply = driver.reply_to("something long");
  CHECK(std::count_if(reply.begin(), reply.end(), [](char c) { return c == ' ' || c == '\n'; }) >=
        1200);
  CHECK(driver.now().elapsed - began > milliseconds{20000});
  CHECK(driver.now().elapsed - began < milliseconds{60000});
}

TEST_CASE("tour: at the immediate pace everything is due at once") {
  tour::TourOptions options = with_everything();
  options.pace = tour::TourPace::Immediate;
  Driver driver(options);
  driver.reply_to("rounds");
  CHECK(driver.count("result") == 1);
  CHECK(driver.now().elapsed == milliseconds{0});
}

TEST_CASE("tour: the session is worth saving when a question came and when its reply ended") {
  Driver driver;
  CHECK(driver.agent().session_revision() == 0);
  driver.ask("hello");
  CHECK(driver.agent().session_revision() == 1);
  CHECK(driver.agent().session().turns.back().end == tour::TurnEnd::Open);
  driver.settle();
  CHECK(driver.agent().session_revision() == 2);
  CHECK(driver.agent().session().turns.back().end == tour::TurnEnd::Done);
}

}  // namespace agent_doc::tour_test
