#include "server/lsp/documents/change_order.hpp"

#include <doctest/doctest.h>

#include <string>

namespace lsp_change_order_test {

using agent_doc::lsp::ChangeOrder;
using agent_doc::lsp::Counting;
using agent_doc::lsp::counting_of;
using agent_doc::lsp::kMaxHeldChanges;

/// The versions that may be applied when `version` has come: "3 4 ".
std::string take(ChangeOrder& order, std::int64_t version) {
  std::string versions;
  for (const auto& change : order.take({"file:///w/doc.md", version, {}}))
    versions += std::to_string(change.version) + " ";
  return versions;
}

TEST_CASE("changes that come the wrong way round are put in order") {
  ChangeOrder order(Counting::OneByOne);
  order.opened(0);
  CHECK(take(order, 1) == "1 ");
  CHECK(take(order, 3) == "");
  CHECK(take(order, 4) == "");
  CHECK(take(order, 2) == "2 3 4 ");
  CHECK(take(order, 5) == "5 ");
}

TEST_CASE("a document that is opened again counts anew") {
  ChangeOrder order(Counting::OneByOne);
  order.opened(7);
  CHECK(take(order, 9) == "");
  order.opened(0);
  CHECK(take(order, 1) == "1 ");
}

TEST_CASE("a version that goes back, and one that never comes, are for the engine to see") {
  ChangeOrder order(Counting::OneByOne);
  order.opened(5);
  CHECK(take(order, 4) == "4 ");
  order.opened(5);
  for (std::size_t i = 0; i < kMaxHeldChanges; ++i)
    CHECK(take(order, 7 + static_cast<std::int64_t>(i)) == "");
  CHECK(take(order, 500) == "500 ");
}

TEST_CASE("clients whose versions jump are not waited for") {
  ChangeOrder order(counting_of("Neovim"));
  order.opened(0);
  CHECK(take(order, 3) == "3 ");
  CHECK(take(order, 40) == "40 ");
  CHECK(counting_of("helix") == Counting::OneByOne);
}

}  // namespace lsp_change_order_test
