// Regions that grow between two markers of the document: several at once, and what becomes of one
// whose markers go.

#include "server/sync/sync_engine.hpp"

#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

namespace sync_component_body_test_internal {

using test::StrictClient;

std::string opening(const std::string& name) {
  return "<!-- agent:" + name + " -->";
}
std::string closing(const std::string& name) {
  return "<!-- /agent:" + name + " -->";
}

/// The component `name` of `text`; all that is in it has landed if `standing`.
enum class Standing { Kept, IsOfRegion };
ComponentBody body_of(const std::string& text, const std::string& name,
                      Standing standing = Standing::Kept) {
  ComponentBody body;
  body.opening_begin = text.find(opening(name));
  body.opening_end = body.opening_begin + opening(name).size();
  body.closing_begin = text.find(closing(name));
  body.closing_end = body.closing_begin + closing(name).size();
  REQUIRE(body.closing_begin < text.size());
  body.end = body.closing_begin;
  const std::size_t first = body.opening_end + (text[body.opening_end] == '\n' ? 1 : 0);
  body.begin = standing == Standing::Kept ? body.end : first;
  return body;
}

/// How a client tells what its person typed, and answers.
enum class Habit {
  TellsAtOnce,
  TellsLate,       ///< after several keys, each for itself; refuses what does not fit its own text
  TellsWholeText,  ///< the same, as one text
  Refuses,         ///< every second edit, also one that fits
};

class Client {
 public:
  Client(std::string text, Habit habit) : habit_(habit), text_(std::move(text)) {
    engine.did_open(version_, text_);
  }

  /// The person types behind the only place of `word`, once it is there.
  void type_behind(const std::string& word, const std::string& typed) {
    const std::size_t found = text_.find(word);
    if (found == std::string::npos) return;
    REQUIRE(text_.find(word, found + 1) == std::string::npos);
    const std::size_t at = found + word.size();
    text_.insert(at, typed);
    untold_.push_back(text::Edit{at, at, typed});
    const std::size_t kept = habit_ == Habit::TellsLate || habit_ == Habit::TellsWholeText ? 3 : 1;
    if (untold_.size() >= kept) tell();
  }

  void tell() {
    if (untold_.empty()) return;
    std::vector<ContentChange> changes(untold_.begin(), untold_.end());
    if (habit_ == Habit::TellsWholeText) changes = {ReplaceAll{text_}};
    untold_.clear();
    engine.did_change(++version_, changes);
  }

  /// Whether an edit came.
  bool take_edit() {
    engine.allow_retry();
    const std::optional<OutgoingEdit> sent = engine.poll(Release::Everything);
    if (!sent) return false;
    const bool refuses = habit_ == Habit::Refuses && ++edits_ % 2 == 1;
    if (!untold_.empty() || refuses) {
      engine.answered(Answer::Refused);
      tell();
      return true;
    }
    REQUIRE(sent->base_version == version_);
    const std::string removed = text_.substr(sent->edit.begin, sent->edit.end - sent->edit.begin);
    text_.replace(sent->edit.begin, removed.size(), sent->edit.replacement);
    deleted += removed;
    untold_.push_back(sent->edit);
    tell();
    engine.answered(Answer::Applied);
    return true;
  }

  void drain() {
    tell();
    for (int edits = 0; take_edit(); ++edits) REQUIRE(edits < 100);
    tell();
  }

  const std::string& text() const { return text_; }

  SyncEngine engine{text::PositionEncoding::Utf8};
  std::string deleted;  ///< by our edits

