#include "server/session/agent_write.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace session_agent_write_test {

namespace {

std::string written(std::string_view base, std::string_view wanted, std::string now) {
  const auto edit = agent_doc::session::agent_write(base, wanted, now);
  if (edit) now.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  return now;
}

}  // namespace

TEST_CASE(
    "what an agent writes is moved to where the text is now, and what the person typed stays") {
  struct Case {
    std::string base, wanted, now, result;
  };
  const std::vector<Case> cases = {
      {"a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\n", "a\nB\nc\n"},
      {"a\nb\nc\n", "a\nB\nc\n", "new\na\nb\nc\nmore\n", "new\na\nB\nc\nmore\n"},
      {"a\nb\nc\nd\n", "A\nb\nc\nD\n", "a\nb\ntyped\nc\nd\n", "A\nb\ntyped\nc\nD\n"},
      {"a\nb\n", "a\nb\nend\n", "a\ntyped\nb\n", "a\ntyped\nb\nend\n"},
      {"a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"},
      {"a\n", "a\n", "typed\n", "typed\n"},
      {"", "all new\n", "", "all new\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.wanted);
    CAPTURE(c.now);
    CHECK(written(c.base, c.wanted, c.now) == c.result);
  }
}

}  // namespace session_agent_write_test
