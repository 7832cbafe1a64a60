// The judge of the simulation: what it lets pass because two histories tell the same messages, and
// that it lets nothing else pass.

#include "tests/simulation/oracle.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::simulation {

namespace oracle_test_internal {

/// A text in which the person and the server write, each edit of the server's with a number.
class Pen {
 public:
  explicit Pen(std::string_view text) : text_(text) {}

  const AuthoredText& text() const { return text_; }
  AuthoredText& truth() { return text_; }

  AuthoredText::Change types(std::size_t at, const std::string& typed) {
    return text_.replace({at, at, typed}, Authorship{});
  }
  AuthoredText::Change deletes(std::size_t begin, std::size_t end) {
    return text_.replace({begin, end, {}}, Authorship{});
  }
  AuthoredText::Change frame(std::size_t at, int region, const WantedRegion& wanted) {
    Authorship by = server(region);
    by.head_length = wanted.frame.head.size();
    by.tail_length = wanted.frame.tail.size();
    return text_.replace({at, at, wanted.frame.head + wanted.frame.tail}, by);
  }
  AuthoredText::Change writes(const text::Edit& edit, int region) {
    return text_.replace(edit, server(region));
  }
  void coincide(const AuthoredText::Change& typed) {
    for (const GlyphId id : typed.inserted) text_.mark_coinciding(id);
  }

 private:
  Authorship server(int region) {
    Authorship by;
    by.author = Author::Server;
    by.part = Part::Reply;
    by.region = region;
    by.flight = ++flights_;
    return by;
  }

  AuthoredText text_;
  std::uint64_t flights_ = 0;
};

WantedRegion wanted(const std::string& name, const std::string& reply) {
  WantedRegion region;
  region.frame = {"## " + name + "\n", "\n"};
  region.reply = reply;
  region.ending = WantedRegion::Ending::Finished;
  region.state = sync::RegionState::Settled;
  return region;
}

bool passes(const Pen& pen, const std::vector<WantedRegion>& regions, Evidence evidence) {
  return judge(pen.text(), regions, evidence, 0).failure.empty();
}

TEST_CASE(
    "oracle: one reply stands inside of another one, of which the person typed what was in the air "
    "(73029209)") {
  const std::vector<WantedRegion> regions = {wanted("A", "one two"), wanted("B", "three")};
  Pen pen("");
  pen.frame(0, 0, regions[0]);
  pen.coincide(pen.types(5, "one"));
  pen.frame(7, 1, regions[1]);
  pen.writes({12, 12, "three"}, 1);
  pen.writes({19, 19, " two"}, 0);
  REQUIRE(pen.text().text() == "## A\non## B\nthree\ne two\n");
  CHECK(passes(pen, regions, Evidence::EqualText));
  CHECK(passes(pen, regions, Evidence::EqualBytes));
  CHECK_FALSE(passes(pen, regions, Evidence::Exact));

  // What the person typed there is not to be taken out.
  pen.types(12, "hello");
  CHECK(passes(pen, regions, Evidence::EqualText));
  pen.writes({12, 17, {}}, 1);
  CHECK_FALSE(passes(pen, regions, Evidence::EqualText));
}

TEST_CASE("oracle: a reply inside of another one is whole") {
  const std::vector<WantedRegion> regions = {wanted("A", "one two"), wanted("B", "three four")};
  Pen pen("");
  pen.frame(0, 0, regions[0]);
  pen.coincide(pen.types(5, "one"));
  pen.frame(7, 1, regions[1]);
  pen.writes({12, 12, "three"}, 1);
  pen.writes({19, 19, " two"}, 0);
  REQUIRE(pen.text().text() == "## A\non## B\nthree\ne two\n");
  CHECK_FALSE(passes(pen, regions, Evidence::EqualText));
  pen.writes({17, 17, " four"}, 1);
  CHECK(passes(pen, regions, Evidence::EqualText));
}

TEST_CASE(
    "oracle: what a correction kept that was undone stands for what the reply goes on with, once "
    "(75037168)") {
  const std::vector<WantedRegion> regions = {wanted("A", "aa\na\n\n")};
  Pen pen("");
  pen.frame(0, 0, regions[0]);
  pen.writes({5, 5, "ab\n"}, 0);
  const AuthoredText::Change correction = pen.writes({6, 7, "a\na"}, 0);
  REQUIRE(pen.text().text() == "## A\naa\na\n\n");
  pen.truth().undo(correction);
  pen.writes({6, 7, {}}, 0);
  REQUIRE(pen.text().text() == "## A\na\n\n");
  CHECK_FALSE(passes(pen, regions, Evidence::EqualText));
  pen.truth().mark_kept_by_correction(pen.text().visible()[6]);
  CHECK(passes(pen, regions, Evidence::EqualText));
}

}  // namespace oracle_test_internal

}  // namespace agent_doc::simulation