 private:
  Habit habit_;
  std::string text_;
  Version version_ = 1;
  std::vector<text::Edit> untold_;
  int edits_ = 0;
};

TEST_CASE("three components grow in one turn while a person types in each: whole documents") {
  const std::string document = "# Status\n\n" + opening("plan") + "\nnotes:\n" + closing("plan") +
                               "\n\nbetween\n\n" + opening("log") + "\n" + closing("log") + "\n\n" +
                               opening("todo") + "\n- old item\n" + closing("todo") + "\nend\n";
  const std::array<std::string, 6> said = {"alpha ",  "beta\n",   "gamma ",
                                           "delta\n", "epsilon ", "zeta"};
  for (const Habit habit :
       {Habit::TellsAtOnce, Habit::TellsLate, Habit::TellsWholeText, Habit::Refuses}) {
    CAPTURE(static_cast<int>(habit));
    Client client(document, habit);
    const RegionId plan = client.engine.open_body(body_of(document, "plan"));
    const RegionId log = client.engine.open_body(body_of(document, "log"));
    const RegionId todo = client.engine.open_body(body_of(document, "todo", Standing::IsOfRegion));
    for (std::size_t i = 0; i < said.size(); ++i) {
      client.type_behind("notes:" + std::string(i, 'p'), "p");
      client.engine.append(plan, said[i]);
      client.take_edit();
      client.type_behind("[log] alpha", "l");
      client.engine.append(log, i == 0 ? "[log] alpha " : said[i]);
      client.take_edit();
      client.type_behind("between" + std::string(i, 'b'), "b");
      if (i == 0) {
        client.engine.replace_from(todo, 0, "- [x] first");
      } else {
        client.engine.append(todo, "\n- item " + std::to_string(i));
      }
      client.drain();
      client.type_behind("- [x", "x");
    }
    for (const RegionId region : {plan, log, todo}) client.engine.finish_region(region);
    client.drain();
    CHECK(client.deleted == "old item\n");  // nothing else: not a byte of the person's
    const std::string reply = "beta\ngamma delta\nepsilon zeta";
    CHECK(client.text() ==
          "# Status\n\n" + opening("plan") + "\nnotes:pppppp\nalpha " + reply + "\n" +
              closing("plan") + "\n\nbetweenbbbbbb\n\n" + opening("log") + "\n[log] alphalllll " +
              reply + "\n" + closing("log") + "\n\n" + opening("todo") +
              "\n- [xxxxxxx] first\n- item 1\n- item 2\n- item 3\n- item 4\n- item 5\n" +
              closing("todo") + "\nend\n");
    for (const RegionId region : {plan, log, todo})
      CHECK(client.engine.region_state(region) == RegionState::Settled);
  }
}

TEST_CASE(
    "a component whose markers follow each other at once gets line ends around what is written") {
  StrictClient client("a " + opening("x") + closing("x") + " b\n");
  const RegionId region = client.engine.open_body(body_of(client.text, "x"));
  client.engine.append(region, "one\ntwo");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "a " + opening("x") + "\none\ntwo\n" + closing("x") + " b\n");
  CHECK(client.engine.region_state(region) == RegionState::Settled);
}

TEST_CASE("a region stops when a marker of its component goes, and goes on when it is back") {
  for (const std::string& marker : {opening("x"), closing("x")}) {
    CAPTURE(marker);
    StrictClient client("top\n" + opening("x") + "\n" + closing("x") + "\nend\n");
    const RegionId region = client.engine.open_body(body_of(client.text, "x"));
    client.engine.append(region, "one");
    client.drain();
    client.replace(marker, "");
    CHECK(client.engine.region_state(region) == RegionState::Detached);
    client.engine.append(region, " two");
    CHECK(client.sends_nothing());
    client.replace("end", "END");
    if (marker == opening("x")) {
      client.insert_before("\none", marker);
    } else {
      client.insert_before("\nEND", marker);
    }
    CHECK(client.engine.region_state(region) == RegionState::Growing);
    client.drain();
    CHECK(client.text == "top\n" + opening("x") + "\none two\n" + closing("x") + "\nEND\n");
  }
}

