#include "server/store/write_queue.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace store_write_queue_test {

using namespace agent_doc::store;
using Urgency = WriteQueue::Urgency;

constexpr std::size_t kNoLimit = 1'000'000;
constexpr std::chrono::hours kVeryLong{1};

Entry edit(const std::string& turn, std::size_t at, const std::string& text) {
  return {turn, 0, EditReply{at, text}};
}

/// "TURN@AT TEXT", one for each.
std::vector<std::string> told(const std::vector<Entry>& entries) {
  std::vector<std::string> result;
  for (const Entry& entry : entries) {
    const auto* one = std::get_if<EditReply>(&entry.what);
    result.push_back(one == nullptr ? entry.turn
                                    : entry.turn + "@" + std::to_string(one->at) + " " + one->text);
  }
  return result;
}

TEST_CASE(
    "write queue: edits of a turn that go on where its last one ended are one, whatever other "
    "turns say in between") {
  WriteQueue queue;
  REQUIRE(queue.push(edit("a", 0, "one"), Urgency::Soon, kNoLimit));
  REQUIRE(queue.push(edit("a", 3, " two"), Urgency::Soon, kNoLimit));
  REQUIRE(queue.push(edit("b", 7, "other"), Urgency::Soon, kNoLimit));
  REQUIRE(queue.push(edit("a", 7, "three"), Urgency::Soon, kNoLimit));
  REQUIRE(queue.push(edit("a", 0, "again"), Urgency::Now, kNoLimit));
  CHECK(told(queue.take(kVeryLong)) ==
        std::vector<std::string>{"a@0 one twothree", "b@7 other", "a@0 again"});
  REQUIRE(queue.push(edit("a", 5, "new"), Urgency::Soon, kNoLimit));
  REQUIRE(queue.push({"a", 0, NoteSession{"s"}}, Urgency::Soon, kNoLimit));
  REQUIRE(queue.push(edit("a", 8, "behind it"), Urgency::Now, kNoLimit));
  CHECK(told(queue.take(kVeryLong)) == std::vector<std::string>{"a@5 new", "a", "a@8 behind it"});
}

TEST_CASE(
    "write queue: what is above the limit is not taken, and there is room again when the rest is "
    "gone") {
  WriteQueue queue;
  const std::string text(1000, 'x');
  REQUIRE(queue.push(edit("a", 0, text), Urgency::Now, 2000));
  CHECK_FALSE(queue.push(edit("a", 1000, text), Urgency::Now, 2000));
  CHECK(queue.take(kVeryLong).size() == 1);
  queue.done();
  CHECK(queue.push(edit("a", 1000, text), Urgency::Now, 2000));
}

TEST_CASE("write queue: closed, it gives out what waits, then nothing") {
  WriteQueue queue;
  REQUIRE(queue.push(edit("a", 0, "one"), Urgency::Soon, kNoLimit));
  queue.close();
  CHECK(told(queue.take(kVeryLong)) == std::vector<std::string>{"a@0 one"});
  CHECK(queue.take(kVeryLong).empty());
}

TEST_CASE("write queue: drain waits until all is written, also what only had to be so soon") {
  WriteQueue queue;
  std::vector<std::string> written;
  std::thread writer([&] {
    for (auto entries = queue.take(kVeryLong); !entries.empty(); entries = queue.take(kVeryLong)) {
      for (const std::string& one : told(entries)) written.push_back(one);
      queue.done();
    }
  });
  queue.drain();
  CHECK(written.empty());
  for (int round = 0; round < 100; ++round) {
    REQUIRE(queue.push(edit(std::to_string(round), 0, "x"), Urgency::Soon, kNoLimit));
    queue.drain();
    REQUIRE(written.size() == static_cast<std::size_t>(round) + 1);
  }
  queue.close();
  writer.join();
}

}  // namespace store_write_queue_test
