#include "server/sync/echo_order.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_echo_order_test_internal {

using test::applied;
using test::RandomText;

std::string all_applied(std::string text, const std::vector<text::Edit>& edits) {
  for (const text::Edit& edit : edits) text = applied(std::move(text), edit);
  return text;
}

TEST_CASE("changes_between: one insertion or deletion stays one") {
  CHECK(changes_between("a\nb\n", "a\nx\nb\n") == std::vector<text::Edit>{{2, 2, "x\n"}});
  CHECK(changes_between("a\nx\nb\n", "a\nb\n") == std::vector<text::Edit>{{2, 4, ""}});
  CHECK(changes_between("aa", "aaa") == std::vector<text::Edit>{{2, 2, "a"}});
}

TEST_CASE("changes_between: what stands between two changes of a line stays") {
  CHECK(changes_between("the answer\n", "so: the answer!!\n") ==
        std::vector<text::Edit>{{0, 0, "so: "}, {14, 14, "!!"}});
  CHECK(changes_between("so: the answer!!\n", "the answer\n") ==
        std::vector<text::Edit>{{0, 4, ""}, {10, 12, ""}});
}

TEST_CASE("changes_between: what stands in both texts stays where it is") {
  CHECK(changes_between("xxygoes y\n\na\n\nb\n", "xxxygoes yb\n") ==
        std::vector<text::Edit>{{2, 2, "x"}, {10, 15, ""}});
  CHECK(changes_between("-à l'été-\n\nb\n", "+à l'étè+ b\n") ==
        std::vector<text::Edit>{{0, 1, "+"}, {9, 14, "è+ "}});
}

TEST_CASE("changes_between: whole lines come and go") {
  CHECK(changes_between("ask\n## A1\n\n## A0\n", "ask\n## A0\n") ==
        std::vector<text::Edit>{{4, 11, ""}});
  CHECK(changes_between("ask\n## A0\n", "ask\n## A1\n\n## A0\n") ==
        std::vector<text::Edit>{{4, 4, "## A1\n\n"}});
  CHECK(changes_between("a\nba\nb", "a\nb") ==
        std::vector<text::Edit>{{3, 6, ""}});  // one equal letter is chance
}

TEST_CASE("changes_between: far changes are told one by one") {
  CHECK(changes_between("one\nand\ntwo\n", "  one\nand\nTwo\n") ==
        std::vector<text::Edit>{{0, 0, "  "}, {10, 11, "T"}});
  CHECK(all_applied("one\nand\ntwo\n", {{0, 0, "  "}, {10, 11, "T"}}) == "  one\nand\nTwo\n");
}

TEST_CASE("changes_between: a line that is told again with little changed is the same line") {
  // One more line than before: without pairs of lines that are alike all of it would be one
  // replacement.
  CHECK(changes_between("the reply goes\n\n", "the Reply goes\n\nmore\n") ==
        std::vector<text::Edit>{{4, 5, "R"}, {16, 16, "more\n"}});
  CHECK(changes_between("x\nthe reply goes\n\n## U\n\n## U\n", "x\nthe rEPLy goes\n\n## U\n")
            .front() == text::Edit{7, 10, "EPL"});
  CHECK(changes_between("x\nthe reply goes\n", "one\ntwo\nthe Reply goes\n") ==
        std::vector<text::Edit>{{0, 1, "one\ntwo"}, {12, 13, "R"}});
}

TEST_CASE(
    "changes_between: a line that came above is not taken for the one that went below (20000585)") {
  CHECK(changes_between("**b** goes on - item\n. goes 2\n", "the reply\ngoes on - item\n") ==
        std::vector<text::Edit>{{0, 6, "the reply\n"}, {24, 33, ""}});
  // Lines that are alike stay what they were.
  CHECK(changes_between("one\ntwo\n", "one!\ntwo!\n") ==
        std::vector<text::Edit>{{3, 3, "!"}, {8, 8, "!"}});
}

TEST_CASE("around_common_text: what is in both stays, if it is more than chance") {
  CHECK(around_common_text({5, 13, "so a word"}, "a word# ") ==
        std::vector<text::Edit>{{5, 5, "so "}, {14, 16, ""}});
  CHECK(around_common_text({5, 9, "xyabc"}, "abcd") == std::vector<text::Edit>{{5, 9, "xyabc"}});
}

TEST_CASE(
    "explain: a client that claims to have made our edit, all of which is there, is believed "
    "(9209085)") {
  const std::string before = "é😀family\n";
  const text::Edit ours{0, before.size() - 1, "z\n"};
  const std::string after = "éfamilyz\n\n";
  CHECK_FALSE(explain(before, after, ours, Told::WholeText, Claim::Nothing).after_our_edit);
  CHECK(explain(before, after, ours, Told::WholeText, Claim::Applied).after_our_edit ==
        std::vector<text::Edit>{{0, 0, "éfamily"}});
}

