// Older turns of a document in an archive, and back: whole texts, and any document.
#include "server/session/compact_plan.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/session/run_plan.hpp"
#include "server/text/line_ends.hpp"
#include "tests/unit/random_text.hpp"
#include "tests/unit/session_test.hpp"

#include <string>
#include <variant>
#include <vector>

namespace session_compact_plan_test {

using namespace agent_doc;
using session::archive_name;
using session::ArchiveNames;
using session::Compacted;
using session::compacted;
using session::NoCompact;
using session::NoRestore;
using session::Restored;
using session::restored;

constexpr ArchiveNames kNames{"notes.md", "notes.archive.md"};

const std::string kFrontMatter =
    "---\nagent_doc_session: u-1  # mine\nagent: claude\nresume: {claude: s-1, codex: t-1}\n"
    "forked_from: {file: \"a.md\", session: \"s-0\", turn: 2}\n---\n";
const std::string kOlder =
    "## User\n\nOne? <!-- mine -->\n\n## Assistant\n\nYes.  \n\n## User\n\nTwo?\n\n## "
    "Assistant\n\n```\n## User\n```\n\n";
const std::string kNewer = "## User\n\nThree?\n\n## Assistant\n\nNo.\n\n## User\n\nFour?\n";

Compacted made_of(const std::string& document, std::size_t keep,
                  const ArchiveNames& names = kNames) {
  const auto made = compacted(document, keep, names);
  REQUIRE(std::holds_alternative<Compacted>(made));
  return std::get<Compacted>(made);
}

Restored put_back(const std::string& document, const std::string& archive,
                  const ArchiveNames& names = kNames) {
  const auto back = restored(document, archive, names);
  REQUIRE(std::holds_alternative<Restored>(back));
  return std::get<Restored>(back);
}

TEST_CASE("compact: older turns go into the archive, byte for byte, and come back") {
  const std::string document = kFrontMatter + "\n# Title\n\n" + kOlder + kNewer;
  const Compacted made = made_of(document, 1);
  CHECK(made.turns == 2);
  CHECK(made.bytes == kOlder.size());
  CHECK(made.archive ==
        "---\nagent_doc_archive_of: notes.md\nagent_doc_archived: |\n  ---\n  agent_doc_session: "
        "u-1  # mine\n  agent: claude\n  resume: {claude: s-1, codex: t-1}\n  forked_from: {file: "
        "\"a.md\", session: \"s-0\", turn: 2}\n  ---\n---\n\n" +
            kOlder);
  CHECK(made.document ==
        "---\nagent_doc_session: u-1  # mine\nagent: claude\nforked_from: {file: \"a.md\", turn: "
        "2}\nagent_doc_archive: notes.archive.md\n---\n\n# Title\n\n" +
            kNewer);
  const Restored back = put_back(made.document, made.archive);
  CHECK(back.document == document);
  CHECK(back.turns == 2);
  CHECK(back.archive_is_used_up);
  CHECK(back.is_front_matter_as_before);
}

TEST_CASE("compact: the next run begins a session with what is left") {
  const Compacted made = made_of(kFrontMatter + kOlder + kNewer, 1);
  const auto plan = session::plan_session(markdown::read_front_matter(made.document), {}, "claude",
                                          "/w", session::SessionOwners());
  REQUIRE(std::holds_alternative<session::SessionPlan>(plan));
  CHECK(std::get<session::SessionPlan>(plan).launch.start == plugins::SessionStart::New);
  CHECK(std::get<session::SessionPlan>(plan).knows == turn::SessionKnows::Nothing);
}

TEST_CASE("compact: a second archive names the first one, and both come back") {
  const std::string document = kOlder + kNewer;
  const Compacted first = made_of(document, 2);
  CHECK(first.document == "---\nagent_doc_archive: notes.archive.md\n---\n\n" +
                              document.substr(document.find("## User\n\nTwo?")));
  CHECK(first.archive == "---\nagent_doc_archive_of: notes.md\n---\n\n" +
                             document.substr(0, document.find("## User\n\nTwo?")));
  const ArchiveNames names{"notes.md", "notes.archive-2.md"};
  const Compacted second = made_of(first.document, 1, names);
  CHECK(second.document == "---\nagent_doc_archive: notes.archive-2.md\n---\n\n" + kNewer);
  const Restored once = put_back(second.document, second.archive, names);
  CHECK(once.document == first.document);
  CHECK(put_back(once.document, first.archive).document == document);
  // Also after a run, which writes its session into the front matter.
  const std::string run =
      test::applied(second.document, *markdown::set_value(second.document, "resume", "s-2"));
  const Restored after = put_back(run, second.archive, names);
  CHECK_FALSE(after.is_front_matter_as_before);
  CHECK(after.document == "---\nagent_doc_archive: notes.archive.md\nresume: s-2\n---\n\n" +
                              document.substr(document.find("## User\n\nTwo?")));
  const Restored whole = put_back(after.document, first.archive);
  CHECK(whole.document == "---\nresume: s-2\n---\n\n" + document);
}

TEST_CASE("compact: what was changed in the archive comes back, and the archive stays") {
  const std::string document = kFrontMatter + kOlder + kNewer;
  const Compacted made = made_of(document, 1);
  std::string archive = made.archive;
  archive.replace(archive.find("Yes."), 4, "Perhaps.");
  Restored back = put_back(made.document, archive);
  CHECK(back.document == std::string(document).replace(document.find("Yes."), 4, "Perhaps."));
  CHECK(back.archive_is_used_up);
  archive.insert(4, "mine: 1\n");
  back = put_back(made.document, archive);
  CHECK_FALSE(back.archive_is_used_up);
  CHECK(std::holds_alternative<NoRestore>(restored(made.document, kOlder, kNames)));
  CHECK(std::holds_alternative<NoRestore>(
      restored(made.document, made.archive, {"other.md", "notes.archive.md"})));
}

TEST_CASE("compact: too few turns") {
  for (const std::string& document :
       {std::string(), std::string("Hello?"), kNewer, std::string("## User\n\n## User\n")}) {
    const auto made = compacted(document, 1, kNames);
    REQUIRE(std::holds_alternative<NoCompact>(made));
    CHECK(std::get<NoCompact>(made) == NoCompact::TooFewTurns);
  }
  CHECK(std::holds_alternative<NoCompact>(compacted(kOlder + kNewer, 0, kNames)));
  CHECK(std::holds_alternative<NoCompact>(compacted(kOlder + kNewer, 3, kNames)));
}

TEST_CASE("compact: any document: nothing is lost, and it comes back byte for byte") {
  test::RandomText random(88);
  const std::vector<std::string_view> kFronts = {
      "",
      "---\nagent: claude\n---\n",
      "---\nresume: s\n\nx:\n  - 1\n---\n\n",
      "\xEF\xBB\xBF",
      "\xEF\xBB\xBF---\nresume:\n  claude: s\n  codex: t\nresume: u\n---\n",
      "---\n---\n",
      "---\n  agent: a\n  resume: b\n---\n",
      "\n",
      "# Title\n\n"};
  const std::vector<std::string_view> kPieces = {"one\n",
                                                 "\n",
                                                 "\n## User\n\n",
                                                 "\n## Assistant\n\n",
                                                 "\n## Assistant\n\n",
                                                 "- a\n",
                                                 "<!-- b -->\n",
                                                 "  ## User\n",
                                                 "\n```\nx\n```\n",
                                                 "[//]: # (c)\n",
                                                 "---\n",
                                                 "   \n",
                                                 "## Assistant\n",
                                                 "<div>\n"};
  int moved = 0;
  int refused = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string document(random.pick(kFronts));
    for (std::size_t left = random.below(20); left > 0; --left) document += random.pick(kPieces);
    if (random.one_in(4)) document = text::with_line_ends(document, "\r\n");
    if (random.one_in(9)) document = text::with_line_ends(document, "\r");
    CAPTURE(document);
    const auto made = compacted(document, 1 + random.below(2), kNames);
    const auto* texts = std::get_if<Compacted>(&made);
    if (texts == nullptr) {
      if (std::get<NoCompact>(made) == NoCompact::NotSafe) ++refused;
      continue;
    }
    ++moved;
    CHECK(put_back(texts->document, texts->archive).document == document);
    const auto front = markdown::read_front_matter(texts->document);
    CHECK(front.value_of("agent_doc_archive") == "notes.archive.md");
    CHECK(front.find("resume") == nullptr);
    // Of what is left and what was moved nothing is written anew.
    const std::size_t at = texts->archive.size() - texts->bytes;
    CHECK(document.find(texts->archive.substr(at)) != std::string::npos);
  }
  CHECK(moved > 500);
  CHECK(refused < moved / 20);
}

TEST_CASE("compact: names of archives") {
  CHECK(archive_name("notes.md", 1) == "notes.archive.md");
  CHECK(archive_name("notes.md", 3) == "notes.archive-3.md");
  CHECK(archive_name("notes", 2) == "notes.archive-2");
  CHECK(archive_name(".notes", 1) == ".notes.archive");
  CHECK(archive_name("a.b.md", 1) == "a.b.archive.md");
}

}  // namespace session_compact_plan_test
