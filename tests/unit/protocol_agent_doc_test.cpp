#include "protocol/agent_doc.hpp"

#include "protocol/fields.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <functional>

namespace protocol_agent_doc_test {

namespace json = boost::json;
using namespace agent_doc::protocol;

template <class Decode>
std::string complaint(Decode decode, const char* text) {
  const json::value value = json::parse(text);
  try {
    decode(Fields(value, "arguments[0]"));
  } catch (const InvalidField& problem) {
    return problem.message();
  }
  return "nothing to complain about";
}

TEST_CASE("arguments of the commands") {
  const json::value value = json::parse(
      R"({"uri": "u", "position": {"line": 3, "character": 4}, "promptEnd": {"line": 5, "character": 6}, "prompt": "p", "agent": "a", "model": null})");
  const RunParams run = decode_run(Fields(value, "arguments[0]"));
  CHECK(run.uri == "u");
  CHECK(run.position == agent_doc::text::Position{3, 4});
  CHECK(run.prompt_end == agent_doc::text::Position{5, 6});
  CHECK_FALSE(decode_run(Fields(json::parse(R"({"uri": "u"})"), "arguments[0]")).prompt_end);
  CHECK(run.prompt == "p");
  CHECK(run.agent == "a");
  CHECK(run.model.empty());

  CHECK(complaint(decode_run, "{}").starts_with("arguments[0].uri:"));
  CHECK(complaint(decode_run, R"({"uri": 7})").starts_with("arguments[0].uri:"));
  CHECK(complaint(decode_run, R"({"uri": "u", "position": {"line": 1}})")
            .starts_with("arguments[0].position.character:"));
  CHECK(complaint(decode_fork, R"({"uri": "u", "turn": 0})").starts_with("arguments[0].turn:"));
  CHECK(complaint(decode_answer, R"({"turn": "t"})").starts_with("arguments[0].permission:"));
}

TEST_CASE("agentDoc.agents and agentDoc.sessions: argument and results, whole") {
  const json::value value = json::parse(R"({"uri": null, "agent": "a", "folder": "file:///w"})");
  const SessionsParams params = decode_sessions(Fields(value, "arguments[0]"));
  CHECK(params.uri.empty());
  CHECK(params.agent == "a");
  CHECK(params.folder == "file:///w");
  CHECK(complaint(decode_sessions, R"({"folder": 7})").starts_with("arguments[0].folder:"));

  CHECK(
      json::serialize(
          encode(std::vector<AgentEntry>{{"a", "acp", true, true, true, false, true, {}},
                                         {"b", "c", false, false, false, false, false, "how"}})) ==
      R"({"agents":[{"name":"a","dialect":"acp","installed":true,"default":true,"canResume":true,"canFork":false,"canList":true},)"
      R"({"name":"b","dialect":"c","installed":false,"default":false,"canResume":false,"canFork":false,"canList":false,"howToGet":"how"}]})");
  CHECK(
      json::serialize(encode(
          SessionsResult{"a", "file:///w", false, {{"s", "t", 5}, {"u", "", std::nullopt}}})) ==
      R"({"agent":"a","folder":"file:///w","complete":false,"sessions":[{"sessionId":"s","title":"t","usedMs":5},{"sessionId":"u","title":"","usedMs":null}]})");
}

TEST_CASE("a refusal and its reason survive the wire") {
  for (const auto reason :
       {RefusalReason::Busy, RefusalReason::NothingToSend, RefusalReason::UnknownAgent,
        RefusalReason::NoSession, RefusalReason::NotOpen, RefusalReason::Unsupported,
        RefusalReason::Invalid}) {
    CHECK(reason_of(refused(reason, "why")) == reason);
  }
  const Error error = refused(RefusalReason::NothingToSend, "why");
  CHECK(error.code == ErrorCode::RequestFailed);
  CHECK(json::serialize(error.data) == R"({"reason":"nothing-to-send"})");
  CHECK_FALSE(reason_of({ErrorCode::InvalidParams, "x", error.data}));
  CHECK_FALSE(reason_of({ErrorCode::RequestFailed, "x", nullptr}));
  CHECK_FALSE(reason_of({ErrorCode::RequestFailed, "x", json::object{{"reason", "bored"}}}));
}

TEST_CASE("agentDoc/turn, whole") {
  TurnParams turn;
  turn.uri = "file:///w/doc.md";
  turn.turn = "t1";
  turn.state = "waiting";
  turn.phase = "waiting";
  turn.status = "may it?";
  turn.agent = "claude";
  turn.model = "model-1";
  turn.sessionId = "s-1";
  turn.usage = {1, 2, 3, 4, 5};
  turn.elapsedMs = 1234;
  turn.replyLanded = false;
  turn.canContinue = true;
  turn.failure = "no";
  turn.health = "3 events";
  turn.permission = PermissionParams{
      "p", "Write", "/w/out.txt", {{"yes", "Allow", "allow_once"}, {"no", "Deny", "deny"}}};
  const std::string wire =
      R"({"uri":"file:///w/doc.md","turn":"t1","state":"waiting","phase":"waiting","status":"may it?","agent":"claude","model":"model-1",)"
      R"("sessionId":"s-1","usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"costMicros":5},"elapsedMs":1234,"replyLanded":false,"canContinue":true,)"
      R"("health":"3 events","failure":"no","permission":{"id":"p","tool":"Write","detail":"/w/out.txt","options":[)"
      R"({"id":"yes","label":"Allow","kind":"allow_once"},{"id":"no","label":"Deny","kind":"deny"}]}})";
  CHECK(json::serialize(encode(turn)) == wire);
  CHECK(json::serialize(encode(decode_turn(json::parse(wire)))) == wire);

  turn.failure.clear();
  turn.permission.reset();
  const json::value quiet = encode(turn);
  CHECK_FALSE(quiet.as_object().contains("failure"));
  CHECK_FALSE(quiet.as_object().contains("permission"));
}

TEST_CASE("agentDoc/reply, whole") {
  const std::string wire = R"({"uri":"u","turn":"t1","offset":12,"text":"é\n"})";
  CHECK(json::serialize(encode(ReplyParams{"u", "t1", 12, "é\n"})) == wire);
  const ReplyParams reply = decode_reply(json::parse(wire));
  CHECK(reply.offset == 12);
  CHECK(reply.text == "é\n");
  CHECK_THROWS_AS(decode_reply(json::parse(R"({"uri":"u","turn":"t","offset":-1,"text":""})")),
                  InvalidField);
}

}  // namespace protocol_agent_doc_test
