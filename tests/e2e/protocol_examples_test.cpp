#include "tests/e2e/protocol_examples.hpp"

#include "protocol/framing.hpp"
#include "protocol/json_text.hpp"
#include "server/lsp/uri.hpp"
#include "tests/e2e/server_world.hpp"
#include "tests/fakes/child_program.hpp"
#include "tests/fakes/wire_check.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace protocol_examples_test {

namespace json = boost::json;
using agent_doc::e2e::Captures;
using agent_doc::e2e::Example;
using agent_doc::e2e::ExampleStep;
using agent_doc::e2e::filled_in;
using agent_doc::e2e::Home;
using agent_doc::e2e::matches;
using agent_doc::e2e::read_examples;
using agent_doc::e2e::StepKind;
using std::chrono::steady_clock;

/// A reader of PROTOCOL.md that finds less than there is must not pass.
constexpr std::size_t kExamplesOfTheDocument = 43;
constexpr std::chrono::seconds kDeadline{20};
/// The code of a server whose client went away without `shutdown`.
constexpr int kExitAfterEndOfInput = 1;

/// `keeper` has two sessions, one with a title that hides something; `sleeper` says nothing.
const std::string kConfiguration = R"toml(default_agent = "tour"
[agents.keeper]
dialect = "acp"
command = "/bin/sh"
args = ["-c", '''
say() { read -r line; printf '%s\n' "$1"; }
say '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}}}}'
say '{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"17aa"},{"sessionId":"9b2c","title":"Rename\n gnp.\u202eexe","updatedAt":"2026-11-20T09:32:58.670Z"}]}}'
cat > /dev/null
''']
[agents.sleeper]
dialect = "acp"
command = "/bin/sh"
args = ["-c", "cat > /dev/null"]
)toml";

/// The server as bytes on pipes: nothing of the product's own client stands between an example and
/// the wire.
class Wire {
 public:
  explicit Wire(const agent_doc::fakes::ProgramOptions& options) : program_(options) {}

  void send(std::string_view body) {
    std::string bytes = agent_doc::protocol::frame(body);
    for (std::string_view rest = bytes; !rest.empty();) {
      const ssize_t count = ::write(program_.input(), rest.data(), rest.size());
      if (count < 0 && errno == EAGAIN) {
        wait(program_.input(), POLLOUT);
      } else if (count < 0 && errno != EINTR) {
        throw std::runtime_error("the server does not read any more");
      }
      rest.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
  }

  /// The next body; nothing at the end of the stream.
  std::optional<std::string> receive() {
    while (true) {
      if (const auto body = reader_.next()) return std::string(*body);
      if (reader_.error() != agent_doc::protocol::FramingError::None) {
        throw std::runtime_error("a broken frame: " +
                                 std::string(agent_doc::protocol::describe(reader_.error())));
      }
      if (!read_more()) return std::nullopt;
    }
  }

  void close_input() { program_.close_input(); }

  int exit_code() {
    while (!program_.exit_code()) wait(program_.exit_watch(), POLLIN);
    return *program_.exit_code();
  }

 private:
  bool read_more() {
    std::array<char, 64 * 1024> bytes{};
    const ssize_t count = ::read(program_.output(), bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {
      wait(program_.output(), POLLIN);
      return true;
    }
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0 && reader_.mid_frame())
      throw std::runtime_error("the server's output ends inside a message");
    if (count > 0) reader_.feed({bytes.data(), static_cast<std::size_t>(count)});
    return count > 0;
  }

  /// What the server logs is read on the way, so that it never waits for that.
  void wait(int descriptor, short events) {
    std::array<pollfd, 2> waiting{{{descriptor, events, 0}, {program_.errors(), POLLIN, 0}}};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until_ - steady_clock::now()).count();
    if (left <= 0 || ::poll(waiting.data(), waiting.size(), static_cast<int>(left)) == 0)
      throw std::runtime_error("waited in vain");
    if (waiting[1].revents == 0) return;
    std::array<char, 4096> ignored{};
    if (::read(program_.errors(), ignored.data(), ignored.size()) == 0) program_.close_errors();
  }

  steady_clock::time_point until_ = steady_clock::now() + kDeadline;
  agent_doc::fakes::ChildProgram program_;
  agent_doc::protocol::FrameReader reader_;
};

/// One example, played against a server of its own. A std::runtime_error says what is not as
/// written.
class Replay {
 public:
  explicit Replay(const Example& example) : example_(example), home_(kConfiguration) {
    connect();
    captures_["<folder>"] = agent_doc::lsp::uri_of(home_ / "work");
  }

