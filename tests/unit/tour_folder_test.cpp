// What the tour sees of a folder, and how it tells of it.
#include "plugins/tour/tour_folder.hpp"

#include "server/app/tour_look.hpp"
#include "tests/unit/temporary_folder.hpp"
#include "tests/unit/tour_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_folder_test {

namespace tour = plugins::tour;
using tests::TemporaryFolder;
using tests::write_file;

std::string kinds_of(const tour::FolderSight& sight) {
  std::vector<std::string> kinds;
  for (const auto& kind : sight.kinds)
    kinds.push_back(kind.name + " " + std::to_string(kind.files));
  std::sort(kinds.begin(), kinds.end());
  std::string out;
  for (const std::string& kind : kinds) out += kind + ";";
  return out;
}

TEST_CASE("tour folder: the opening is the first paragraph of prose") {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"", ""},
      {"# Title\n\nOne line,\nand another.\n\nMore.\n", "One line, and another."},
      {"---\ntitle: x\n---\n# T\n\n![picture](a.png)\n<p>\n[![badge](b)](c)\n\nProse.\r\n",
       "Prose."},
      {"```\ncode\n```\n\nAfter it.\n```\nmore\n", "After it."},
      {"# Only\n## headings\n", ""},
      {"---\nnever closed\n", ""},
  };
  for (const auto& [markdown, opening] : cases) {
    CAPTURE(markdown);
    CHECK(tour::opening_of(markdown) == opening);
  }
  std::string long_one;
  for (int i = 0; i < 300; ++i) long_one += "ä";
  const std::string cut = tour::opening_of("x" + long_one);
  CHECK(cut == "x" + long_one.substr(0, 398) + "…");
}

TEST_CASE("tour folder: the description, with and without a real agent") {
  tour::FolderSight sight;
  sight.name = "a`|b\n";
  sight.files = 12;
  sight.folders = 2;
  sight.kinds = {{".md", 2}, {".cpp", 5}, {"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}, {"e|", 1}};
  sight.readme_name = "README.md";
  sight.readme = "# Title\n\nIt counts.\n";
  const std::string seen =
      "### What I see here\n\nI looked into the folder `a??b?`: 12 files in 3 folders.\n\n| kind | "
      "files |\n|:--|--:|\n"
      "| `.cpp` | 5 |\n| `.md` | 2 |\n| `a` | 1 |\n| `b` | 1 |\n| `c` | 1 |\n| `d` | 1 |\n| others "
      "| 1 |\n\n"
      "`README.md` begins:\n\n> It counts.\n\n";
  CHECK(tour::description_of(sight) ==
        seen +
            "I can count, but I cannot read code. A real agent can. None is installed here yet; "
            "`agent-doc agents` says how to get "
            "each, and afterwards the same question goes to it.\n");
  sight.agents = {"claude", "codex"};
  CHECK(tour::description_of(sight) ==
        seen +
            "I can count, but I cannot read code. A real agent can, and there is one here: "
            "`claude`, `codex`. Ask it the same:\n\n"
            "```sh\nagent-doc new explained.md \"Explain this repository\" --agent claude "
            "--run\n```\n");
  tour::FolderSight empty;
  empty.name = "new";
  empty.files = 1;
  empty.extent = tour::FolderExtent::OnlyTheBeginning;
  CHECK(tour::description_of(empty).starts_with(
      "### What I see here\n\nI looked into the folder `new`: at least 1 file in 1 folder.\n\nI "
      "can count"));
}

TEST_CASE("tour folder: the look counts what is the person's, and follows no link") {
  const TemporaryFolder folder;
  for (const char* inside : {"src/deep", ".git", "build", "node_modules/x"})
    std::filesystem::create_directories(folder / inside);
  for (const char* file : {"src/a.cpp", "src/deep/b.cpp", "Makefile", ".hidden.cpp", ".git/c.cpp",
                           "build/d.cpp", "node_modules/x/e.cpp"}) {
    write_file(folder / file, "x");
  }
  write_file(folder / "README.md", "# T\n\nHello \xFF there.\n");
  std::filesystem::create_directory_symlink("/", folder / "everything");
  const tour::FolderSight sight = app::look_at_folder(folder.path());
  CHECK(sight.files == 4);
  CHECK(sight.folders == 2);
  CHECK(kinds_of(sight) == ".cpp 2;.md 1;Makefile 1;");
  CHECK(sight.extent == tour::FolderExtent::Whole);
  CHECK(sight.readme_name == "README.md");
  CHECK(sight.readme == "# T\n\nHello \xEF\xBF\xBD there.\n");
  CHECK(app::look_at_folder(folder / "absent").files == 0);
}

TEST_CASE("tour folder: a folder that is too deep is seen in part, and it is said") {
  const TemporaryFolder folder;
  std::filesystem::path deep = folder.path();
  for (int i = 0; i <= app::kMaxSeenDepth + 1; ++i) deep /= "d";
  std::filesystem::create_directories(deep);
  write_file(deep / "never-seen", "x");
  const tour::FolderSight sight = app::look_at_folder(folder.path());
  CHECK(sight.files == 0);
  CHECK(sight.extent == tour::FolderExtent::OnlyTheBeginning);
}

TEST_CASE("tour folder: the agent looks when it is asked, and answers in its second message") {
  tour::TourOptions options = tour_test::with_everything();
  options.look_at_folder = [] {
    tour::FolderSight sight;
    sight.name = "proj";
    sight.files = 3;
    return sight;
  };
  tour_test::Driver driver(options);
  const std::string reply = driver.reply_to("Explain this repository");
  tour_test::check_stream(driver.lines());
  CHECK(reply.find("You wrote:\n\n> Explain this repository\n\n### What I see here\n\nI looked "
                   "into the folder `proj`: 3 files in 1 "
                   "folder.\n") != std::string::npos);
}

}  // namespace agent_doc::tour_folder_test
