#include "server/file/file_watch.hpp"

#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace agent_doc::file {

using tests::TemporaryFolder;

TEST_CASE("a watch sees every way in which a file changes, and no other file") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  tests::write_file(path, "one");
  auto made = FileWatch::make(path);
  REQUIRE(made.has_value());
  FileWatch& watch = *made;
  CHECK(watch.native_handle() >= 0);
  CHECK_FALSE(watch.drain());

  tests::write_file(folder / "b.md", "other");
  tests::write_file(folder / "a.md2", "other");
  CHECK_FALSE(watch.drain());

  tests::write_file(path, "two");
  CHECK(watch.drain());
  CHECK_FALSE(watch.drain());

  tests::rename_into(path, "three");
  CHECK(watch.drain());
  std::filesystem::rename(path, folder / "away.md");
  CHECK(watch.drain());
  std::filesystem::rename(folder / "away.md", path);
  CHECK(watch.drain());
  std::filesystem::remove(path);
  CHECK(watch.drain());
  CHECK_FALSE(watch.drain());
}

TEST_CASE("a folder that is gone is told") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "sub");
  auto watch = FileWatch::make(folder / "sub/a.md");
  REQUIRE(watch.has_value());
  std::filesystem::remove(folder / "sub");
  CHECK(watch->drain());
  CHECK(FileWatch::make(folder / "sub/a.md").has_error());
}

}  // namespace agent_doc::file