  void play() {
    for (const ExampleStep& step : example_.steps) {
      try {
        play(step);
      } catch (const std::exception& problem) {
        throw std::runtime_error("PROTOCOL.md:" + std::to_string(step.line) + ": " +
                                 problem.what() + "\n  written: " + step.text + skipped_);
      }
    }
    if (!ended_) expect_no_more();
  }

  /// The definitions of the schema that were seen.
  const agent_doc::fakes::WireCheck::Names& seen() const { return seen_; }

 private:
  void play(const ExampleStep& step) {
    switch (step.kind) {
      case StepKind::Client:
        return send(
            agent_doc::protocol::serialise_json(filled_in(json::parse(step.text), captures_)));
      case StepKind::ClientRaw:
        return wire_->send(step.text);
      case StepKind::Server:
        return expect(json::parse(step.text));
      case StepKind::Exit:
        return expect_exit(std::stoi(step.text));
      case StepKind::Restart:
        expect_no_more();
        return connect();
    }
  }

  void connect() {
    wire_.emplace(home_.program());
    check_ = {};
    ended_ = false;
  }

  void send(const std::string& body) {
    check_.from_client(body);
    wire_->send(body);
  }

  std::optional<std::string> receive() {
    std::optional<std::string> body = wire_->receive();
    if (body) check_.from_server(*body);
    for (const std::string& problem : check_.take_problems())
      throw std::runtime_error("against the schema: " + problem);
    return body;
  }

  void expect(const json::value& pattern) {
    skipped_.clear();
    while (true) {
      const auto body = receive();
      if (!body) throw std::runtime_error("the server closed the connection");
      const json::value message = json::parse(*body);
      Captures captures = captures_;
      if (matches(pattern, message, captures)) {
        captures_ = std::move(captures);
        return;
      }
      skipped_ += "\n  the server said: " + *body;
      if (!may_be_left_out(message)) throw std::runtime_error("this is not what the server says");
    }
  }

  bool may_be_left_out(const json::value& message) const {
    const json::object& object = message.as_object();
    return !object.contains("id") &&
           example_.not_shown.contains(std::string_view(object.at("method").as_string()));
  }

  void expect_exit(int code) {
    expect_end_of_output();
    ended_ = true;
    seen_.insert(check_.seen().begin(), check_.seen().end());
    if (const int actual = wire_->exit_code(); actual != code)
      throw std::runtime_error("the exit code is " + std::to_string(actual));
  }

  void expect_end_of_output() {
    while (const auto body = receive()) {
      if (!may_be_left_out(json::parse(*body)))
        throw std::runtime_error("the server says more than is written: " + *body);
    }
  }

  void expect_no_more() {
    wire_->close_input();
    expect_exit(kExitAfterEndOfInput);
  }

  const Example& example_;
  Home home_;
  std::optional<Wire> wire_;
  agent_doc::fakes::WireCheck check_;
  agent_doc::fakes::WireCheck::Names seen_;
  Captures captures_;
  std::string skipped_;
  bool ended_ = false;
};

/// Not a part of one: those have names in capitals.
bool is_message(const std::string& definition) {
  return std::islower(static_cast<unsigned char>(definition.front())) != 0 ||
         definition.front() == '$';
}

TEST_CASE("every example of PROTOCOL.md is what the real server says") {
  const auto examples =
      read_examples(agent_doc::tests::read_file(AGENT_DOC_SOURCE_DIR "/protocol/PROTOCOL.md"));
  CHECK(examples.size() == kExamplesOfTheDocument);
  std::set<std::string> seen;
  for (const Example& example : examples) {
    CAPTURE(example.name);
    REQUIRE_FALSE(example.steps.empty());
    try {
      Replay replay(example);
      replay.play();
      seen.insert(replay.seen().begin(), replay.seen().end());
    } catch (const std::runtime_error& problem) {
      FAIL_CHECK(std::string(problem.what()));
    }
  }
  for (const std::string& definition : agent_doc::fakes::protocol_schema().definitions()) {
    if (is_message(definition) && !seen.contains(definition))
      FAIL_CHECK(std::string("no example shows " + definition));
  }
}

