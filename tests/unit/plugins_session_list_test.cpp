// What agents list of their sessions: the requests and answers of ACP and of codex byte for byte,
// pages, limits, and what a hostile agent may say.
#include "plugins/session_list.hpp"
#include "tests/unit/acp_host.hpp"
#include "tests/unit/codex_host.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace session_list_test {

using namespace agent_doc::plugins;  // NOLINT: this file's own names
using agent_doc::tests::Told;
using AcpHost = acp_test::Host;

const std::string kListAndClose =
    R"({"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"close":{}}}})";

std::string acp_session(const std::string& id, const std::string& more = {}) {
  return R"({"sessionId":")" + id + R"(","cwd":"/w")" + more + "}";
}

/// A host whose agent was asked for the first page, as request 2.
struct Asked : AcpHost {
  Asked() {
    protocol->list_sessions(*this);
    written();
    answer(1, kListAndClose);
  }
  Told page(int id, const std::string& sessions, const std::string& next = {}) {
    return answer(id, R"({"sessions":[)" + sessions + "]" +
                          (next.empty() ? "" : R"(,"nextCursor":")" + next + R"(")") + "}");
  }
};

std::string list_request(int id, const std::string& more = {}) {
  return acp_test::request(id, "session/list", R"({"cwd":"/w")" + more + "}");
}

TEST_CASE("an ACP agent is asked for its sessions after `initialize`, and no session is begun") {
  AcpHost host;
  host.protocol->list_sessions(host);
  const Told first = host.written();
  REQUIRE(first.size() == 1);
  CHECK(first[0].starts_with(
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,)"));
  CHECK(host.answer(1, kListAndClose).empty());
  CHECK(host.written() == Told{list_request(2)});
  CHECK(host.answer(
            2, R"({"sessions":[)" +
                   acp_session("s-1", R"(,"title":"One","updatedAt":"2026-11-20T09:32:58.670Z")") +
                   "," + acp_session("s-2") + "]}") ==
        Told{"sessions [s-1 1795167178670 One] [s-2 - ]"});
  CHECK(host.written().empty());
  CHECK(host.exit({0, 0, {}}).empty());
}

TEST_CASE("pages are asked for one after the other, and told once") {
  Asked host;
  CHECK(host.page(2, acp_session("a"), "p2").empty());
  CHECK(host.written().back() == list_request(3, R"(,"cursor":"p2")"));
  CHECK(host.page(3, acp_session("b") + "," + acp_session("a"), "p3").empty());
  CHECK(host.written() == Told{list_request(4, R"(,"cursor":"p3")")});
  CHECK(host.page(4, "") == Told{"sessions [a - ] [b - ]"});
}

TEST_CASE("an agent that does not mind the cursor, or has no end, is asked no further") {
  SUBCASE("the same page again") {
    Asked host;
    CHECK(host.page(2, acp_session("a"), "p2").empty());
    CHECK(host.page(3, acp_session("a"), "p3") == Told{"sessions, cut [a - ]"});
  }
  SUBCASE("the same cursor again") {
    Asked host;
    CHECK(host.page(2, acp_session("a"), "p2").empty());
    CHECK(host.page(3, acp_session("b"), "p2") == Told{"sessions, cut [a - ] [b - ]"});
  }
  SUBCASE("a cursor over the limit") {
    Asked host;
    CHECK(host.page(2, acp_session("a"), std::string(kMaxListCursor + 1, 'c')) ==
          Told{"sessions, cut [a - ]"});
  }
  SUBCASE("pages without end") {
    Asked host;
    Told told;
    int asked = 0;
    for (; told.empty(); ++asked)
      told = host.page(asked + 2, acp_session("s" + std::to_string(asked)),
                       "p" + std::to_string(asked));
    CHECK(asked == static_cast<int>(kMaxListPages));
    CHECK(told[0].starts_with("sessions, cut [s0 - ] [s1 - ]"));
  }
  SUBCASE("a page over the limit") {
    Asked host;
    std::string sessions = acp_session("s0");
    for (std::size_t i = 1; i <= kMaxListedSessions; ++i)
      sessions += "," + acp_session("s" + std::to_string(i));
    const Told told = host.page(2, sessions);
    REQUIRE(told.size() == 1);
    CHECK(told[0].starts_with("sessions, cut [s0 - ]"));
    CHECK(told[0].ends_with("[s" + std::to_string(kMaxListedSessions - 1) + " - ]"));
  }
}

TEST_CASE(
    "sessions that cannot be resumed, of another folder, or that are none, are left out; a title "
    "has a limit") {
  Asked host;
  std::string sessions = acp_session("good");
  for (const char* bad :
       {"", "-rf", "a b", "a\\nb", "a;b", "$(a)", "\\u001b[31m", "\\u00e4", "a\\\"b"})
    sessions += "," + acp_session(bad);
  sessions += "," + acp_session(std::string(kMaxSessionId + 1, 'a'));
  sessions +=
      R"(,{"sessionId":"elsewhere","cwd":"/other"},{"sessionId":7},{"sessionId":"nowhere"},"text",null,[])";
  std::string title(kMaxSessionTitle - 1, 't');
  sessions += "," + acp_session("long", R"(,"title":")" + title + "äää\"");
  sessions += "," + acp_session("odd", R"(,"title":7,"updatedAt":12)");
  CHECK(host.page(2, sessions) ==
        Told{"sessions [good - ] [nowhere - ] [long - " + title + "] [odd - ]"});
}

