// Clients that do not insert what they were sent, that answer before they tell, or that tell
// several changes as one.

#include "server/sync/sync_engine.hpp"
#include "server/text/line_ends.hpp"
#include "tests/unit/strict_client.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace agent_doc::sync {

namespace sync_rewrites_test_internal {

using test::StrictClient;
using Notices = std::vector<NoticeKind>;
using Rewrite = std::function<std::string(const std::string&)>;

std::string with(const std::string& text, const std::string& old, const std::string& now) {
  std::string result = text;
  for (std::size_t at = result.find(old); at != std::string::npos;
       at = result.find(old, at + now.size())) {
    result.replace(at, old.size(), now);
  }
  return result;
}

/// Writes for as long as the engine wants to, but no more than `limit` edits. Returns how many
/// there were.
int write_all(StrictClient& client, const Rewrite& rewrite, int limit = 200) {
  int edits = 0;
  while (edits < limit) {
    const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything);
    if (!edit) return edits;
    ++edits;
    client.change({edit->edit.begin, edit->edit.end, rewrite(edit->edit.replacement)});
    client.engine.answered(Answer::Applied);
    client.engine.echo_is_overdue();
  }
  return edits;
}

TEST_CASE(
    "a client that writes other line ends than it is sent: they are adopted, and the reply is "
    "there once") {
  struct Case {
    const char* name;
    std::string sent;
    std::string written;
  };
  const std::vector<Case> cases = {
      {"crlf for lf", "\n", "\r\n"}, {"lf for crlf", "\r\n", "\n"}, {"cr for lf", "\n", "\r"}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask");
    const RegionId region = client.engine.open_region(
        3, Frame{with("\n\n## A\n\n", "\n", c.sent), with("\n\n## U\n", "\n", c.sent)});
    client.engine.append(region, with("one\ntwo\n", "\n", c.sent));
    const Rewrite rewrite = [&](const std::string& text) {
      return text::with_line_ends(text, c.written);
    };
    CHECK(write_all(client, rewrite) == 1);
    CHECK(client.text == with("ask\n\n## A\n\none\ntwo\n\n\n## U\n", "\n", c.written));
    CHECK(client.engine.shadow().text() == client.text);

    const std::vector<Notice> notices = client.engine.take_notices();
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].kind == NoticeKind::LineEndsAdopted);
    CHECK(notices[0].line_end == c.written);
    CHECK(notices[0].reply_offset == 0);

    // From here on the reply has the client's line ends: an older place of it is found again.
    const std::string one = with("one\n", "\n", c.written);
    client.engine.replace_from(region, one.size(), with("three\nfour", "\n", c.written));
    CHECK(write_all(client, rewrite) == 1);
    CHECK(client.text == with("ask\n\n## A\n\none\nthree\nfour\n\n## U\n", "\n", c.written));
    CHECK(client.notices().empty());
  }
}

TEST_CASE("line ends that change in the middle of a reply") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one\ntwo\n");
  client.engine.append(region, "three\nfour");
  const Rewrite rewrite = [](const std::string& text) {
    return text::with_line_ends(text, "\r\n");
  };
  CHECK(write_all(client, rewrite) == 1);
  CHECK(client.text == "ask\n\n## A\n\none\ntwo\nthree\r\nfour\n\n## U\n");
  const std::vector<Notice> notices = client.engine.take_notices();
  REQUIRE(notices.size() == 1);
  CHECK(notices[0].reply_offset == 8);
  client.engine.replace_from(region, 8 + std::string("three\r\n").size(), "five");
  client.drain();
  CHECK(client.text == "ask\n\n## A\n\none\ntwo\nthree\r\nfive\n\n## U\n");
}

