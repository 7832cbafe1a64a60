// What it is: the Agent Client Protocol, message by message: questions and files.
// What it is not: the recordings of the real agents (tests/transcripts).
#include "plugins/acp/acp_updates.hpp"
#include "tests/unit/acp_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::acp_test {

TEST_CASE("ACP: permission: asked, allowed, denied, closed") {
  Host host;
  host.begin_answer();
  CHECK(host.line(kQuestion) ==
        Told{"tool t1 edit 'Write out.txt: /w/out.txt'",
             "asked permission-1 edit 'Write out.txt: /w/out.txt' [a: Allow] [b: Always] [c: No]"});
  SUBCASE("allowed") {
    host.protocol->answer("permission-1", "a", host);
    CHECK(
        host.written() ==
        Told{
            R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"a"}}})"});
    CHECK(host.events().empty());
  }
  SUBCASE("denied: some agents never say that the tool is over") {
    host.protocol->answer("permission-1", "c", host);
    CHECK(
        host.written() ==
        Told{
            R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"c"}}})"});
    CHECK(host.events() == Told{"tool end t1 error"});
    CHECK(host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"failed"})")
              .empty());
  }
  SUBCASE("closed, or an option that was never offered") {
    host.protocol->answer("permission-1", "z", host);
    CHECK(host.written() ==
          Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    host.protocol->answer("permission-1", "a", host);
    CHECK(host.written().empty());
  }
  SUBCASE("the turn is stopped") {
    host.protocol->cancel(host);
    CHECK(host.written() ==
          Told{R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}})",
               R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    CHECK(host.events() == Told{"withdrawn permission-1"});
    CHECK(host.line(kQuestion).empty());
    CHECK(host.written() ==
          Told{R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})"});
    CHECK(host.end("cancelled") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("the agent ends its turn or itself") {
    CHECK(host.end("end_turn") == Told{"usage 0 0 0 0 0", "withdrawn permission-1", "done ''"});
  }
  SUBCASE("the agent dies") {
    CHECK(host.exit({1, 0, "boom"}).front() == "withdrawn permission-1");
  }
}

TEST_CASE("ACP: permission by policy, and with nobody there") {
  const auto answer_of = [](PermissionPolicy policy, const std::string& question) {
    LaunchRequest wanted = Host::new_session();
    wanted.permissions = policy;
    Host host(wanted);
    host.begin_answer(
        R"({"sessionId":"s","modes":{"currentModeId":"plan","availableModes":[{"id":"plan"}]}})");
    host.line(question);
    const Told written = host.written();
    return written.empty() ? std::string("asked") : written.front();
  };
  const std::string denied =
      R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"c"}}})";
  std::string of_command = kQuestion;
  of_command.replace(of_command.find("\"edit\""), 6, "\"execute\"");
  CHECK(answer_of(PermissionPolicy::Ask, kQuestion) == "asked");
  CHECK(answer_of(PermissionPolicy::AcceptEdits, kQuestion) == "asked");
  CHECK(answer_of(PermissionPolicy::Deny, kQuestion) == denied);
  CHECK(answer_of(PermissionPolicy::Deny, of_command) == denied);
  CHECK(answer_of(PermissionPolicy::Plan, kQuestion) == denied);
  CHECK(answer_of(PermissionPolicy::Plan, of_command) == "asked");

  const std::string cancelled =
      R"({"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}})";
  CHECK(
      answer_of(
          PermissionPolicy::Ask,
          R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"toolCall":{},"options":[]}})") ==
      cancelled);
  CHECK(answer_of(PermissionPolicy::Ask,
                  R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission"})") ==
        cancelled);
  std::string many;
  for (int option = 0; option < 51; ++option)
    many += (option > 0 ? "," : "") + std::string(R"({"optionId":"a","kind":"allow_once"})");
  CHECK(
      answer_of(
          PermissionPolicy::Ask,
          R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"options":[)" +
              many + "]}}") == cancelled);
  Host outside;
  outside.begin_answer();
  outside.end("end_turn");
  CHECK(outside.line(kQuestion).empty());
  CHECK(outside.written() == Told{cancelled});
}

namespace {

std::string question_of(const std::string& call) {
  return R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":)" +
         call +
         R"(,"options":[{"optionId":"a","name":"Allow","kind":"allow_once"},{"optionId":"c","name":"No","kind":"reject_once"}]}})";
}

const std::string kTold =
    R"({"sessionUpdate":"tool_call","toolCallId":"t1","title":"Write","kind":"edit","rawInput":{},"status":"pending"})";
const std::string kToldMore =
    R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","rawInput":{"file_path":"/w/out.txt","content":"new"},"locations":[{"path":"/w/out.txt"}]})";

}  // namespace

