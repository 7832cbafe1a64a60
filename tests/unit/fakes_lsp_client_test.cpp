// The client against small real programs. `cat` is a server that sends every message back: a
// notification returns as a notification, and a request returns as a request of the same id, which
// the client refuses with -32601, and that refusal returns as the answer.
#include "tests/fakes/lsp_client.hpp"

#include <doctest/doctest.h>

#include <signal.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace agent_doc::fakes {
namespace lsp_client_test {

ProgramOptions shell(std::string script) {
  return {.program = "/bin/sh",
          .arguments = {"-c", std::move(script)},
          .environment = {},
          .working_directory = {}};
}

const ProgramOptions kMirror = shell("exec cat");

template <class Action>
std::string failure_of(const Action& action) {
  try {
    action();
  } catch (const LspClientFailure& failure) {
    return failure.what();
  }
  return "it did not fail";
}

bool mentions(const std::string& text, std::string_view part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("notifications are recorded, handled, and waited for in order") {
  LspClient client(kMirror, Traffic::Unchecked);
  std::string handled;
  client.on_notification(
      "n", [&](const boost::json::value& params) { handled += params.at("i").as_string(); });
  for (const char* i : {"a", "b", "c", "b"}) client.notify("n", boost::json::object{{"i", i}});
  client.notify("other");
  const auto is = [](const char* i) {
    return [i](const boost::json::value& params) { return params.at("i") == i; };
  };
  CHECK(client.wait_for_notification("n", is("b")) ==
        boost::json::value(boost::json::object{{"i", "b"}}));
  CHECK(client.wait_for_notification("n").at("i") == "c");
  client.wait_for_notification("other");
  client.wait_for_notification("n", is("b"));
  CHECK(handled == "abcb");
  CHECK(client.notifications().size() == 5);
  CHECK(mentions(
      failure_of([&] { client.wait_for_notification("n", {}, std::chrono::milliseconds(20)); }),
      "waited 20 ms in vain for the notification n"));
  CHECK(client.complaints().empty());
}

TEST_CASE("answers, errors and handlers for the server's requests") {
  LspClient client(kMirror, Traffic::Unchecked);
  client.on_request("m", [](const boost::json::value& params, protocol::Replier reply) {
    reply.result(params.at("x"));
  });
  CHECK(client.request("m", boost::json::object{{"x", 5}}) == 5);
  CHECK(client.request("window/workDoneProgress/create").is_null());
  CHECK(client.request("workspace/applyEdit").at("applied") == false);
  CHECK(client.request_error("unknown").code == protocol::ErrorCode::MethodNotFound);
  CHECK_THROWS_WITH_AS(client.request("unknown"),
                       "unknown was refused: -32601 there is no method \"unknown\"",
                       RequestRefused);
  CHECK(mentions(failure_of([&] {
                   client.request_error("m", boost::json::object{{"x", "yes"}});
                 }),
                 "m was expected to be refused, but answered \"yes\""));
}

TEST_CASE("messages larger than a pipe go both ways at once") {
  LspClient client(kMirror, Traffic::Unchecked);
  const std::string large(5'000'000, 'x');
  client.notify("large", boost::json::object{{"text", large}});
  client.notify("large", boost::json::object{{"text", large}});
  for (int i = 0; i < 2; ++i) {
    const bool whole =
        client.wait_for_notification("large").at("text").as_string() == std::string_view(large);
    CHECK(whole);
  }
}

TEST_CASE("a program that ends too early is told with its code and its last words") {
  LspClient client(shell("echo sorry >&2; exit 3"), Traffic::Unchecked);
  const std::string failure = failure_of([&] { client.request("initialize"); });
  CHECK(mentions(failure, "the program ended while the test waited for the answer to initialize"));
  CHECK(mentions(failure, "The program ended with 3"));
  CHECK(mentions(failure, "stderr:\nsorry\n"));
  CHECK(client.wait_for_exit() == 3);
  client.notify("nobody reads this");
}

TEST_CASE("output that no client can read is a failure") {
  const auto failure_for = [](const std::string& script) {
    LspClient client(shell(script), Traffic::Unchecked);
    return failure_of([&] { client.wait_until("anything", [] { return false; }); });
  };
  CHECK(mentions(failure_for("echo hello; exec cat"), "the program wrote a broken frame: "));
  CHECK(mentions(failure_for(R"(printf 'Content-Length: 5\r\n\r\n{"a":'; exec cat)"),
                 "the program wrote a bad message: the message is not valid JSON"));
  CHECK(mentions(failure_for(R"(printf 'Content-Length: 5\r\n\r\n{"a"')"),
                 "the program's output ended inside a message"));
}

TEST_CASE("answers to nothing are complaints") {
  LspClient client(kMirror, Traffic::Unchecked);
  client.send_raw(protocol::frame(R"({"jsonrpc":"2.0","id":77,"result":1})"));
  client.wait_until("the complaint", [&] { return !client.complaints().empty(); });
  CHECK(client.complaints() ==
        std::vector<std::string>{"ignored an answer to the unknown request 77"});
}

TEST_CASE("the ways in which a program ends") {
  SUBCASE("its input ends") {
    LspClient client(kMirror, Traffic::Unchecked);
    client.close_input();
    CHECK(client.wait_for_exit() == 0);
  }
  SUBCASE("by a signal") {
    LspClient client(kMirror, Traffic::Unchecked);
    client.kill(SIGTERM);
    CHECK(client.wait_for_exit() == 128 + SIGTERM);
  }
  SUBCASE("while a child of it holds its pipes") {
    LspClient client(shell("cat <&0 & exit 4"),
                     Traffic::Unchecked);  // the end of its input ends the child, too
    CHECK(client.wait_for_exit() == 4);
  }
  SUBCASE("not within the deadline") {
    LspClient client(kMirror, Traffic::Unchecked);
    CHECK(mentions(failure_of([&] { client.wait_for_exit(std::chrono::milliseconds(10)); }),
                   "the program did not end within 10 ms"));
  }
  SUBCASE("killed and reaped by the destructor") {
    pid_t pid = 0;
    {
      LspClient client(kMirror, Traffic::Unchecked);
      pid = client.pid();
    }
    CHECK(::kill(pid, 0) == -1);
    CHECK(errno == ESRCH);
  }
}

TEST_CASE("environment, working directory, and a program that is not there") {
  ProgramOptions options = shell("echo \"$GREETING $PWD\" >&2");
  options.environment = {"GREETING=hello"};
  options.working_directory = "/";
  LspClient client(options, Traffic::Unchecked);
  client.wait_for_exit();
  CHECK(client.stderr_text() == "hello /\n");
  CHECK_THROWS_AS(LspClient({.program = "/no/such/program",
                             .arguments = {},
                             .environment = {},
                             .working_directory = {}}),
                  std::system_error);
}

TEST_CASE("run_for serves the connection meanwhile") {
  LspClient client(kMirror, Traffic::Unchecked);
  client.notify("n");
  while (client.notifications().empty()) client.run_for(std::chrono::milliseconds(1));
  CHECK(client.notifications().front().method == "n");
}

}  // namespace lsp_client_test
}  // namespace agent_doc::fakes