TEST_CASE(
    "a client adopts line ends in front of some that stay: the reply has its own everywhere, and "
    "no torn character (71027616)") {
  StrictClient client("ask\r\n");
  const RegionId region = client.engine.open_region(5, Frame{"## A\r\n", "\r\n"});
  client.engine.append(region, "aXb\r\n");
  client.drain();
  client.engine.replace_from(region, 1, "Q\r\nRb\r\n\u4E2D");
  const OutgoingEdit edit = client.sent(Release::WholeLines);
  REQUIRE(edit.edit.replacement == "Q\r\nR");  // the rest of these lines stays
  client.change({edit.edit.begin, edit.edit.end, "Q\nR"});
  client.engine.answered(Answer::Applied);
  CHECK(client.notices() == Notices{NoticeKind::LineEndsAdopted});
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\r\n## A\r\naQ\nRb\n\u4E2D\r\n");
}

TEST_CASE(
    "another program types between the two halves of a line end of a file: they are no line ends "
    "of the client's (51105758)") {
  StrictClient client("ask\r\n");
  const RegionId region = client.engine.open_region(5, Frame{"## A\r\n", "\r\n"});
  client.drain();
  client.engine.append(region, "\r\n");
  const OutgoingEdit edit = client.sent();
  client.change({edit.edit.begin, edit.edit.begin, "\r"});
  CHECK(client.notices().empty());
  client.engine.answered(Answer::Refused);
  client.engine.append(region, "one");
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == "ask\r\n## A\r\n\r\none\r\r\n");
}

TEST_CASE("what rewrites inserted text never makes a document grow without bound") {
  struct Case {
    const char* name;
    Rewrite rewrite;
  };
  const std::vector<Case> cases = {
      {"smart quotes",
       [](const std::string& text) { return with(with(text, "\"", "\u201C"), "'", "\u2019"); }},
      {"composed letters", [](const std::string& text) { return with(text, "e\u0301", "\u00E9"); }},
      {"tabs to spaces", [](const std::string& text) { return with(text, "\t", "        "); }},
      {"without blanks at line ends",
       [](const std::string& text) { return with(with(text, " \n", "\n"), "  ", " "); }},
      {"upper case",
       [](const std::string& text) {
         std::string upper = text;
         for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
         return upper;
       }},
      {"something else", [](const std::string& text) { return std::string(text.size(), '#'); }},
      {"twice", [](const std::string& text) { return text + text; }},
      {"escaped",
       [](const std::string& text) { return with(with(text, "\"", "&quot;"), "'", "&apos;"); }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StrictClient client("ask\n");
    const RegionId region = client.open_region();
    std::size_t sent = 0;
    for (int line = 0; line < 50; ++line) {
      const std::string text =
          "It's \"line\" " + std::to_string(line) + " of a cafe\u0301,\tand so on.  \n";
      client.engine.append(region, text);
      sent += text.size();
      CHECK(write_all(client, c.rewrite) <= 8);
    }
    CHECK(client.engine.shadow().text() == client.text);
    CHECK(client.text.size() <= 64 + 12 * sent);
  }
}

TEST_CASE(
    "a client that puts edits elsewhere is stopped after two of them, and begins again only when "
    "the person says so") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  const auto misplace = [&] {
    int edits = 0;
    while (const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything)) {
      REQUIRE(++edits < 50);
      client.change({0, 0, edit->edit.replacement});
      client.engine.answered(Answer::Applied);
      client.engine.echo_is_overdue();
    }
    return edits;
  };
  client.engine.append(region, "a reply of some length");
  CHECK(misplace() == 2);
  CHECK(client.notices() == Notices{NoticeKind::ClientRewrites});
  CHECK(client.engine.region_state(region) == RegionState::Paused);
  client.engine.append(region, ", and more");
  CHECK(misplace() == 0);
  client.engine.resume_region(region);
  CHECK(misplace() == 2);

  // A few bytes prove less.
  StrictClient other("ask\n");
  const RegionId small = other.open_region();
  other.engine.append(small, "word");
  for (int edits = 0;
       const std::optional<OutgoingEdit> edit = other.engine.poll(Release::Everything); ++edits) {
    REQUIRE(edits < 4);
    other.change({0, 0, edit->edit.replacement});
    other.engine.answered(Answer::Applied);
    other.engine.echo_is_overdue();
  }
  CHECK(other.engine.region_state(small) == RegionState::Paused);
}

