// When a reply that is complete may be written over: a retry.
#include "server/sync/sync_engine.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_engine_reopen_test_internal {

using test::StrictClient;

TEST_CASE(
    "a settled reply grows again only where exactly it stands, and while no edit is in the air") {
  struct Case {
    const char* name;
    const char* typed_over;  ///< of "the reply"
    const char* typed;
    const char* reply;
    bool reopened;
  };
  const std::vector<Case> cases = {
      {"as it was written", "", "", "the reply", true},
      {"a word of it was changed, to one as long", "the", "one", "the reply", false},
      {"something was typed into it", "the", "the whole", "the reply", false},
      {"some of it was deleted", "the ", "", "the reply", false},
      {"changed, and that is told", "the", "one", "one reply", true},
      {"another text is told", "", "", "a reply", false},
      {"the heading is gone", "## A", "", "the reply", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region_with("the reply");
    client.engine.finish_region(region);
    client.drain();
    REQUIRE(client.engine.region_state(region) == RegionState::Settled);
    if (*c.typed_over != '\0') client.replace(c.typed_over, c.typed);
    const std::string before = client.text;
    CHECK(client.engine.reopen_region(region, c.reply) == c.reopened);
    client.engine.replace_from(region, 0, "another");
    client.engine.finish_region(region);
    client.drain();
    CHECK(client.text == (c.reopened ? "ask\n\n## A\n\nanother\n\n## U\n" : before));
  }
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("the reply");
  CHECK_FALSE(client.engine.reopen_region(region, "the reply"));  // it grows already
  client.engine.finish_region(region);
  client.drain();
  client.engine.propose(
      [](const text::TextBuffer& now) {
        return std::optional<text::Edit>({now.size(), now.size(), "x"});
      },
      ProposalEnd::Landed);
  const OutgoingEdit other = client.sent();
  CHECK_FALSE(client.engine.reopen_region(region, "the reply"));
  client.apply(other);
  CHECK(client.engine.reopen_region(region, "the reply"));
}

TEST_CASE(
    "told, saved and closed without an answer, and replaced while it is closed: it is replaced, to "
    "its last byte (71022328)") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "\U0001F600\n\U0001F469");
  client.change(client.sent().edit);
  client.engine.did_save();
  client.engine.did_close();
  client.engine.replace_from(region, 0, "a");
  client.engine.append(region, "\u4E2D");
  client.version = 1;
  client.engine.did_open(1, client.text);
  client.change(client.sent().edit);
  client.engine.replace_from(region, 1, "b");
  client.engine.answered(Answer::Applied);
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\nab\n\n## U\n");
}

}  // namespace sync_engine_reopen_test_internal

}  // namespace agent_doc::sync
