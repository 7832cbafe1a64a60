// A client that answers first, and tells each key of its person before it tells of the edit.
// Recorded from kakoune-lsp.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace agent_doc::sync {

namespace sync_late_echo_test_internal {

using test::StrictClient;

TEST_CASE("the echo comes with the third key after the answer: the text stands there once") {
  StrictClient client("Notes:\n\nask\n");
  const RegionId region = client.open_region_with("First line.\n");
  client.engine.append(region, "I am the tour: a small program.");
  const OutgoingEdit edit = client.sent();
  client.engine.answered(Answer::Applied);
  const auto type = [&](std::string_view key) {
    client.text.insert(client.text.find("\n\nask"), key);
  };
  const auto tell = [&] { client.engine.did_change(++client.version, {ReplaceAll{client.text}}); };
  type("k");
  tell();
  type("0");
  tell();
  client.text.insert(edit.edit.begin + 2, edit.edit.replacement);  // two keys further
  type("1");
  tell();
  client.engine.append(region, " It needs no network.");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text ==
        "Notes:k01\n\nask\n\n## A\n\nFirst line.\nI am the tour: a small program. It needs no "
        "network.\n\n## U\n");
}

TEST_CASE(
    "the echo comes when the edit was given up and sent once more: the text stands there once") {
  StrictClient client("Notes:\n\nask\n");
  const RegionId region = client.open_region_with("First line.\n");
  const auto type = [&](std::string_view key) {
    client.text.insert(client.text.find("\n\nask"), key);
  };
  const auto tell = [&] { client.engine.did_change(++client.version, {ReplaceAll{client.text}}); };
  client.engine.append(region, "w1 w2\nw3 w4\n");
  const OutgoingEdit first = client.sent();
  client.engine.answered(Answer::Applied);
  type("k");
  tell();
  type("0");
  tell();
  client.engine.append(region, "w5 w6\nw7 w8");
  if (const auto second = client.engine.poll(Release::Everything)) {
    client.engine.answered(Answer::Applied);
    client.text.insert(first.edit.begin + 2, first.edit.replacement);
    tell();
    client.text.insert(second->edit.begin, second->edit.replacement);
    tell();
  } else {  // it waits for the echo
    client.text.insert(first.edit.begin + 2, first.edit.replacement);
    tell();
  }
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text ==
        "Notes:k0\n\nask\n\n## A\n\nFirst line.\nw1 w2\nw3 w4\nw5 w6\nw7 w8\n\n## U\n");
}

}  // namespace sync_late_echo_test_internal

}  // namespace agent_doc::sync
