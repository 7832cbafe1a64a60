// The tour as a program: its stream against the rules of the real one's recordings, its conversation, its sessions, its interruptions. Time
// is a parameter; nothing here waits.
#include "plugins/tour_agent.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_agent_test {

namespace json = boost::json;
namespace tour = agent_doc::plugins::tour;
using std::chrono::milliseconds;

constexpr std::string_view kId = "01234567-89ab-4cde-8f01-23456789abcd";
constexpr std::string_view kOtherId = "fedcba98-7654-4210-8fed-cba987654321";
/// 2026-11-20 09:11:28.050 UTC
constexpr std::chrono::system_clock::time_point kWall{std::chrono::milliseconds{1795165888050}};

tour::RandomBits fixed_bits() {
  return [engine = std::mt19937_64(1)]() mutable { return engine(); };
}

tour::TourOptions with_everything() {
  tour::TourOptions options;
  options.model = "tour";
  options.cwd = "/srv/proj";
  options.partial = tour::PartialMessages::Included;
  options.permission_host = tour::PermissionHost::Stdio;
  return options;
}

std::string user_line(std::string_view text) {
  return json::serialize(json::object{
      {"type", "user"}, {"message", {{"role", "user"}, {"content", json::array{json::object{{"type", "text"}, {"text", text}}}}}}});
}

std::string control_line(std::string_view subtype) {
  return json::serialize(
      json::object{{"type", "control_request"}, {"request_id", "int-1"}, {"request", json::object{{"subtype", subtype}}}});
}

std::string at(const json::value& line, std::string_view pointer) {
  boost::system::error_code error;
  const json::value* found = line.find_pointer(pointer, error);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

/// A short name of a line: "init", "text_delta", "result", …
std::string kind_of(const json::value& line) {
  const std::string type = at(line, "/type");
  if (type == "system") return at(line, "/subtype");
  if (type == "assistant") return "assistant:" + at(line, "/message/content/0/type");
  if (type == "user") return "user:" + at(line, "/message/content/0/type");
  if (type != "stream_event") return type;
  const std::string event = at(line, "/event/type");
  return event == "content_block_delta" ? at(line, "/event/delta/type") : event;
}

/// The agent with a clock that jumps to the next due line.
class Driver {
 public:
  explicit Driver(tour::TourOptions options = with_everything(), tour::TourSession session = {std::string(kId), "", 0, {}})
      : agent_(std::move(options), std::move(session), fixed_bits()) {}

  void send(std::string_view line) { agent_.on_line(line, now()); }
  void ask(std::string_view text) { send(user_line(text)); }
  void interrupt() { send(control_line("interrupt")); }

  /// One moment in which lines are due. False when there is none.
  bool step() {
    const auto due = agent_.next_due();
    if (!due) return false;
    elapsed_ = std::max(elapsed_, *due);
    for (const std::string& line : agent_.take_lines(now())) {
      CHECK(line.find('\n') == std::string::npos);
      lines_.push_back(json::parse(line));
      kinds_.push_back(kind_of(lines_.back()));
    }
    return true;
  }
  void settle() {
    while (step()) {
    }
  }
  /// The whole reply to `text`.
  std::string reply_to(std::string_view text) {
    ask(text);
    settle();
    return lines_.empty() ? std::string() : at(lines_.back(), "/result");
  }

  tour::TourTime now() const { return {elapsed_, kWall + elapsed_}; }
  tour::TourAgent& agent() { return agent_; }
  const std::vector<json::value>& lines() const { return lines_; }
  void forget_lines() {
    lines_.clear();
    kinds_.clear();
  }

  /// Equal neighbours count once, so that the number of deltas does not matter.
  std::string order() const {
    std::string order;
    std::string last;
    for (const std::string& kind : kinds_) {
      if (kind == "thinking_tokens" || kind == last) continue;
      order += (order.empty() ? "" : " ") + kind;
      last = kind;
    }
    return order;
  }
  std::size_t count(std::string_view kind) const { return static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), kind)); }
  json::value last(std::string_view kind) const {
    const auto found = std::find(kinds_.rbegin(), kinds_.rend(), kind);
    return found == kinds_.rend() ? json::value() : lines_[static_cast<std::size_t>(kinds_.rend() - found) - 1];
  }

 private:
  tour::TourAgent agent_;
  milliseconds elapsed_{0};
  std::vector<json::value> lines_;
  std::vector<std::string> kinds_;  ///< of lines_
};