TEST_CASE(
    "a client that refuses, and a person who types just the same near by meanwhile, twice: no "
    "rewriting; one that fails behind its insertions is stopped (82000918)") {
  const std::string text = "a reply of some length";
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, text);
  for (int times = 0; times < 2; ++times) {
    client.sent();
    client.change({0, 0, text});
    client.engine.answered(Answer::Refused);
  }
  CHECK(client.notices().empty());
  client.engine.finish_region(region);
  client.drain();
  CHECK(client.text == text + text + "ask\n\n## A\n\n" + text + "\n\n## U\n");

  StrictClient failing("ask\n");
  failing.engine.append(failing.open_region(), text);
  int edits = 0;
  while (const std::optional<OutgoingEdit> edit = failing.engine.poll(Release::Everything)) {
    REQUIRE(++edits < 50);
    failing.change({0, 0, edit->edit.replacement});
    failing.engine.answered(Answer::Failed);
  }
  CHECK(edits == kMaxSuspicion / static_cast<int>(Suspicion::AsMuch));
  CHECK(failing.notices() == Notices{NoticeKind::ClientRewrites});
}

TEST_CASE(
    "a client that deletes something else than it should is stopped after the second time, or at "
    "once where it is known to count "
    "otherwise") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.replace("", "What somebody wrote below.\n");
  client.engine.replace_from(region, 0, "");
  for (int times = 0; times < 2; ++times) {
    CHECK(client.notices().empty());
    const OutgoingEdit edit = client.sent();
    client.change({edit.edit.end, edit.edit.end + 7, {}});
    client.engine.answered(Answer::Applied);
    client.engine.echo_is_overdue();
  }
  CHECK(client.sends_nothing());
  CHECK(client.notices() == Notices{NoticeKind::ClientRewrites});

  StrictClient counts_characters("ask\n");  // where bytes were agreed
  const RegionId other = counts_characters.open_region_with("\U0001F600 one two three");
  counts_characters.engine.replace_from(other, 9, "");
  const OutgoingEdit edit = counts_characters.sent();
  counts_characters.change({edit.edit.begin + 3, edit.edit.end + 3, {}});
  counts_characters.engine.answered(Answer::Applied);
  counts_characters.engine.echo_is_overdue();
  CHECK(counts_characters.sends_nothing());
  CHECK(counts_characters.notices() == Notices{NoticeKind::ClientRewrites});
}

TEST_CASE(
    "a client that puts each edit at the same place, torn, ever further from where it belongs, is "
    "stopped") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region_with("one two");
  client.engine.append(region, "\n\nab cd ef gh.");
  const std::size_t size = client.text.size();
  int edits = 0;
  for (; edits < 200; ++edits) {
    const std::optional<OutgoingEdit> edit = client.engine.poll(Release::Everything);
    if (!edit) break;
    const std::string& sent = edit->edit.replacement;
    client.change({0, 0, sent.substr(6) + sent.substr(0, 6)});
    client.engine.answered(Answer::Applied);
    client.engine.echo_is_overdue();
  }
  CHECK(client.notices() == Notices{NoticeKind::ClientRewrites});
  CHECK(client.text.size() - size <=
        kMaxUnprovenGrowth + 2 * std::string("\n\nab cd ef gh.").size());
}

