// How often edits leave, for clients of every kind.
#include "tests/fakes/lsp_world.hpp"

#include <doctest/doctest.h>

namespace lsp_pace_test {

namespace json = boost::json;
using namespace agent_doc::fakes;
using std::chrono::milliseconds;

std::string text_of(const json::value& edit) {
  return std::string(
      edit.at("edit").at("documentChanges").at(0).at("edits").at(0).at("newText").as_string());
}

/// A reply of `words` words that come every 10 ms, six on a line. How many edits it took, and how
/// many of those between the first and the last ended in a line.
struct Streamed {
  std::size_t edits = 0;
  std::size_t inner = 0;
  std::size_t whole_lines = 0;
};

Streamed stream(LspWorld& world, int words) {
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.pass(milliseconds{500});
  const std::size_t before = world.edits.size();
  for (int i = 0; i < words; ++i) {
    world.agent().say_text(i % 6 == 5 ? "word\\n" : "word ");
    world.pass(milliseconds{10});
  }
  const std::size_t inner_end = world.edits.size();
  world.agent().say_result("s-1");
  world.pass(milliseconds{1000});
  Streamed result{world.edits.size() - before, 0, 0};
  for (std::size_t i = before + 1; i < inner_end; ++i) {
    ++result.inner;
    if (text_of(world.edits[i]).ends_with("\n")) ++result.whole_lines;
  }
  return result;
}

TEST_CASE("a client that says it is strict gets an edit every 33 ms") {
  LspWorld world(kPluginCapabilities, "Hello?\n");
  const Streamed streamed = stream(world, 120);  // 1,200 ms
  CHECK(streamed.edits >= 30);
  CHECK(streamed.edits <= 38);
}

TEST_CASE("others get one every 100 ms, in whole lines") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  const Streamed streamed = stream(world, 120);
  CHECK(streamed.edits >= 10);
  CHECK(streamed.edits <= 14);
  CHECK(streamed.inner > 0);
  CHECK(streamed.whole_lines == streamed.inner);
}

TEST_CASE("a client that takes its time gets fewer and larger edits, and nothing queues") {
  LspWorld world(kPlainCapabilities, "Hello?\n");
  world.run();
  world.agent().say_session("s-1");
  world.agent().say_message_start("m1");
  world.pass(milliseconds{500});
  world.editing = LspWorld::Editing::IsSilent;
  const std::size_t before = world.edits.size();
  for (int i = 0; i < 120; ++i) {
    world.agent().say_text("word ");
    world.pass(milliseconds{10});
  }
  CHECK(world.edits.size() == before + 1);
}

}  // namespace lsp_pace_test