TEST_CASE(
    "ACP: a question that names only the id of its tool call has what was told of it before") {
  Host host;
  host.begin_answer();
  host.update(kTold);
  SUBCASE("before the question") {
    host.update(kToldMore);
    CHECK(host.line(question_of(R"({"toolCallId":"t1"})")) ==
          Told{"asked permission-1 edit 'Write: /w/out.txt' {file_path: /w/out.txt} {content: new} "
               "[a: Allow] [c: No]"});
  }
  SUBCASE("while text is written, which it does not end") {
    host.text("I write.");
    CHECK(host.update(kToldMore).empty());
    CHECK(host.line(question_of(R"({"toolCallId":"t1","title":"","rawInput":null,"kind":"edit"})"))
              .back() ==
          "asked permission-1 edit 'Write: /w/out.txt' {file_path: /w/out.txt} {content: new} [a: "
          "Allow] [c: No]");
  }
  SUBCASE("what the question says itself comes first") {
    host.update(kToldMore);
    CHECK(
        host
            .line(question_of(
                R"({"toolCallId":"t1","rawInput":{"file_path":"/w/other.txt"},"locations":[{"path":"/w/other.txt"}]})"))
            .back() ==
        "asked permission-1 edit 'Write: /w/other.txt' {file_path: /w/other.txt} [a: Allow] [c: "
        "No]");
  }
  SUBCASE("nothing of another call, or of one that is over") {
    host.update(kToldMore);
    CHECK(host.line(question_of(R"({"toolCallId":"t2"})")).back() ==
          "asked permission-1 tool 'something it does not name' [a: Allow] [c: No]");
    host.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed"})");
    CHECK(host.line(question_of(R"({"toolCallId":"t1"})")).back() ==
          "asked permission-2 tool 'something it does not name' [a: Allow] [c: No]");
  }
}

TEST_CASE("ACP: what no update and no question names is denied where nothing may be changed") {
  const auto answer_of = [](PermissionPolicy policy, const std::string& update,
                            const std::string& call) {
    LaunchRequest wanted = Host::new_session();
    wanted.permissions = policy;
    Host host(wanted);
    host.begin_answer(
        R"({"sessionId":"s","modes":{"currentModeId":"plan","availableModes":[{"id":"plan"},{"id":"ask"}]}})");
    if (policy != PermissionPolicy::Plan) host.answer(3, "{}");
    host.written();
    if (!update.empty()) host.update(update);
    host.line(question_of(call));
    const Told written = host.written();
    return written.empty()                                                  ? "asked"
           : written.front().find(R"("optionId":"c")") != std::string::npos ? "denied"
                                                                            : written.front();
  };
  const std::string diff =
      R"({"toolCallId":"t1","title":"x","content":[{"type":"diff","path":"/w/a","oldText":"1","newText":"2"}]})";
  CHECK(answer_of(PermissionPolicy::Plan, "", R"({"toolCallId":"t1"})") == "denied");
  CHECK(answer_of(PermissionPolicy::Plan, "", R"({"toolCallId":"t1","kind":"read"})") == "denied");
  CHECK(answer_of(PermissionPolicy::Plan, kTold, R"({"toolCallId":"t1"})") == "denied");
  CHECK(answer_of(PermissionPolicy::Plan, "", diff) == "denied");
  CHECK(answer_of(PermissionPolicy::Plan, "",
                  R"({"toolCallId":"t1","title":"ls","kind":"execute"})") == "asked");
}

TEST_CASE("ACP: of how many tool calls it is kept what was told has a limit") {
  Host host;
  host.begin_answer();
  for (std::size_t number = 0; number <= kMaxKeptTools; ++number) {
    host.update(R"({"sessionUpdate":"tool_call","toolCallId":"n)" + std::to_string(number) +
                R"(","title":"the title"})");
  }
  const std::string last = std::to_string(kMaxKeptTools);
  CHECK(host.line(question_of(R"({"toolCallId":"n0"})")).back() ==
        "asked permission-1 tool 'the title' [a: Allow] [c: No]");
  CHECK(host.line(question_of(R"({"toolCallId":"n)" + last + R"("})")).back() ==
        "asked permission-2 tool 'something it does not name' [a: Allow] [c: No]");
}

