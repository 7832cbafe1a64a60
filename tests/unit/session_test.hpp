// What it is: what the tests of a document session share: the heads of the documents that claude's
// fake writes, and a whole turn.
// What it is not: the world around the session (tests/fakes/session_world.hpp).
// Thread rule: none.
#pragma once

#include "tests/fakes/session_world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>

namespace agent_doc::session_test {

using fakes::SessionWorld;
using session::Refusal;
using session::RefusalKind;
using session::RunRequest;
using turn::TurnState;

inline const std::string kHead = "---\nagent_doc_session: uuid-2\nagent: claude\n";
inline const std::string kBare = "Hello?\n";

inline std::string with_front_matter(const std::string& session, const std::string& body) {
  return kHead + "resume: " + session + "\n---\n" + body;
}

/// The same with the blank line that a run leaves below front matter that it added itself.
inline std::string with_added_front_matter(const std::string& session, const std::string& body) {
  return with_front_matter(session, "\n" + body);
}

inline bool refused(const session::Outcome<std::string>& outcome, RefusalKind kind) {
  const auto* refusal = std::get_if<Refusal>(&outcome);
  return refusal != nullptr && refusal->kind == kind && !refusal->message.empty();
}

inline TurnState last_state(const SessionWorld& world) {
  return world.views.back().state;
}

/// A whole turn that answers "Hi." in session s-1.
inline void run_once(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("Hi.");
  world.say_result("s-1");
  world.run_until_quiet();
}

}  // namespace agent_doc::session_test