TEST_CASE("an ACP agent that cannot list says so by its capabilities or by its answer") {
  AcpHost without;
  without.protocol->list_sessions(without);
  without.written();
  CHECK(without.answer(1, acp_test::kAll) == Told{"cannot list"});
  CHECK(without.written().empty());
  CHECK(without.exit({0, 0, {}}).empty());

  Asked refuses;
  CHECK(refuses.refuse(2, -32601, "Method not found") == Told{"cannot list"});
}

TEST_CASE("what went wrong instead of the list is told once") {
  SUBCASE("an error") {
    Asked host;
    CHECK(host.refuse(2, -32603, "disk on fire") ==
          Told{"not listed '" +
               describe_failure(FailureKind::Unknown, "disk on fire", acp_test::spec_of("acp"))
                   .message +
               "'"});
    CHECK(host.exit({1, 0, "more"}).empty());
  }
  SUBCASE("`initialize` fails") {
    AcpHost host;
    host.protocol->list_sessions(host);
    const Told told = host.refuse(1, -32603, "no home");
    CHECK(told ==
          Told{"not listed '" +
               describe_failure(FailureKind::Unknown, "no home", acp_test::spec_of("acp")).message +
               "'"});
  }
  SUBCASE("another version of the protocol") {
    AcpHost host;
    host.protocol->list_sessions(host);
    const Told told = host.answer(1, R"({"protocolVersion":9})");
    REQUIRE(told.size() == 1);
    CHECK(told[0].starts_with("not listed 'agent: The agent speaks version 9 of ACP"));
  }
  SUBCASE("the process ends") {
    Asked host;
    CHECK(host.exit({3, 0, "boom\n"}) ==
          Told{"not listed 'agent: The agent ended before it told its sessions (exit code 3): "
               "boom. `agent-doc doctor` shows "
               "whether it starts.'"});
  }
  SUBCASE("an answer that is none") {
    Asked host;
    CHECK(host.answer(2, "[]") == Told{"sessions"});
  }
}

TEST_CASE("questions and requests of an agent that is only asked for its sessions change nothing") {
  Asked host;
  host.written();
  CHECK(host.line(acp_test::kQuestion).empty());
  CHECK(
      host.line(
              R"({"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/w/a","content":"x"}})")
          .empty());
  CHECK(host.writes.empty());
  CHECK(host.written().size() == 2);
  CHECK(host.page(2, acp_session("a")) == Told{"sessions [a - ]"});
}

TEST_CASE("codex is asked for the threads of the folder that a person began, or we did") {
  agent_doc::tests::ProtocolHost host(make_codex({"codex", "codex", "codex", {}, {}}));
  LaunchRequest launch;
  launch.cwd = "/w";
  host.protocol->launch(launch);
  host.protocol->list_sessions(host);
  CHECK(host.written().size() == 1);
  CHECK(host.line(R"({"id":1,"result":{}})").empty());
  const std::string params =
      R"({"cwd":"/w","sortKey":"updated_at","sortDirection":"desc","sourceKinds":["cli","vscode","exec","appServer"])";
  CHECK(host.written() == Told{R"({"method":"initialized"})",
                               R"({"id":2,"method":"thread/list","params":)" + params + "}}"});
  CHECK(
      host.line(
              R"({"id":2,"result":{"data":[{"id":"t-1","cwd":"/w","name":"Named","preview":"Hi.","updatedAt":1795167178},)"
              R"({"id":"t-2","cwd":"/w","name":null,"preview":"Hi.","updatedAt":"soon"},{"id":"t-3","cwd":"/other"}],"nextCursor":"n"}})")
          .empty());
  CHECK(host.written() ==
        Told{R"({"id":3,"method":"thread/list","params":)" + params + R"(,"cursor":"n"}})"});
  CHECK(host.line(R"({"id":3,"result":{"data":[],"nextCursor":null}})") ==
        Told{"sessions [t-1 1795167178000 Named] [t-2 - Hi.]"});
  CHECK(host.exit({0, 0, {}}).empty());
}

