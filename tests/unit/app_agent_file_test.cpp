#include "server/app/agent_file.hpp"
#include "tests/unit/process_fixture.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace app_agent_file_test {

namespace {

using agent_doc::app::file_inside;
using agent_doc::app::read_text_file;
using agent_doc::app::replace_file;
using agent_doc::tests::read_file;
using agent_doc::tests::write_file;

struct Folders {
  Folders() {
    std::filesystem::create_directories(folder / "work/sub");
    write_file(folder / "work/a.txt", "a\n");
    write_file(folder / "secret.txt", "secret\n");
    std::filesystem::create_symlink(folder / "secret.txt", folder / "work/link");
    std::filesystem::create_symlink(folder / "nowhere", folder / "work/dangling");
    std::filesystem::create_directory_symlink(folder.path(), folder / "work/up");
    std::filesystem::create_symlink("../a.txt", folder / "work/sub/to-a");
  }
  std::string work() const { return std::filesystem::canonical(folder / "work").string(); }
  std::string place(const std::string& path) const {
    const auto found = file_inside(folder / "work", path);
    CHECK(found.path.empty() != found.problem.empty());
    return found.path.empty() ? "no" : found.path;
  }
  agent_doc::tests::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("an agent's path: inside the working folder with all links followed, or refused") {
  const Folders folders;
  CHECK(folders.place("a.txt") == folders.work() + "/a.txt");
  CHECK(folders.place(folders.folder / "work/a.txt") == folders.work() + "/a.txt");
  CHECK(folders.place("sub/../a.txt") == folders.work() + "/a.txt");
  CHECK(folders.place("sub/to-a") == folders.work() + "/a.txt");
  CHECK(folders.place("sub/new.txt") == folders.work() + "/sub/new.txt");
  for (const char* bad : {"../secret.txt", "link", "dangling", "up/secret.txt", "up/new.txt",
                          "/etc/passwd", "no/such/folder.txt", "sub/..", "", "."}) {
    CAPTURE(bad);
    CHECK(folders.place(bad) == "no");
  }
  CHECK(folders.place(std::string("a.txt\0b", 7)) == "no");
  CHECK(file_inside(folders.folder / "work", "../secret.txt").problem ==
        "../secret.txt is outside of the working folder " + (folders.folder / "work") +
            ", and agent-doc reads and writes only inside of it");
}

TEST_CASE(
    "where a path really leads: the same for all names of a file, whether it is there or not") {
  const Folders folders;
  const std::string work = folders.work();
  const std::string root = std::filesystem::canonical(folders.folder.path()).string();
  struct Case {
    std::string path, real;
  };
  const Case cases[] = {
      {"work/a.txt", work + "/a.txt"},
      {"work/sub/to-a", work + "/a.txt"},
      {"work/sub/../a.txt", work + "/a.txt"},
      {"work/up/work/a.txt", work + "/a.txt"},
      {"work/link", root + "/secret.txt"},
      {"work/up/new.txt", root + "/new.txt"},
      {"work/dangling", folders.folder / "work/dangling"},
      {"gone/new.txt", folders.folder / "gone/new.txt"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.path);
    CHECK(agent_doc::app::real_path(folders.folder / one.path) == one.real);
  }
  CHECK(agent_doc::app::is_folder(folders.folder / "work/up"));
  CHECK_FALSE(agent_doc::app::is_folder(folders.folder / "work/a.txt"));
  CHECK_FALSE(agent_doc::app::is_folder(folders.folder / "gone"));
}

TEST_CASE("an agent's files: text of some size, and written whole with their mode") {
  const Folders folders;
  const std::string path = folders.folder / "work/a.txt";
  CHECK(read_text_file(path).value() == "a\n");
  CHECK(read_text_file(folders.folder / "work/none").error() ==
        boost::system::errc::no_such_file_or_directory);
  CHECK(read_text_file(folders.folder / "work/sub").error() == boost::system::errc::is_a_directory);
  CHECK(read_text_file("/dev/zero").error() == boost::system::errc::invalid_argument);
  write_file(folders.folder / "work/binary", "\xff\xfe");
  CHECK(read_text_file(folders.folder / "work/binary").error() ==
        boost::system::errc::illegal_byte_sequence);
  write_file(folders.folder / "work/large",
             std::string(agent_doc::lsp::kMaxAgentFileBytes + 1, 'x'));
  CHECK(read_text_file(folders.folder / "work/large").error() ==
        boost::system::errc::file_too_large);

  ::chmod(path.c_str(), 0750);
  CHECK_FALSE(replace_file(path, "b\n"));
  CHECK(read_file(path) == "b\n");
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0750);
  CHECK_FALSE(replace_file(folders.folder / "work/new.txt", "new\n"));
  CHECK(read_file(folders.folder / "work/new.txt") == "new\n");
  CHECK(replace_file(folders.folder / "work/sub", "x") == boost::system::errc::is_a_directory);
  CHECK(replace_file(folders.folder / "work/link", "x"));
  CHECK(read_file(folders.folder / "secret.txt") == "secret\n");
  CHECK(replace_file(folders.folder / "work/no/such.txt", "x") ==
        boost::system::errc::no_such_file_or_directory);
}

}  // namespace app_agent_file_test