TEST_CASE("a component that is cut out and pasted elsewhere goes on there") {
  StrictClient client("top\n" + opening("x") + "\n" + closing("x") + "\nend\n");
  const RegionId region = client.engine.open_body(body_of(client.text, "x"));
  client.engine.append(region, "one");
  client.drain();
  const std::string component = opening("x") + "\none\n" + closing("x") + "\n";
  client.replace(component, "");
  CHECK(client.engine.region_state(region) == RegionState::Detached);
  client.engine.append(region, " two");
  CHECK(client.sends_nothing());
  client.insert_before("top", component);
  client.drain();
  CHECK(client.text == opening("x") + "\none two\n" + closing("x") + "\ntop\nend\n");
}

TEST_CASE("another marker in the place of the closing one is no place to write before") {
  StrictClient client(opening("x") + "\n" + closing("x") + "\n");
  const RegionId region = client.engine.open_body(body_of(client.text, "x"));
  client.engine.append(region, "one");
  client.drain();
  client.replace("/agent:x", "/agent:other");
  CHECK(client.engine.region_state(region) == RegionState::Detached);
  client.engine.append(region, " two");
  CHECK(client.sends_nothing());
  client.replace("/agent:other", "/agent:x");
  client.drain();
  CHECK(client.text == opening("x") + "\none two\n" + closing("x") + "\n");
}

TEST_CASE("a component is opened while an edit is on its way, below what is typed meanwhile") {
  for (const bool refuses : {false, true}) {
    CAPTURE(refuses);
    StrictClient client("a\n" + opening("x") + "\nold\n" + closing("x") + "\n");
    const RegionId reply = client.engine.open_region(1, Frame{"\n\n## A\n\n", "\n"});
    client.engine.append(reply, "text");
    const OutgoingEdit frame = client.sent();
    client.insert_before("a\n", "typed\n");
    const RegionId region =
        client.engine.open_body(body_of(client.text, "x", Standing::IsOfRegion));
    client.engine.append(region, "new");
    if (refuses) {
      client.engine.answered(Answer::Refused);
    } else {
      client.insert_before("\n" + opening("x"), frame.edit.replacement);
      client.engine.answered(Answer::Applied);
    }
    client.drain();
    CHECK(client.text ==
          "typed\na\n\n## A\n\ntext\n\n" + opening("x") + "\nold\nnew\n" + closing("x") + "\n");
    client.engine.replace_from(region, 0, "other");
    client.drain();
    CHECK(client.text ==
          "typed\na\n\n## A\n\ntext\n\n" + opening("x") + "\nother\n" + closing("x") + "\n");
  }
}

TEST_CASE("a component with nothing to say stays as it is") {
  StrictClient client("a\n" + opening("x") + "\n" + closing("x") + "\n");
  const RegionId finished = client.engine.open_body(body_of(client.text, "x"));
  const RegionId retracted = client.engine.open_body(body_of(client.text, "x"));
  client.engine.finish_region(finished);
  client.engine.retract_region(retracted);
  CHECK(client.sends_nothing());
  CHECK(client.engine.region_state(finished) == RegionState::Settled);
  CHECK(client.engine.region_state(retracted) == RegionState::Settled);
}

TEST_CASE("a whole text that is as it was before a component was opened leaves the region in it") {
  const std::string before = "a\n" + opening("x") + "\n" + closing("x") + "\n";
  StrictClient client(before);
  const RegionId first =
      client.engine.open_body(body_of(client.text, "x"));  // so that texts are remembered
  client.change({0, 1, "b"});
  client.change({0, 1, "c"});
  const RegionId second = client.engine.open_body(body_of(client.text, "x"));
  client.engine.finish_region(first);
  client.text = before;
  client.engine.did_change(++client.version, {ReplaceAll{before}});
  client.engine.append(second, "one");
  client.drain();
  CHECK(client.text == "a\n" + opening("x") + "\none\n" + closing("x") + "\n");
}

}  // namespace sync_component_body_test_internal

}  // namespace agent_doc::sync