TEST_CASE("codex that cannot list, fails or ends is told as such, once") {
  const auto asked = [] {
    auto host = std::make_unique<agent_doc::tests::ProtocolHost>(
        make_codex({"codex", "codex", "codex", {}, {}}));
    host->protocol->launch({});
    host->protocol->list_sessions(*host);
    return host;
  };
  auto old = asked();
  old->line(R"({"id":1,"result":{}})");
  CHECK(old->line(R"({"id":2,"error":{"code":-32601,"message":"unknown method"}})") ==
        Told{"cannot list"});
  CHECK(old->exit({0, 0, {}}).empty());
  auto broken = asked();
  CHECK(broken->line(R"({"id":1,"error":{"code":-32603,"message":"no home"}})")
            .front()
            .starts_with("not listed 'codex: no home."));
  auto gone = asked();
  CHECK(gone->exit({0, 9, {}})
            .front()
            .starts_with(
                "not listed 'codex: The agent ended before it told its sessions (signal 9)."));
}

TEST_CASE("an agent without such a request cannot list, and says so before it runs") {
  for (const Dialect& dialect : dialects()) {
    CAPTURE(dialect.name);
    const AgentSpec spec{"agent", std::string(dialect.name), "agent", {}, {}};
    const bool lists = dialect.make == make_acp || dialect.name == "codex";
    CHECK(session_support(spec).list == lists);
    if (lists) continue;
    agent_doc::tests::ProtocolHost host(make_protocol(spec));
    host.protocol->list_sessions(host);
    CHECK(host.events() == Told{"cannot list"});
    CHECK(host.written().empty());
  }
}

TEST_CASE("a session's id stands in a front matter and on a command line as it is") {
  for (const char* good : {"a", "ses_e07adcccdffeqC7E8vB0rOAc0d",
                           "3626003a-6ee9-45bc-8469-eaa6fa677d1f", "a/b.c:d+e=f@g~h", "7"}) {
    CAPTURE(good);
    CHECK(is_usable_session_id(good));
  }
  for (const std::string& bad :
       {std::string(), std::string("-a"), std::string("a b"), std::string("a\nb"),
        std::string("a'b"), std::string("a#b"), std::string(kMaxSessionId + 1, 'a'),
        std::string("a\0b", 3), std::string("ä")}) {
    CAPTURE(bad);
    CHECK_FALSE(is_usable_session_id(bad));
  }
}

TEST_CASE("a time of an agent is read, or is none") {
  CHECK(milliseconds_of("1970-01-01T00:00:00Z") == 0);
  CHECK(milliseconds_of("2026-11-20T09:32:58.670Z") == 1795167178670);
  CHECK(milliseconds_of("2026-11-20T09:32:58.6709999Z") == 1795167178670);
  CHECK(milliseconds_of("2026-11-20T11:32:58+02:00") == 1795167178000);
  CHECK(milliseconds_of("2026-11-20T04:02:58-05:30") == 1795167178000);
  CHECK(milliseconds_of("1969-12-31T23:59:59.5Z") == -500);
  for (const char* bad :
       {"", "yesterday", "2026-11-20", "2026-11-20T09:32Z", "2026-11-20T09:32:58",
        "2026-13-20T09:32:58Z", "2026-02-30T09:32:58Z", "2026-11-20T24:32:58Z",
        "2026-11-20T09:60:58Z", "2026-11-20T09:32:58+2:00", "2026-11-20T09:32:58Zx",
        "2026-11-20 09:32:58Z", "20261-1-20T09:32:58Z", "2026-11-20T09:32:58.Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(milliseconds_of(bad).has_value());
  }
}

TEST_CASE(
    "the session of an agent that closes sessions is closed with its process, when no turn runs") {
  SUBCASE("after a turn") {
    AcpHost host;
    host.begin();
    host.answer(1, kListAndClose);
    host.answer(2, R"({"sessionId":"s"})");
    host.end("end_turn");
    host.written();
    host.protocol->end(host);
    CHECK(host.written() == Told{acp_test::request(4, "session/close", R"({"sessionId":"s"})")});
    CHECK(host.answer(4, "{}").empty());
    CHECK(host.exit({0, 0, {}}).empty());
  }
  SUBCASE("not in a turn, nor before there is a session") {
    AcpHost host;
    host.begin();
    host.protocol->end(host);
    host.answer(1, kListAndClose);
    host.written();
    host.protocol->end(host);
    CHECK(host.written().empty());
    host.answer(2, R"({"sessionId":"s"})");
    host.written();
    host.protocol->end(host);
    CHECK(host.written().empty());
  }
  SUBCASE("not of an agent that does not know it") {
    AcpHost host;
    host.begin_answer();
    host.end("end_turn");
    host.written();
    host.protocol->end(host);
    CHECK(host.written().empty());
  }
}

}  // namespace session_list_test
