// One turn with three regions: a reply and the bodies of two components.

#include "server/session/current_turn.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace session_regions_test {

using namespace agent_doc;
using session::CurrentTurn;

/// A strict editor, and a turn that writes into its text.
class Desk {
 public:
  explicit Desk(std::string first_text) : text(std::move(first_text)) {
    manuscript.did_open(version_, text, now_);
    const auto heard = [this](const turn::RegionWrite& write) {
      manuscript.text_came(write.text, now_);
    };
    turn = std::make_unique<CurrentTurn>(session::TurnTerms{}, manuscript, "\n", *journal_, heard,
                                         now_);
    turn->reply().open(text.size(), {"\n\n## Assistant\n\n", "\n"}, sync::TypedAtPlace::StaysAbove);
    turn->open_body("plan", body_of("plan"));
    turn->open_body("log", body_of("log"));
    manuscript.turn_began(now_);
  }

  void say(std::string_view words) {
    turn->on_event(plugins::TextDelta{{"", "m", 0}, words}, now_);
    deliver();
  }
  void write(std::string_view region, std::size_t offset, std::string_view words) {
    turn->write({region, offset, words});
    deliver();
  }
  void type_behind(const std::string& mark, const std::string& typed) {
    const std::size_t at = text.find(mark) + mark.size();
    REQUIRE(at >= mark.size());
    change({at, at, typed});
  }
  void erase(const std::string& words) {
    const std::size_t at = text.find(words);
    REQUIRE(at != std::string::npos);
    change({at, at + words.size(), {}});
  }
  void end() {
    turn->on_event(plugins::TurnEnded{}, now_);
    turn->end(now_);
    manuscript.turn_ended();
    deliver();
  }
  session::TurnView view() const { return turn->view(now_); }

  std::string text;
  session::Manuscript manuscript{text::PositionEncoding::Utf8, session::kPaceForOurPlugins};
  std::unique_ptr<CurrentTurn> turn;

 private:
  /// All that stands in it is the beginning of the region.
  sync::ComponentBody body_of(const std::string& name) const {
    const std::string opening = "<!-- agent:" + name + " -->";
    const std::string closing = "<!-- /agent:" + name + " -->";
    const std::size_t at = text.find(opening);
    const std::size_t below = text.find(closing);
    return {at, at + opening.size(), at + opening.size() + 1, below, below, below + closing.size()};
  }
  void change(const text::Edit& edit) {
    text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
    manuscript.did_change(++version_, {edit}, now_);
    deliver();
  }
  void deliver() {
    for (int rounds = 0; rounds < 20; ++rounds) {
      now_ += std::chrono::seconds{1};
      const std::optional<sync::OutgoingEdit> sent = manuscript.next(now_);
      if (!sent) continue;
      REQUIRE(sent->base_version == version_);
      text.replace(sent->edit.begin, sent->edit.end - sent->edit.begin, sent->edit.replacement);
      manuscript.did_change(++version_, {sent->edit}, now_);
      manuscript.edit_answered(sync::Answer::Applied, now_);
    }
  }

  sync::Version version_ = 1;
  session::TimePoint now_{};
  std::unique_ptr<store::Journal> journal_ = store::make_no_journal();
};

const std::string kDocument =
    "<!-- agent:plan -->\n<!-- /agent:plan -->\n\n<!-- agent:log -->\nold\r\nlines\r\n<!-- "
    "/agent:log -->\n\nHello?";

TEST_CASE(
    "a turn writes its reply and into two components while a person types in each: the whole "
    "document") {
  Desk desk(kDocument);
  desk.say("Looking ");
  desk.write("plan", 0, "1. look");
  desk.type_behind("1. ", "(first) ");
  desk.write("log", 4, "new");
  desk.type_behind("ol", "…l");
  desk.say("at it.");
  desk.type_behind("Looking", " well");
  desk.write("plan", 7, "\n2. say");
  desk.write("log", 7, "er lines");
  CHECK(desk.view().reply_landed);
  desk.end();
  CHECK(desk.text ==
        "<!-- agent:plan -->\n1. (first) look\n2. say\n<!-- /agent:plan -->\n\n<!-- agent:log "
        "-->\nol…ld\r\nnewer lines\n"
        "<!-- /agent:log -->\n\nHello?\n\n## Assistant\n\nLooking well at it.\n");
  CHECK(desk.turn->reply().text() == "Looking at it.");
  CHECK(desk.turn->take_news() == CurrentTurn::News::Landed);
  std::vector<std::string> regions;
  for (const sync::RegionExtent& extent : desk.turn->extents())
    regions.push_back(desk.text.substr(extent.begin, extent.end - extent.begin));
  CHECK(regions == std::vector<std::string>{"Looking well at it.", "1. (first) look\n2. say",
                                            "ol…ld\r\nnewer lines"});
}

TEST_CASE("a turn one of whose components was taken apart has not landed; the others go on") {
  Desk desk(kDocument);
  desk.say("Looking ");
  desk.write("plan", 0, "1. look");
  desk.erase("<!-- /agent:plan -->\n");
  desk.write("plan", 7, "\n2. say");
  desk.write("log", 10, "more");
  desk.say("at it.");
  desk.end();
  CHECK(desk.text ==
        "<!-- agent:plan -->\n1. look\n\n<!-- agent:log -->\nold\r\nlines\r\nmore\n<!-- /agent:log "
        "-->\n\nHello?\n\n## Assistant\n\n"
        "Looking at it.\n");
  CHECK_FALSE(desk.view().reply_landed);
  CHECK(desk.turn->take_news() == CurrentTurn::News::Changed);
  CHECK(desk.turn->extents().size() == 2);
}

}  // namespace session_regions_test
