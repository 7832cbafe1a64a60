// What the tour remembers, and its form on disk.
#include "plugins/tour/tour_session.hpp"

#include "tests/unit/tour_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_test {

TEST_CASE("tour session: its limits are kept and told") {
  tour::TourSession session{std::string(kId), "", 0, {}};
  session.ask(std::string(tour::kMaxQuestionBytes - 1, 'x') + "é!");
  CHECK(session.turns.back().question == std::string(tour::kMaxQuestionBytes - 1, 'x'));
  CHECK(session.turns.back().bytes_cut == 3);
  for (std::size_t count = 0; count < tour::kMaxTurns + 4; ++count)
    session.ask("q" + std::to_string(count));
  CHECK(session.turns.size() == tour::kMaxTurns);
  CHECK(session.forgotten == 5);
  CHECK(session.turns.front().question == "q4");
  for (tour::TourTurn& turn : session.turns) turn.end = tour::TurnEnd::Done;

  Driver driver(with_everything(), session);
  const std::string reply = driver.reply_to("history");
  CHECK(contains(reply,
                 "This session has 205 earlier questions. I quote the newest 50; 155 are "
                 "older.\n\nQuestion 156:\n\n> q154\n"));
  CHECK(contains(reply, "\nQuestion 205:\n\n> q203\n"));
}

TEST_CASE("tour session: what was written can be read, and nothing else") {
  tour::TourSession session{std::string(kId), std::string(kOtherId), 7, {}};
  session.ask("one \"two\"\n漢字 👩‍💻");
  session.turns.back().end = tour::TurnEnd::Stopped;
  const std::string text = tour::to_json(session);
  const auto read = tour::from_json(text);
  REQUIRE(read.has_value());
  CHECK(tour::to_json(*read) == text);
  CHECK(read->turns.front().question == "one \"two\"\n漢字 👩‍💻");
  CHECK(read->turns.front().end == tour::TurnEnd::Stopped);
  CHECK(read->forked_from == kOtherId);

  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    CHECK_FALSE(tour::from_json(text.substr(0, size)).has_value());
  for (
      const std::string_view broken :
      {"[]", "{}", R"({"format":2,"id":"a","forked_from":"","forgotten":0,"turns":[]})",
       R"({"format":1,"id":"a","forked_from":"","forgotten":-1,"turns":[]})",
       R"({"format":1,"id":"a","forked_from":"","forgotten":0,"turns":[1]})",
       R"({"format":1,"id":"a","forked_from":"","forgotten":0,"turns":[{"question":"q","bytes_cut":0,"end":"?"}]})"}) {
    CAPTURE(broken);
    CHECK_FALSE(tour::from_json(broken).has_value());
  }
}

TEST_CASE("tour: ids have the form of a UUID") {
  const tour::RandomBits random = fixed_bits();
  const std::string id = tour::make_uuid(random);
  CHECK(tour::is_uuid(id));
  CHECK(id[14] == '4');
  CHECK(std::string_view("89ab").find(id[19]) != std::string_view::npos);
  CHECK(id != tour::make_uuid(random));
  for (const std::string_view text :
       {"", "../../../../../etc/passwd-------------", "01234567-89ab-4cde-8f01-23456789abc",
        "01234567-89ab-4cde-8f01-23456789abcg", "01234567089ab-4cde-8f01-23456789abcd"}) {
    CAPTURE(text);
    CHECK_FALSE(tour::is_uuid(text));
  }
}

}  // namespace agent_doc::tour_test
