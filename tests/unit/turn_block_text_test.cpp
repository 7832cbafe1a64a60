#include "server/turn/block_text.hpp"

#include <doctest/doctest.h>

#include <string>

namespace agent_doc::turn {
namespace block_text_test {

std::string told(const BlockText::Change& change) {
  if (!change.changed) return "same";
  return std::string(change.cut ? "cut " : "grown ") + std::to_string(change.kept) +
         (change.repaired ? " repaired" : "");
}

TEST_CASE("BlockText tells what each update did") {
  BlockText text;
  text.start();
  CHECK(told(text.delta("one")) == "grown 0");
  CHECK(told(text.delta("")) == "same");
  CHECK(told(text.delta(" two")) == "grown 3");
  CHECK(told(text.snapshot("one two")) == "same");
  CHECK(told(text.snapshot("one")) == "same");
  CHECK(told(text.snapshot("one two three")) == "grown 7");
  CHECK(told(text.snapshot("one 2")) == "cut 4 repaired");
  CHECK(text.text() == "one 2");

  text.restart_message();
  text.start();
  const BlockText::Change replayed = text.delta("one");
  CHECK(told(replayed) == "same");
  CHECK(replayed.replayed == 3);
  CHECK(told(text.delta(" 2, three")) == "grown 5");
  CHECK(told(text.delta(".")) == "grown 12");

  text.restart_message();
  CHECK(told(text.delta("one ")) == "same");
  CHECK(told(text.snapshot("one ")) == "cut 4 repaired");
  CHECK(told(text.delta("more")) == "grown 4");
  CHECK(text.text() == "one more");
}

TEST_CASE("BlockText takes the first delta behind pre-filled text for a repetition or for more") {
  BlockText repeated;
  repeated.start();
  repeated.snapshot("short");
  CHECK(told(repeated.delta("sh")) == "same");
  CHECK(told(repeated.delta("ort and more")) == "grown 5");
  CHECK(repeated.text() == "short and more");

  BlockText continued;
  continued.start();
  continued.snapshot("short");
  CHECK(told(continued.delta(" and more")) == "grown 5");
  CHECK(continued.text() == "short and more");
}

}  // namespace block_text_test
}  // namespace agent_doc::turn
