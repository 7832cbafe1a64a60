// A client that ignores the versions of edits puts them where the text was before it changed. So no
// edit is in the air while the person types.
#include "tests/unit/session_test.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace session_pause_while_typing_test {

using namespace agent_doc::session_test;  // NOLINT: this file's own names
using agent_doc::text::Edit;
using std::chrono::milliseconds;

const std::string kHeadAndBlank = with_added_front_matter("s-1", "");

void type_above(SessionWorld& world, const std::string& typed) {
  world.type(kHeadAndBlank.size(), kHeadAndBlank.size(), typed);
  const auto [version, change] = world.changes.front();
  world.changes.pop_front();
  world.session.did_change(version, {change});
}

void pass(SessionWorld& world, milliseconds time) {
  world.clock += time;
  world.session.wake();
}

/// The reply of a running turn goes on, and the editor has put a line of it where the text was
/// before a line came above.
void put_line_elsewhere(SessionWorld& world) {
  REQUIRE(std::holds_alternative<std::string>(world.session.run({})));
  world.say_session("s-1");
  world.say_message_start("m1");
  world.say_text("One.\\n");
  world.run_until_quiet();
  const agent_doc::text::TextBuffer base = world.editor;
  world.say_text("Two, a line of some length.\\n");
  while (!world.edit) {
    REQUIRE(world.session.next_wakeup());
    world.clock = *world.session.next_wakeup();
    world.session.wake();
  }
  const auto sent = *std::exchange(world.edit, std::nullopt);
  type_above(world, "A line.\n");
  const auto place_now = [&](std::size_t place) {
    constexpr auto kEncoding = agent_doc::text::PositionEncoding::Utf16;
    return world.editor.offset_of(base.position_of(place, kEncoding), kEncoding);
  };
  const Edit misplaced{place_now(sent.edit.begin), place_now(sent.edit.end), sent.edit.replacement};
  world.editor.apply(misplaced);
  world.session.did_change(++world.version, {misplaced});
  world.session.edit_answered(agent_doc::sync::Answer::Applied);
}

/// The line stands where it belongs, and nobody has typed for long.
void repair(SessionWorld& world) {
  world.run_until_quiet(milliseconds{5000});
  pass(world, milliseconds{5000});
  const std::string body = "A line.\nHello?\n\n## Assistant\n\nOne.\nTwo, a line of some length.\n";
  REQUIRE(world.editor.text() == kHeadAndBlank + body + "\n\n## User\n\n");
}

TEST_CASE(
    "a client that ignores versions: what it put elsewhere is taken back, and the reply is whole") {
  SessionWorld world(kBare);
  put_line_elsewhere(world);
  world.say_text("Three.");
  world.say_result("s-1");
  world.run_until_quiet(milliseconds{5000});
  CHECK(world.editor.text() == kHeadAndBlank +
                                   "A line.\nHello?\n\n## Assistant\n\nOne.\nTwo, a line of some "
                                   "length.\nThree.\n\n## User\n\n");
}

TEST_CASE(
    "a client that ignores versions: an edit waits until nobody has typed for half a second") {
  SessionWorld world(kBare);
  put_line_elsewhere(world);
  repair(world);
  type_above(world, "a");
  world.say_text("Three.\\n");
  pass(world, milliseconds{499});
  CHECK_FALSE(world.edit);
  type_above(world, "b");
  pass(world, milliseconds{499});
  CHECK_FALSE(world.edit);
  pass(world, milliseconds{1});
  CHECK(world.edit);
}

TEST_CASE(
    "a client that ignores versions: whoever types without a pause gets an edit every two "
    "seconds") {
  SessionWorld world(kBare);
  put_line_elsewhere(world);
  repair(world);
  world.say_text("Three.\\n");
  REQUIRE(world.edit);
  REQUIRE(world.step());
  world.say_text("Four.\\n");
  for (int typed = 0; typed < 19; ++typed) {
    type_above(world, "x");
    pass(world, milliseconds{100});
    CHECK_FALSE(world.edit);
  }
  type_above(world, "x");
  pass(world, milliseconds{100});
  CHECK(world.edit);
}

}  // namespace session_pause_while_typing_test
