// A client that throws while it makes an edit, and never answers it: when the edit is made again,
// and that it never stands there twice.

#include "server/session/edit_pacer.hpp"
#include "server/sync/sync_engine.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>

namespace agent_doc::sync {

namespace sync_unanswered_test_internal {

using session::EditPacer;
using session::kAnswerLimit;
using session::kPaceForOurPlugins;
using session::TimePoint;
using test::StrictClient;

constexpr std::chrono::milliseconds kSoon{50};
constexpr Version kUnchecked = 0;

/// "ask", and a frame with a reply, which is the edit that nobody answers.
struct Unanswered {
  explicit Unanswered(Version first_version = 1)
      : client("ask\n", first_version), pacer(client.engine, kPaceForOurPlugins) {
    const RegionId region = client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U\n"});
    client.engine.append(region, "one two three");
    client.engine.finish_region(region);
    edit = pacer.next(now);
    REQUIRE(edit);
  }
  std::optional<OutgoingEdit> after(std::chrono::milliseconds time) {
    now += time;
    return pacer.next(now);
  }
  void type_at_begin() {
    client.change({0, 0, "x"});
    pacer.client_changed(now);
  }

  StrictClient client;
  EditPacer pacer;
  TimePoint now{};
  std::optional<OutgoingEdit> edit;
};

TEST_CASE(
    "an edit that is never answered: with keys meanwhile it is made again when the limit is over, "
    "once") {
  Unanswered one;
  CHECK_FALSE(one.after(kSoon));
  one.type_at_begin();
  CHECK_FALSE(one.after(kAnswerLimit - 2 * kSoon));
  CHECK(one.pacer.wakeup() == TimePoint{} + kAnswerLimit);
  const std::optional<OutgoingEdit> again = one.after(kSoon);
  REQUIRE(again);
  one.client.apply(*again);
  CHECK(one.client.sends_nothing());
  CHECK(one.client.text == "xask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE(
    "an edit that is never answered: without a key it may still come, and is made again with the "
    "first key after the limit") {
  Unanswered one;
  for (int limits = 0; limits < 4; ++limits) CHECK_FALSE(one.after(kAnswerLimit));
  CHECK(one.client.engine.in_flight());
  one.type_at_begin();
  const std::optional<OutgoingEdit> again = one.after(kSoon);
  REQUIRE(again);
  one.client.apply(*again);
  CHECK(one.client.sends_nothing());
  CHECK(one.client.text == "xask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE("an edit that is never answered, but made after the limit: it has landed") {
  Unanswered one;
  CHECK_FALSE(one.after(2 * kAnswerLimit + kSoon));
  one.client.change(one.edit->edit);
  one.pacer.client_changed(one.now);
  CHECK_FALSE(one.after(kSoon));
  CHECK(one.client.sends_nothing());
  CHECK(one.client.text == "ask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE("the person is told of an edit that is never answered") {
  Unanswered one;
  for (int limits = 0; limits < kMaxRefusalsAtOneVersion; ++limits)
    CHECK_FALSE(one.after(kAnswerLimit));
  CHECK(one.client.notices().empty());
  CHECK_FALSE(one.after(kAnswerLimit));
  CHECK(one.client.notices() == std::vector<NoticeKind>{NoticeKind::ClientKeepsRefusing});
}

TEST_CASE(
    "an edit that no version protects is given up after two limits; made after all, it stands "
    "there once") {
  Unanswered one(kUnchecked);
  one.type_at_begin();
  one.client.version = 0;
  CHECK_FALSE(one.after(kAnswerLimit));
  const std::optional<OutgoingEdit> again = one.after(kAnswerLimit);
  REQUIRE(again);
  const std::size_t late = one.edit->edit.begin;  // by its line and column, in the text of now
  one.client.text.insert(late + 1, one.edit->edit.replacement);
  one.client.engine.did_change(1, {text::Edit{late + 1, late + 1, one.edit->edit.replacement}});
  one.client.engine.answered(Answer::Applied);
  one.client.version = 1;
  one.client.drain();
  CHECK(one.client.text == "xask\n\n## A\n\none two three\n\n## U\n");
}

TEST_CASE(
    "a short frame, in the air when its document is opened again, is made after the second one was "
    "refused: it stands there once "
    "(51103467)") {
  StrictClient client("ask\n");
  const RegionId region = client.engine.open_region(4, Frame{"## A\n", "\n"});
  const OutgoingEdit first = client.sent();
  client.engine.did_close();
  client.engine.did_open(1, client.text);
  client.engine.answered(Answer::TimedOut);
  client.engine.answered(Answer::TimedOut);
  client.engine.allow_retry();
  client.sent();
  client.engine.answered(Answer::Refused);
  client.change(first.edit);
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n## A\none\n");
}

}  // namespace sync_unanswered_test_internal

}  // namespace agent_doc::sync