TEST_CASE("ACP: a turn that ends because a question got a no has failed, and nobody stopped it") {
  Host host;
  host.begin_answer();
  host.line(kQuestion);
  const Told refused = {"usage 0 0 0 0 0",
                        "failure " + std::to_string(static_cast<int>(FailureKind::Refused)) + " " +
                            describe_denied_end(spec_of("acp")).message,
                        "failed ''"};
  SUBCASE("denied") {
    host.protocol->answer("permission-1", "c", host);
    host.events();
    CHECK(host.end("cancelled") == refused);
  }
  SUBCASE("closed") {
    host.protocol->answer("permission-1", "", host);
    host.events();
    CHECK(host.end("cancelled") == refused);
  }
  SUBCASE("allowed") {
    host.protocol->answer("permission-1", "a", host);
    CHECK(host.end("cancelled") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("denied, and stopped") {
    host.protocol->answer("permission-1", "c", host);
    host.events();
    host.protocol->cancel(host);
    CHECK(host.end("cancelled") == Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
  SUBCASE("denied in the turn before") {
    host.protocol->answer("permission-1", "c", host);
    host.end("end_turn");
    host.protocol->begin_turn({"two"}, host);
    host.events();
    CHECK(host.answer(4, R"({"stopReason":"cancelled"})") ==
          Told{"usage 0 0 0 0 0", "cancelled ''"});
  }
}

TEST_CASE("ACP: files are read and written through the host") {
  Host host;
  host.begin_answer();
  host.line(request(5, "fs/read_text_file",
                    R"({"sessionId":"s","path":"/w/a.txt","line":2,"limit":10})"));
  host.line(request(6, "fs/write_text_file",
                    R"({"sessionId":"s","path":"/w/b.txt","content":"text\n"})"));
  REQUIRE(host.reads.size() == 1);
  REQUIRE(host.writes.size() == 1);
  CHECK(host.reads[0].path == "/w/a.txt");
  CHECK(host.reads[0].line == 2U);
  CHECK(host.reads[0].limit == 10U);
  CHECK(host.writes[0].path == "/w/b.txt");
  CHECK(host.writes[0].text == "text\n");
  host.protocol->file_answered(host.writes[0].id, {true, {}}, host);
  host.protocol->file_answered(host.reads[0].id, {true, "two\n"}, host);
  host.protocol->file_answered(host.reads[0].id, {true, "never"}, host);
  CHECK(host.written() == Told{R"({"jsonrpc":"2.0","id":6,"result":{}})",
                               R"({"jsonrpc":"2.0","id":5,"result":{"content":"two\n"}})"});

  host.line(
      request(7, "fs/read_text_file", R"({"path":"/w/c.txt","line":-1,"limit":99999999999})"));
  CHECK_FALSE(host.reads[1].line.has_value());
  CHECK_FALSE(host.reads[1].limit.has_value());
  host.protocol->file_answered(host.reads[1].id, {false, "not allowed"}, host);
  host.line(request(8, "fs/read_text_file", R"({"path":"/w/d.txt"})"));
  host.protocol->file_answered(host.reads[2].id, {false, "no file /w/d.txt", true}, host);
  host.line(request(9, "fs/read_text_file", "{}"));
  host.line(request(10, "fs/write_text_file", R"({"path":"/w/d.txt"})"));
  CHECK(host.writes.size() == 1);
  CHECK(
      host.written() ==
      Told{
          R"({"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"not allowed"}})",
          R"({"jsonrpc":"2.0","id":8,"error":{"code":-32002,"message":"no file /w/d.txt"}})",
          R"({"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"a path is missing"}})",
          R"({"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"the content is missing"}})"});
  host.end("end_turn");
  host.line(request(11, "fs/write_text_file", R"({"path":"/w/b.txt","content":"late"})"));
  CHECK(host.writes.size() == 1);
  CHECK(
      host.written() ==
      Told{
          R"({"jsonrpc":"2.0","id":11,"error":{"code":-32603,"message":"no turn runs: nothing is written"}})"});
}

TEST_CASE("ACP: gemini can create files: one that is not there reads empty") {
  Host host(Host::new_session(), "gemini");
  host.begin_answer();
  host.line(request(5, "fs/read_text_file", R"({"path":"/w/new.txt"})"));
  host.protocol->file_answered(host.reads[0].id, {false, "no such file", true}, host);
  host.line(request(6, "fs/read_text_file", R"({"path":"/etc/shadow"})"));
  host.protocol->file_answered(host.reads[1].id, {false, "not allowed"}, host);
  CHECK(host.written() ==
        Told{R"({"jsonrpc":"2.0","id":5,"result":{"content":""}})",
             R"({"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"not allowed"}})"});
}

}  // namespace agent_doc::plugins::acp_test