bool is_utf8(std::string_view text) {
  std::size_t more = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continuation = (byte & 0xC0) == 0x80;
    if (continuation != (more > 0)) return false;
    if (continuation)
      --more;
    else if (byte >= 0xF0)
      more = 3;
    else if (byte >= 0xE0)
      more = 2;
    else if (byte >= 0xC0)
      more = 1;
  }
  return more == 0;
}

/// The rules of the recordings: what may follow what, and that each snapshot repeats its deltas byte for byte.
void check_stream(const std::vector<json::value>& lines) {
  std::string message;
  std::string block;
  std::string deltas;
  std::int64_t index = 0;
  bool snapshot_came = false;
  for (const json::value& line : lines) {
    const std::string kind = kind_of(line);
    CAPTURE(kind);
    if (!kind.starts_with("control_")) {
      CHECK(at(line, "/session_id") == kId);
      CHECK(tour::is_uuid(at(line, "/uuid")));
    }
    if (kind == "message_start") {
      CHECK(message.empty());
      message = at(line, "/event/message/id");
      CHECK(message.starts_with("msg_"));
      index = 0;
    } else if (kind == "content_block_start") {
      CHECK(!message.empty());
      CHECK(block.empty());
      CHECK(line.at("event").at("index").as_int64() == index);
      block = at(line, "/event/content_block/type");
      deltas.clear();
      snapshot_came = false;
    } else if (kind == "text_delta" || kind == "thinking_delta" || kind == "input_json_delta") {
      CHECK(block == (kind == "text_delta" ? "text" : kind == "thinking_delta" ? "thinking" : "tool_use"));
      const std::string piece = at(line, "/event/delta/text") + at(line, "/event/delta/thinking") + at(line, "/event/delta/partial_json");
      CHECK(is_utf8(piece));
      deltas += piece;
    } else if (kind.starts_with("assistant:")) {
      CHECK(at(line, "/message/id") == message);
      CHECK(kind == "assistant:" + block);
      CHECK_FALSE(snapshot_came);
      snapshot_came = true;
      if (block == "tool_use") {
        CHECK(line.at("message").at("content").at(0).at("input") == json::parse(deltas));
      } else {
        CHECK(at(line, "/message/content/0/" + block) == deltas);
      }
    } else if (kind == "content_block_stop") {
      CHECK(!block.empty());
      block.clear();
      ++index;
    } else if (kind == "message_delta") {
      CHECK(block.empty());
    } else if (kind == "message_stop") {
      CHECK(at(line, "/api_message_id") == message);
      message.clear();
    } else if (kind == "result") {
      CHECK(message.empty());
    }
  }
  CHECK(message.empty());
  CHECK(block.empty());
}