TEST_CASE("explain: what was typed inside our text does not hide it") {
  const std::string before = "prompt\n";
  const text::Edit ours{7, 7, "\n## Agent\n\nThe answer is 42.\n"};
  const Explanations explanations =
      explain(before, "prompt\n\n## Agent\n\nThe real answer is 42.\n", ours, Told::WholeText,
              Claim::Nothing);
  REQUIRE(explanations.after_our_edit);
  CHECK(*explanations.after_our_edit == std::vector<text::Edit>{{22, 22, "real "}});
}

TEST_CASE("explain: what else was typed is left over") {
  const text::Edit ours{4, 4, "reply\n"};
  const Explanations explanations =
      explain("one\ntwo\n", "ONE\nreply\ntwo!\n", ours, Told::WholeText, Claim::Nothing);
  REQUIRE(explanations.after_our_edit);
  CHECK(all_applied("one\nreply\ntwo\n", *explanations.after_our_edit) == "ONE\nreply\ntwo!\n");
}

TEST_CASE("explain: the person's own change is not taken for ours") {
  const text::Edit ours{4, 4, "reply\n"};
  CHECK_FALSE(explain("one\ntwo\n", "one\ntwo\nthree\n", ours, Told::WholeText, Claim::Nothing)
                  .after_our_edit);
  CHECK_FALSE(
      explain("one\ntwo\n", "one\ntwo\n", ours, Told::WholeText, Claim::Nothing).after_our_edit);
  CHECK_FALSE(
      explain("one\ntwo\n", "one\ntwo\n", ours, Told::WholeText, Claim::Applied).after_our_edit);
}

TEST_CASE("explain: most of ours may be gone again where the client says that it was there") {
  const text::Edit ours{4, 4, "a long reply\n"};
  const std::string after = "one\na long\ntwo\n";
  const std::string less = "one\na lo\ntwo\n";
  CHECK(explain("one\ntwo\n", after, ours, Told::WholeText, Claim::Nothing).after_our_edit);
  CHECK_FALSE(explain("one\ntwo\n", less, ours, Told::WholeText, Claim::Nothing).after_our_edit);
  CHECK(explain("one\ntwo\n", less, ours, Told::WholeText, Claim::Applied).after_our_edit);
}

TEST_CASE("explain: of changed lines ours must explain most") {
  const text::Edit ours{4, 4, "- item\non - item\n"};
  const std::string after = "one\n- item\non two\n";
  CHECK(explain("one\n\ntwo\n", after, ours, Told::WholeText, Claim::Nothing).after_our_edit);
  CHECK_FALSE(explain("one\n\ntwo\n", after, ours, Told::Lines, Claim::Nothing).after_our_edit);
}

TEST_CASE("random prose: the changes lead from one text to the other") {
  const std::vector<std::string_view> words = {"reply ", "on ", "**b** ", "the ",
                                               "2",      "\n",  "\n",     "- "};
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    CAPTURE(seed);
    RandomText random(seed);
    std::vector<std::string_view> pieces(random.below(30));
    for (std::string_view& piece : pieces) piece = random.pick(words);
    const auto joined = [&pieces] {
      std::string text;
      for (const std::string_view piece : pieces) text += piece;
      return text;
    };
    const std::string before = joined();
    for (std::size_t left = random.below(8); left > 0; --left) {
      const auto at = pieces.begin() + static_cast<std::ptrdiff_t>(random.below(pieces.size() + 1));
      if (at != pieces.end() && random.one_in(3)) {
        pieces.erase(at);
      } else {
        pieces.insert(at, random.pick(words));
      }
    }
    REQUIRE(all_applied(before, changes_between(before, joined())) == joined());
  }
}

TEST_CASE("random texts: both explanations lead to the text") {
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    CAPTURE(seed);
    RandomText random(seed);
    const std::string before = random.text(20);
    const text::Edit ours = random.edit(before);
    std::string after = random.one_in(2) ? applied(before, ours) : before;
    for (std::size_t left = random.below(3); left > 0; --left)
      after = applied(after, random.edit(after));
    const Explanations explanations =
        explain(before, after, ours, random.one_in(2) ? Told::WholeText : Told::Lines,
                random.one_in(2) ? Claim::Applied : Claim::Nothing);
    REQUIRE(all_applied(before, explanations.by_others) == after);
    if (explanations.after_our_edit)
      REQUIRE(all_applied(applied(before, ours), *explanations.after_our_edit) == after);
  }
}

}  // namespace sync_echo_order_test_internal
}  // namespace agent_doc::sync
