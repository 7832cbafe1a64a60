#include "server/file/folder_watch.hpp"

#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace file_folder_watch_test {

using namespace agent_doc;
using file::FolderWatch;
using Kind = FolderWatch::Event::Kind;

/// What came, one on a line, each once: "saved a.md".
std::string events_of(FolderWatch& watch, const std::string& folder) {
  std::string all;
  for (const FolderWatch::Event& event : watch.drain()) {
    const char* kind = event.kind == Kind::FileSaved    ? "saved "
                       : event.kind == Kind::FolderMade ? "made "
                       : event.kind == Kind::FolderGone ? "gone "
                                                        : "lost ";
    const std::string line = kind + event.path.substr(folder.size()) + "\n";
    if (all.find(line) == std::string::npos) all += line;
  }
  return all;
}

FolderWatch watch_of(const std::string& folder) {
  auto made = FolderWatch::make();
  REQUIRE(made.has_value());
  FolderWatch watch = std::move(*made);
  REQUIRE_FALSE(watch.add(folder));
  return watch;
}

TEST_CASE("folder watch: every way to save a file, and what is no save") {
  const tests::TemporaryFolder folder;
  const std::string base = folder / "";
  tests::write_file(folder / "a.md", "one");
  FolderWatch watch = watch_of(base.substr(0, base.size() - 1));
  CHECK(events_of(watch, base) == "");
  tests::write_file(folder / "a.md", "two");
  CHECK(events_of(watch, base) == "saved a.md\n");
  tests::rename_into(folder / "a.md", "three");
  CHECK(events_of(watch, base).find("saved a.md\n") != std::string::npos);
  std::filesystem::create_hard_link(folder / "a.md", folder / "b.md");
  CHECK(events_of(watch, base) == "saved b.md\n");
  CHECK(tests::read_file(folder / "a.md") == "three");
  std::filesystem::remove(folder / "a.md");
  CHECK(events_of(watch, base) == "");
}

TEST_CASE("folder watch: folders come, move and go") {
  const tests::TemporaryFolder folder;
  const std::string base = folder / "";
  FolderWatch watch = watch_of(base.substr(0, base.size() - 1));
  std::filesystem::create_directory(folder / "x");
  CHECK(events_of(watch, base) == "made x\n");
  REQUIRE_FALSE(watch.add(folder / "x"));
  tests::write_file(folder / "x/a.md", "one");
  CHECK(events_of(watch, base) == "saved x/a.md\n");
  std::filesystem::rename(folder / "x", folder / "y");
  CHECK(events_of(watch, base) == "gone x\nmade y\n");
  CHECK(watch.size() == 1);
  REQUIRE_FALSE(watch.add(folder / "y"));
  tests::write_file(folder / "y/a.md", "two");
  CHECK(events_of(watch, base) == "saved y/a.md\n");
  std::filesystem::remove_all(folder / "y");
  CHECK(events_of(watch, base) == "gone y\n");
  CHECK(watch.size() == 1);
  CHECK(watch.add(folder / "y") == boost::system::errc::no_such_file_or_directory);
}

TEST_CASE("folder watch: the limits of the system are told with what raises them") {
  const auto told = [](int code) {
    return file::why_not_watched("/x", {code, boost::system::system_category()});
  };
  CHECK(told(ENOSPC).find("fs.inotify.max_user_watches") != std::string::npos);
  CHECK(told(EMFILE).find("fs.inotify.max_user_instances") != std::string::npos);
  CHECK(told(EACCES) == "/x cannot be watched: Permission denied.");
}

}  // namespace file_folder_watch_test