TEST_CASE("a replay notices what is missing, different and too much") {
  const std::string initialize =
      "```json client\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\", \"params\": "
      "{\"capabilities\": {}}}\n```\n";
  const auto play = [](const std::string& steps) {
    Replay(read_examples("### Example: one\n" + steps).at(0)).play();
  };
  const auto server = [](const std::string& pattern) {
    return "```json server\n" + pattern + "\n```\n";
  };
  const std::string shutdown =
      "```json client\n{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"shutdown\"}\n```\n";
  const std::string result = server(R"({"jsonrpc": "2.0", "id": 1, "result": {"…": "…"}})");
  const std::string exit = "```json client\n{\"jsonrpc\": \"2.0\", \"method\": \"exit\"}\n```\n";

  CHECK_NOTHROW(play(initialize + result));
  CHECK_THROWS_AS(play(initialize), std::runtime_error);
  CHECK_THROWS_AS(play(initialize + server(R"({"jsonrpc": "2.0", "id": 2, "result": {"…": "…"}})")),
                  std::runtime_error);
  CHECK_THROWS_AS(play(initialize + server(R"({"jsonrpc": "2.0", "id": 1, "result": {}})")),
                  std::runtime_error);
  CHECK_NOTHROW(play(initialize + result + exit + "```text exit\n1\n```\n"));
  CHECK_THROWS_AS(play(initialize + result + exit + "```text exit\n0\n```\n"), std::runtime_error);
  CHECK_THROWS_AS(play(initialize + result + shutdown + exit + "```text exit\n0\n```\n"),
                  std::runtime_error);
}

TEST_CASE("patterns") {
  struct Row {
    const char* pattern;
    const char* actual;
    bool expected;
  };
  for (const Row& row : {
           Row{R"({"a": 1})", R"({"a": 1})", true},
           Row{R"({"a": 1})", R"({"a": 2})", false},
           Row{R"({"a": 1})", R"({"a": 1, "b": 2})", false},
           Row{R"({"a": 1, "b": 2})", R"({"a": 1})", false},
           Row{R"({"a": 1, "…": "…"})", R"({"a": 1, "b": 2})", true},
           Row{R"({"a": 1, "…": "…"})", R"({"b": 2})", false},
           Row{R"([1, "<any>"])", R"([1, {"x": null}])", true},
           Row{R"([1, 2])", R"([1])", false},
           Row{R"(["<x>", "<x>"])", R"([7, 7])", true},
           Row{R"(["<x>", "<x>"])", R"([7, 8])", false},
           Row{R"(["<x>", "a/<x>"])", R"(["t", "a/t"])", true},
           Row{R"(["<x>", "a/<x>"])", R"(["t", "a/u"])", false},
           Row{R"(["k: <x>\n", "<x>"])", R"(["k: v\n", "v"])", true},
           Row{R"(["k: <x>\n", "<x>"])", R"(["k: v\n", "w"])", false},
           Row{R"("<x> of <y>!")", R"("one of two!")", true},
           Row{R"("<x> of <y>!")", R"("one in two!")", false},
           Row{R"("a < b")", R"("a < b")", true},
           Row{R"("5")", R"(5)", false},
           Row{R"(null)", R"(false)", false},
       }) {
    Captures captures;
    CAPTURE(row.pattern);
    CAPTURE(row.actual);
    CHECK(matches(json::parse(row.pattern), json::parse(row.actual), captures) == row.expected);
  }
}

TEST_CASE("what the client of an example says may hold what the server said") {
  Captures captures{{"<edit>", 3}, {"<turn>", "abc"}};
  CHECK(filled_in(json::parse(R"({"id": "<edit>", "x": ["<turn>", "agentDoc/<turn>"]})"),
                  captures) == json::parse(R"({"id": 3, "x": ["abc", "agentDoc/abc"]})"));
  CHECK_THROWS_AS(filled_in(json::parse(R"(["<other>"])"), captures), std::runtime_error);
}

TEST_CASE("examples, setups and what is none") {
  const auto examples = read_examples(
      "```json\n{\"no\": \"example\"}\n```\n"
      "### Setup: start\nNot shown: `x/y`.\n```json client\n1\n\n2\n```\n"
      "### Example: one\nStarts with the setup \"start\".\nNot shown: `a/b`, `c/d`.\n```json "
      "server\n3\n```\n```text exit\n0\n```\n"
      "## Else\n```json\n4\n```\n");
  REQUIRE(examples.size() == 1);
  CHECK(examples[0].name == "one");
  REQUIRE(examples[0].steps.size() == 4);
  CHECK(examples[0].steps[1].text == "2");
  CHECK(examples[0].steps[1].line == 9);
  CHECK(examples[0].steps[2].kind == StepKind::Server);
  CHECK(examples[0].steps[3].kind == StepKind::Exit);
  CHECK(examples[0].not_shown == std::set<std::string, std::less<>>{"a/b", "c/d", "x/y"});
  for (const char* bad :
       {"```json client\n1\n```\n", "### Example: x\n```json\n1\n```\n",
        "### Example: x\n```json client\n1\n", "### Example: x\nStarts with the setup \"none\".\n",
        "Not shown: `a`.\n"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(read_examples(bad), std::runtime_error);
  }
}

}  // namespace protocol_examples_test
