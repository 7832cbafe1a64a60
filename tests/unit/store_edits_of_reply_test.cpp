#include "server/store/edits_of_reply.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace store_edits_of_reply_test {

using agent_doc::store::EditsOfReply;

TEST_CASE("store: what an edit takes away is kept unless the new text begins with it") {
  EditsOfReply reply;
  reply.edit(0, "One");
  reply.edit(3, " two");
  CHECK(reply.text() == "One two");
  CHECK(reply.taken_away().empty());
  reply.edit(4, "two, three");
  CHECK(reply.text() == "One two, three");
  CHECK(reply.taken_away().empty());
  reply.edit(0, "Another");
  CHECK(reply.text() == "Another");
  CHECK(reply.taken_away() == std::vector<std::string>{"One two, three"});
  reply.edit(2, "");
  CHECK(reply.text() == "An");
  CHECK(reply.taken_away() == std::vector<std::string>{"One two, three", "other"});
  reply.edit(100, "d");
  CHECK(reply.text() == "And");
}

}  // namespace store_edits_of_reply_test