TEST_CASE(
    "several changes told as one: a key at any place beside our edit, the answer before it or "
    "after it") {
  const std::string base = "ask\n\n## A\n\none\n\n## U\nnext\n";
  const std::string text = " two three";
  struct Case {
    const char* name;
    std::string now;
    std::string end;
  };
  const std::vector<Case> cases = {
      {"far above", "Xask\n\n## A\n\none two three\n\n## U\nnext\n",
       "Xask\n\n## A\n\none two three.\n\n## U\nnext\n"},
      {"right before", "ask\n\n## A\n\noneX two three\n\n## U\nnext\n",
       "ask\n\n## A\n\noneX two three.\n\n## U\nnext\n"},
      {"inside", "ask\n\n## A\n\none twXo three\n\n## U\nnext\n",
       "ask\n\n## A\n\none twXo three.\n\n## U\nnext\n"},
      {"a line end inside", "ask\n\n## A\n\none two\n three\n\n## U\nnext\n",
       "ask\n\n## A\n\none two\n three.\n\n## U\nnext\n"},
      {"right behind", "ask\n\n## A\n\none two threeX\n\n## U\nnext\n",
       "ask\n\n## A\n\none two three.X\n\n## U\nnext\n"},
      {"in the tail", "ask\n\n## A\n\none two three\n\n## UX\nnext\n",
       "ask\n\n## A\n\none two three.\n\n## UX\nnext\n"},
      {"far below", "ask\n\n## A\n\none two three\n\n## U\nnextX\n",
       "ask\n\n## A\n\none two three.\n\n## U\nnextX\n"},
      {"above and below", "Xask\n\n## A\n\none two three\n\n## U\nnextX\n",
       "Xask\n\n## A\n\none two three.\n\n## U\nnextX\n"},
      {"before and behind", "ask\n\n## A\n\noneX two threeY\n\n## U\nnext\n",
       "ask\n\n## A\n\noneX two three.Y\n\n## U\nnext\n"},
  };
  enum class When { AnswerFirst, AnswerBetween, AnswerLast };
  for (const Case& c : cases) {
    for (const When when : {When::AnswerFirst, When::AnswerBetween, When::AnswerLast}) {
      CAPTURE(c.name);
      CAPTURE(static_cast<int>(when));
      StrictClient client("ask\nnext\n");
      const RegionId region = client.engine.open_region(4, Frame{"\n## A\n\n", "\n\n## U\n"});
      client.engine.append(region, "one");
      client.drain();
      REQUIRE(client.text == base);
      client.engine.append(region, text);
      client.sent();
      if (when == When::AnswerFirst) client.engine.answered(Answer::Applied);
      if (when == When::AnswerBetween) {
        // A key at the end of the document was told before.
        client.replace("", "Z");
        client.engine.answered(Answer::Applied);
      }
      const std::string end = when == When::AnswerBetween ? "Z" : "";
      client.change(text::minimise({0, client.text.size(), c.now + end}, client.text));
      if (when == When::AnswerLast) client.engine.answered(Answer::Applied);
      CHECK(client.sends_nothing());
      client.engine.echo_is_overdue();  // the edit itself is not told
      client.engine.append(region, ".");
      client.drain();
      CHECK(client.text == c.end + end);
      CHECK(client.notices().empty());
    }
  }
}

TEST_CASE(
    "applied is told before the change, and a key is told in between: the text is not sent again") {
  StrictClient client("ask\n");
  const RegionId region = client.open_region();
  client.engine.append(region, "go");
  const OutgoingEdit edit = client.sent();
  client.insert_before("ask", "I ");  // typed before the edit came, told alone
  client.engine.answered(Answer::Applied);
  CHECK(client.engine.awaits_echo());
  CHECK(client.sends_nothing());
  client.change({edit.edit.begin + 2, edit.edit.end + 2, "go"});  // where it belongs now
  CHECK_FALSE(client.engine.in_flight());
  client.engine.append(region, " on");
  client.drain();
  CHECK(client.text == "I ask\n\n## A\n\ngo on\n\n## U\n");
  CHECK(client.notices().empty());
}

}  // namespace sync_rewrites_test_internal

}  // namespace agent_doc::sync
