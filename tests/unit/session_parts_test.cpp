#include "server/session/fork.hpp"
#include "server/session/front_matter_values.hpp"
#include "server/session/region_writer.hpp"
#include "server/session/run_plan.hpp"
#include "server/sync/sync_engine.hpp"

#include <doctest/doctest.h>

namespace session_parts_test {

namespace {

using agent_doc::markdown::read_front_matter;
using agent_doc::plugins::SessionStart;
using agent_doc::session::Outcome;
using agent_doc::session::Refusal;
using agent_doc::session::RunRequest;
using agent_doc::session::SessionPlan;

SessionPlan planned(std::string_view document, const RunRequest& request = {}) {
  const Outcome<SessionPlan> plan =
      agent_doc::session::plan_session(read_front_matter(document), request, "default", "/w", {});
  REQUIRE(std::holds_alternative<SessionPlan>(plan));
  return std::get<SessionPlan>(plan);
}

std::string refusal(std::string_view document, const RunRequest& request = {}) {
  const Outcome<SessionPlan> plan =
      agent_doc::session::plan_session(read_front_matter(document), request, "default", "/w", {});
  REQUIRE(std::holds_alternative<Refusal>(plan));
  return std::get<Refusal>(plan).message;
}

}  // namespace

TEST_CASE(
    "session plan: agent, model and session come from the request, then the document, then the "
    "default") {
  CHECK(planned("Hi\n").agent == "default");
  CHECK(planned("---\nagent: claude\n---\nHi\n").agent == "claude");
  CHECK(planned("---\nagent: claude\nmodel: a\n---\n").launch.model == "a");
  CHECK(planned("---\nagent: claude\nmodel: a\nclaude_model: b\n---\n").launch.model == "b");
  RunRequest request;
  request.agent = "tour";
  request.model = "c";
  CHECK(planned("---\nagent: claude\nmodel: a\n---\n", request).agent == "tour");
  CHECK(planned("---\nagent: claude\nmodel: a\n---\n", request).launch.model == "c");
  CHECK(planned("---\nagent: claude\n---\n").launch.start == SessionStart::New);
  CHECK(planned("---\nagent: claude\nresume: x\n---\n").launch.start == SessionStart::Resume);
  CHECK(planned("---\nagent: claude\nresume: {claude: x, codex: y}\n---\n").launch.session_id ==
        "x");
  CHECK(planned("---\nagent: claude\nresume: {codex: y}\n---\n").launch.start == SessionStart::New);
  const SessionPlan fork = planned(
      "---\nagent: claude\nforked_from: {file: \"a.md\", session: \"s-1\", turn: 2}\n---\n");
  CHECK(fork.launch.start == SessionStart::Fork);
  CHECK(fork.launch.session_id == "s-1");
  CHECK(planned("---\nagent: claude\nresume: z\nforked_from: {file: a, session: s-1}\n---\n")
            .launch.session_id == "z");
}

TEST_CASE("session plan: agent_doc_cwd stays inside the workspace") {
  CHECK(planned("Hi\n").launch.cwd == "/w");
  CHECK(planned("---\nagent: a\nagent_doc_cwd: sub/./x/../y\n---\n").launch.cwd == "/w/sub/y");
  for (const char* outside : {"..", "a/../../b", "/etc", "../w2"}) {
    CAPTURE(outside);
    CHECK(refusal("---\nagent: a\nagent_doc_cwd: " + std::string(outside) + "\n---\n")
              .find(outside) != std::string::npos);
  }
}

TEST_CASE("session plan: a session of another agent is not resumed, but kept") {
  RunRequest request;
  request.agent = "tour";
  const SessionPlan plan = planned("---\nagent: claude\nresume: x\n---\n", request);
  CHECK(plan.launch.start == SessionStart::New);
  CHECK(plan.launch.session_id.empty());
  CHECK(plan.other_owner == "claude");
  CHECK(plan.knows == agent_doc::turn::SessionKnows::Nothing);
  CHECK(planned("---\nagent: claude\nresume: x\n---\n").knows ==
        agent_doc::turn::SessionKnows::EarlierTurns);
  CHECK(planned("---\nagent: claude\nresume: {claude: x, codex: y}\n---\n").knows ==
        agent_doc::turn::SessionKnows::Nothing);
}

TEST_CASE("resume becomes a map with the second agent, and keeps its shape") {
  struct Case {
    std::string before, other, after;
  };
  const std::vector<Case> cases = {
      {"---\nagent: b\nresume: x # mine\n---\n", "a",
       "---\nagent: b\nresume: {a: x, b: s-2} # mine\n---\n"},
      {"---\nagent: b\nresume: x\n---\n", "", "---\nagent: b\nresume: s-2\n---\n"},
      {"---\nagent: b\nresume: 'x, z'\n---\n", "a",
       "---\nagent: b\nresume: {a: \"x, z\", b: s-2}\n---\n"},
      {"---\nagent: b\nresume: {a: x}\n---\n", "a", "---\nagent: b\nresume: {a: x, b: s-2}\n---\n"},
      {"---\nagent: b\nresume:\n  a: x\n---\n", "",
       "---\nagent: b\nresume:\n  a: x\n  b: s-2\n---\n"},
      {"---\nagent: b\n---\n", "a", "---\nagent: b\nresume: s-2\n---\n"},
      {"---\nresume: s-2\n---\n", "a", "---\nresume: s-2\n---\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.before);
    std::string text = c.before;
    const auto edit = agent_doc::session::set_session(text, "b", "s-2", c.other);
    if (edit) text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    CHECK(text == c.after);
    CHECK_FALSE(agent_doc::session::set_session(text, "b", "s-2", c.other).has_value());
  }
}

TEST_CASE("session plan: what an agent cannot do with an earlier session becomes a new one") {
  const auto kept = [](agent_doc::plugins::SessionSupport support, SessionStart start) {
    agent_doc::plugins::LaunchRequest launch{start, "s-1", "model", "/w"};
    agent_doc::session::keep_within(support, launch);
    CHECK(launch.session_id == (launch.start == SessionStart::New ? "" : "s-1"));
    CHECK(launch.model == "model");
    return launch.start;
  };
  CHECK(kept({true, true}, SessionStart::Resume) == SessionStart::Resume);
  CHECK(kept({true, true}, SessionStart::Fork) == SessionStart::Fork);
  CHECK(kept({true, false}, SessionStart::Resume) == SessionStart::Resume);
  CHECK(kept({true, false}, SessionStart::Fork) == SessionStart::New);
  CHECK(kept({false, true}, SessionStart::Resume) == SessionStart::New);
}

TEST_CASE("fork names its origin relatively only inside one folder") {
  CHECK(agent_doc::session::relative_name("/a/b/doc.md", "/a/b/fork.md") == "doc.md");
  CHECK(agent_doc::session::relative_name("/a/b/doc.md", "/a/c/fork.md") == "/a/b/doc.md");
  CHECK(agent_doc::session::fork_document(
            "---\r\nagent: tour\r\nresume: x # mine\r\nother: 1\r\n---\r\nHi",
            {"a \"b\".md", "s", 1}, "u") ==
        "---\r\nagent: tour\r\nother: 1\r\nagent_doc_session: u\r\nforked_from: {file: \"a "
        "\\\"b\\\".md\", session: \"s\", turn: "
        "1}\r\n---\r\nHi");
}

TEST_CASE("region writer: offsets count the document's line ends") {
  agent_doc::sync::SyncEngine engine(agent_doc::text::PositionEncoding::Utf8);
  engine.did_open(1, "");
  agent_doc::session::RegionWriter writer(engine, "\r\n");
  writer.write_to(engine.open_region(0, {"<", ">"}));
  writer.write(0, "a\nb\n");
  writer.write(4, "c\nd");
  writer.write(4, "C\n");
  writer.write(6, "D");
  CHECK(writer.text() == "a\nb\nC\nD");
  const auto edit = engine.poll(agent_doc::sync::Release::Everything);
  REQUIRE(edit);
  CHECK(edit->edit.replacement == "<a\r\nb\r\nC\r\nD>");
}

TEST_CASE("front matter values: one insertion where possible, else one key after the other") {
  using agent_doc::session::FrontMatterValue;
  using agent_doc::session::set_front_matter;
  struct Case {
    std::string before, after;
    int edits;
  };
  const std::vector<FrontMatterValue> values = {{"agent_doc_session", "u"}, {"agent", "tour"}};
  const std::vector<Case> cases = {
      {"Hi\n", "---\nagent_doc_session: u\nagent: tour\n---\n\nHi\n", 1},
      {"", "---\nagent_doc_session: u\nagent: tour\n---\n", 1},
      {"---\ntitle: x # mine\n---\nHi\n",
       "---\ntitle: x # mine\nagent_doc_session: u\nagent: tour\n---\nHi\n", 1},
      {"---\nagent: old\nb: 1\n---\nHi\n",
       "---\nagent: tour\nb: 1\nagent_doc_session: u\n---\nHi\n", 2},
      {"---\nagent_doc_session: u\nagent: tour\n---\nHi\n",
       "---\nagent_doc_session: u\nagent: tour\n---\nHi\n", 0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.before);
    std::string text = c.before;
    int edits = 0;
    while (const auto edit = set_front_matter(text, values, "tour")) {
      REQUIRE(++edits < 5);
      text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
    }
    CHECK(text == c.after);
    CHECK(edits == c.edits);
  }
}

}  // namespace session_parts_test