bool has_turn_heading(std::string_view markdown) {
  bool fence = false;
  while (!markdown.empty()) {
    const std::string_view line = markdown.substr(0, markdown.find('\n'));
    if (line.starts_with("```")) fence = !fence;
    if (!fence && (line.starts_with("## User") || line.starts_with("## Assistant"))) return true;
    markdown.remove_prefix(std::min(markdown.size(), line.size() + 1));
  }
  return fence;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void answer(Driver& driver, json::object response) {
  const json::value request = driver.last("control_request");
  driver.send(json::serialize(
      json::object{{"type", "control_response"},
                   {"response", {{"subtype", "success"}, {"request_id", request.at("request_id")}, {"response", std::move(response)}}}}));
}

TEST_CASE("tour: the first reply shows what a document can hold, thinking first, within 12 seconds") {
  Driver driver;
  const std::string reply = driver.reply_to("Hello there");
  check_stream(driver.lines());
  CHECK(driver.order() ==
        "init status message_start content_block_start thinking_delta signature_delta assistant:thinking content_block_stop "
        "content_block_start "
        "text_delta assistant:text content_block_stop message_delta message_stop result");
  CHECK(driver.count("init") == 1);
  CHECK(driver.count("result") == 1);
  CHECK(driver.count("thinking_tokens") == driver.count("thinking_delta"));
  CHECK(at(driver.last("assistant:text"), "/message/content/0/text") == reply);
  CHECK(reply.starts_with("Hello! You wrote:\n\n> Hello there\n\n## What this is\n"));
  for (const std::string_view part :
       {"\n- ", "\n|:--|:--|:--|\n", "\n```sh\n", "你好", "こんにちは", "👩‍💻", "What you could ask next:"}) {
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
    if (kind_of(line) == "text_delta" && at(line, "/event/delta/text").starts_with("\u200D")) inside_cluster = true;
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
  CHECK(reply.starts_with("Hello! You wrote:\n\n> " + std::string(399, 'x') + "\n>\n> *(and 102 more bytes)*\n\n"));
}

TEST_CASE("tour: the history quotes the questions of the session exactly") {
  Driver driver;
  driver.reply_to("First *question*,\r\n\r\n  with three lines ✅");
  driver.reply_to("emoji");
  const std::string reply = driver.reply_to("What did I ask before?");
  CHECK(contains(reply,
                 "This session has 2 earlier questions.\n\nQuestion 1:\n\n> First *question*,\n>\n>   with three lines ✅\n\nQuestion "
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

TEST_CASE("tour: the topics that were seen are not offered again, and at the end there is nothing to offer") {
  tour::TourOptions options = with_everything();
  options.permission_host = tour::PermissionHost::None;
  options.pace = tour::TourPace::Immediate;
  Driver driver(options);
  driver.reply_to("hello");
  CHECK_FALSE(contains(driver.reply_to("typing"), "- `typing`"));
  for (const tour::TopicEntry& entry : tour::topics()) driver.reply_to(entry.name);
  CHECK(contains(driver.reply_to("hello"), "You have seen the whole tour now."));
}

TEST_CASE("tour: the open question of a document is what stands below its last heading") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"hello", "hello"},         {"\n\n  hello \n", "  hello"},
      {"a\r\nb\rc\n", "a\nb\nc"}, {"# Notes\n\n## User\n\nfirst\n\n## Assistant\n\nreply\n\n## User\n\nsecond\nline\n", "second\nline"},
      {"text\n\n## User\n", ""},
  };
  for (const auto& [prompt, question] : cases) {
    CAPTURE(prompt);
    CHECK(tour::open_question(prompt) == question);
  }
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
  CHECK(contains(
      reply,
      "| 1 | count the words of the question | 3 words in 1 line |\n| 2 | count the questions of the session | 2 questions so far |\n"));
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
  CHECK(at(request, "/request/input/action") == "look at the clock");
  CHECK(at(request, "/request/tool_use_id") == at(driver.last("assistant:tool_use"), "/message/content/0/id"));
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
    answer(driver, {{"behavior", "allow"}, {"updatedPermissions", request.at("request").at("permission_suggestions")}});
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
    CHECK(driver.last("user:tool_result").at("message").at("content").at(0).at("is_error").as_bool());
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
    driver.send(R"({"type":"control_response","response":{"subtype":"success","request_id":"other","response":{"behavior":"allow"}}})");
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
    CHECK(driver.order() == "control_response assistant:text user:text content_block_stop message_delta message_stop result");
    CHECK(driver.last("assistant:text").at("aborted").as_bool());
    CHECK(driver.last("message_stop").at("abandoned_blocks").at("from_block_index").as_int64() == 2);
    CHECK(at(driver.last("user:text"), "/message/content/0/text") == "[Request interrupted by user]");
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_streaming");
    CHECK(driver.last("result").at("num_turns").as_int64() == 2);
  }
  SUBCASE("while thinking streams") {
    driver.ask("hello");
    while (driver.count("thinking_delta") < 5) driver.step();
    driver.forget_lines();
    driver.interrupt();
    driver.settle();
    CHECK(driver.order() == "control_response user:text content_block_stop message_delta message_stop result");
    CHECK(driver.last("message_stop").at("abandoned_blocks").at("from_block_index").as_int64() == 0);
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_streaming");
  }
  SUBCASE("while a tool runs") {
    driver.ask("rounds");
    while (driver.count("message_stop") < 1) driver.step();
    driver.forget_lines();
    driver.interrupt();
    driver.settle();
    CHECK(driver.order() == "control_response user:tool_result user:text result");
    CHECK(at(driver.last("user:text"), "/message/content/0/text") == "[Request interrupted by user for tool use]");
    CHECK(at(driver.last("result"), "/terminal_reason") == "aborted_tools");
    CHECK(driver.last("result").at("num_turns").as_int64() == 3);
  }
  const json::value result = driver.last("result");
  CHECK(at(result, "/subtype") == "error_during_execution");
  CHECK(result.at("is_error").as_bool());
  CHECK(result.as_object().if_contains("result") == nullptr);
  CHECK(at(result, "/errors/0").starts_with("[ede_diagnostic] "));
}

TEST_CASE("tour: interrupted at any moment there is exactly one result, and the conversation goes on") {
  for (const std::string_view question : {"hello", "rounds", "permission"}) {
    // Each of the first moments, where everything begins; later ones differ only in how much text there is.
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
      const std::string heading = was_running ? "Question 1 (its reply did not come to its end):" : "Question 1:";
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
  driver.send(R"({"type":"control_request","request_id":"m-1","request":{"subtype":"set_model","model":"tour-in-a-hurry"}})");
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
  options.partial = tour::PartialMessages::Left;
  Driver driver(options);
  driver.reply_to("hello");
  CHECK(driver.order() == "init assistant:thinking assistant:text result");
}

TEST_CASE("tour: the long reply has 1,200 words and leaves time to type and to stop") {
  Driver driver;
  driver.reply_to("hello");
  const milliseconds began = driver.now().elapsed;
  const std::string reply = driver.reply_to("something long");
  CHECK(std::count_if(reply.begin(), reply.end(), [](char c) { return c == ' ' || c == '\n'; }) >= 1200);
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

TEST_CASE("tour session: its limits are kept and told") {
  tour::TourSession session{std::string(kId), "", 0, {}};
  session.ask(std::string(tour::kMaxQuestionBytes - 1, 'x') + "é!");
  CHECK(session.turns.back().question == std::string(tour::kMaxQuestionBytes - 1, 'x'));
  CHECK(session.turns.back().bytes_cut == 3);
  for (std::size_t count = 0; count < tour::kMaxTurns + 4; ++count) session.ask("q" + std::to_string(count));
  CHECK(session.turns.size() == tour::kMaxTurns);
  CHECK(session.forgotten == 5);
  CHECK(session.turns.front().question == "q4");
  for (tour::TourTurn& turn : session.turns) turn.end = tour::TurnEnd::Done;

  Driver driver(with_everything(), session);
  const std::string reply = driver.reply_to("history");
  CHECK(contains(reply, "This session has 205 earlier questions. I quote the newest 50; 155 are older.\n\nQuestion 156:\n\n> q154\n"));
  CHECK(contains(reply, "\nQuestion 205:\n\n> q203\n"));
}

TEST_CASE("tour session: what was written can be read, and nothing else") {
  tour::TourSession session{std::string(kId), std::string(kOtherId), 7, {}};
  session.ask("one \"two\"\n漢字 👩‍💻");
  session.turns.back().end = tour::TurnEnd::Stopped;
  const std::string text = tour::to_json(session);
  const auto read = tour::from_json(text);
  REQUIRE(read.has_value());
  CHECK(tour::to_json(*read) == text);
  CHECK(read->turns.front().question == "one \"two\"\n漢字 👩‍💻");
  CHECK(read->turns.front().end == tour::TurnEnd::Stopped);
  CHECK(read->forked_from == kOtherId);

  for (std::size_t size = 0; size + 1 < text.size(); ++size) CHECK_FALSE(tour::from_json(text.substr(0, size)).has_value());
  for (const std::string_view broken :
       {"[]", "{}", R"({"format":2,"id":"a","forked_from":"","forgotten":0,"turns":[]})",
        R"({"format":1,"id":"a","forked_from":"","forgotten":-1,"turns":[]})",
        R"({"format":1,"id":"a","forked_from":"","forgotten":0,"turns":[1]})",
        R"({"format":1,"id":"a","forked_from":"","forgotten":0,"turns":[{"question":"q","bytes_cut":0,"end":"?"}]})"}) {
    CAPTURE(broken);
    CHECK_FALSE(tour::from_json(broken).has_value());
  }
}

TEST_CASE("tour: ids have the form of a UUID") {
  const tour::RandomBits random = fixed_bits();
  const std::string id = tour::make_uuid(random);
  CHECK(tour::is_uuid(id));
  CHECK(id[14] == '4');
  CHECK(std::string_view("89ab").find(id[19]) != std::string_view::npos);
  CHECK(id != tour::make_uuid(random));
  for (const std::string_view text : {"", "../../../../../etc/passwd-------------", "01234567-89ab-4cde-8f01-23456789abc",
                                      "01234567-89ab-4cde-8f01-23456789abcg", "01234567089ab-4cde-8f01-23456789abcd"}) {
    CAPTURE(text);
    CHECK_FALSE(tour::is_uuid(text));
  }
}

}  // namespace agent_doc::tour_agent_test
