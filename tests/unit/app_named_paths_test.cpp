// Every path that a document, a folder above it or an agent names: where it really leads counts,
// and what somebody else made there neither stops nor redirects us.
#include "editors/cli/local_server.hpp"
#include "server/app/agent_file.hpp"
#include "server/file/document_file.hpp"
#include "server/file/file_lock.hpp"
#include "server/file/sha256.hpp"
#include "server/file/user_directories.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::app {

namespace named_paths_test {

namespace fs = std::filesystem;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

constexpr uid_t kSomebodyElse = 65534;

/// False for who is not root: then there is nobody else to be had.
bool give_away(const std::string& path) {
  return ::lchown(path.c_str(), kSomebodyElse, kSomebodyElse) == 0;
}

TEST_CASE(
    "named paths: the folder of agent_doc_cwd is the one that all links lead to, inside the "
    "workspace") {
  const TemporaryFolder folder;
  const std::string work = folder / "work";
  fs::create_directories(work + "/sub/deep");
  fs::create_directories(folder / "work-evil");
  write_file(work + "/file", "");
  for (const auto& [link, target] :
       std::vector<std::pair<std::string, std::string>>{{"to-sub", "sub"},
                                                        {"to-deep", work + "/sub/deep"},
                                                        {"to-itself", "."},
                                                        {"to-root", "/"},
                                                        {"to-parent", ".."},
                                                        {"to-neighbour", "../work-evil"},
                                                        {"to-nothing", "nothing"},
                                                        {"to-file", "file"},
                                                        {"loop", "loop"},
                                                        {"twice", "to-parent/work-evil"}}) {
    fs::create_symlink(target, work + "/" + link);
  }
  struct Case {
    std::string named, real, problem;
  };
  const std::string outside = "is not a folder inside the workspace " + work + ": it leads to ";
  const Case cases[] = {
      {"sub", work + "/sub", ""},
      {"to-sub", work + "/sub", ""},
      {"to-deep", work + "/sub/deep", ""},
      {"to-sub/deep", work + "/sub/deep", ""},
      {"to-itself", work, ""},
      {"to-root", "", outside + "/"},
      {"to-root/etc", "", outside + "/etc"},
      {"to-parent", "", outside + folder.path()},
      {"to-neighbour", "", outside + (folder / "work-evil")},
      {"twice", "", outside + (folder / "work-evil")},
      {"to-nothing", "", "is not there (" + work + "/to-nothing)"},
      {"missing", "", "is not there (" + work + "/missing)"},
      {"file", "", "is not a folder (" + work + "/file)"},
      {"to-file", "", "is not a folder (" + work + "/to-file)"},
      {"loop", "", "cannot be used (" + work + "/loop: Too many levels of symbolic links)"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.named);
    const session::FolderPlace place = folder_inside(work, work + "/" + one.named);
    CHECK(place.path == one.real);
    CHECK(place.problem == one.problem);
  }
  // The workspace may be a link itself.
  fs::create_symlink(work, folder / "workspace");
  CHECK(folder_inside(folder / "workspace", folder / "workspace/sub").path == work + "/sub");
}

TEST_CASE(
    "named paths: an agent's file is inside the folder that it works in, not in one whose name "
    "begins like it") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "work");
  fs::create_directories(folder / "work-evil");
  write_file(folder / "work-evil/a.txt", "");
  fs::create_symlink("../work-evil", folder / "work/link");
  fs::create_symlink("../work-evil/a.txt", folder / "work/file-link");
  for (const std::string path : {"../work-evil/a.txt", "link/a.txt", "link/new.txt", "file-link"}) {
    CAPTURE(path);
    CHECK(file_inside(folder / "work", path).path.empty());
    CHECK(file_inside(folder / "work", folder / ("work/" + path)).path.empty());
  }
  CHECK(file_inside(folder / "work", folder / "work-evil/a.txt").path.empty());
}

TEST_CASE(
    "named paths: whatever stands where a lock should be, the document is written, and nothing "
    "else is") {
  struct Place {
    const char* what;
    std::function<bool(const std::string& agent_doc, const std::string& lock,
                       const std::string& elsewhere)>
        make;
  };
  const auto make_locks = [](const std::string& agent_doc) {
    return fs::create_directories(agent_doc + "/locks");
  };
  const Place places[] = {
      {"a link to a file",
       [&](auto& own, auto& lock, auto& elsewhere) {
         make_locks(own), fs::create_symlink(elsewhere + "/victim", lock);
         return true;
       }},
      {"a link to nothing",
       [&](auto& own, auto& lock, auto& elsewhere) {
         make_locks(own), fs::create_symlink(elsewhere + "/new", lock);
         return true;
       }},
      {"a pipe",
       [&](auto& own, auto& lock, auto&) {
         make_locks(own);
         return ::mkfifo(lock.c_str(), 0600) == 0;
       }},
      {"a folder",
       [&](auto& own, auto& lock, auto&) {
         make_locks(own);
         return fs::create_directory(lock);
       }},
      {"a file that may not be opened",
       [&](auto& own, auto& lock, auto&) {
         make_locks(own), write_file(lock, "");
         return ::chmod(lock.c_str(), 0) == 0;
       }},
      {"somebody else's file",
       [&](auto& own, auto& lock, auto&) {
         make_locks(own), write_file(lock, "");
         return give_away(lock);
       }},
      {"somebody else's folder of locks",
       [&](auto& own, auto&, auto&) {
         make_locks(own);
         return give_away(own + "/locks");
       }},
      {"somebody else's .agent-doc",
       [&](auto& own, auto&, auto&) {
         make_locks(own);
         return give_away(own);
       }},
      {"a link in place of the locks",
       [&](auto& own, auto&, auto& elsewhere) {
         fs::create_directory(own), fs::create_directory_symlink(elsewhere, own + "/locks");
         return true;
       }},
      {"a link in place of .agent-doc",
       [&](auto& own, auto&, auto& elsewhere) {
         make_locks(elsewhere), fs::create_directory_symlink(elsewhere, own);
         return true;
       }},
      {"a file in place of the locks",
       [&](auto& own, auto&, auto&) {
         fs::create_directory(own), write_file(own + "/locks", "");
         return true;
       }},
  };
  for (const Place& place : places) {
    const std::string what = place.what;
    CAPTURE(what);
    const TemporaryFolder folder;
    fs::create_directories(folder / "docs");
    fs::create_directories(folder / "elsewhere");
    write_file(folder / "elsewhere/victim", "precious");
    write_file(folder / "docs/a.md", "before");
    const std::string lock =
        (folder / "docs/.agent-doc/locks/") + file::sha256_hex(folder / "docs/a.md") + ".lock";
    if (!place.make(folder / "docs/.agent-doc", lock, folder / "elsewhere")) continue;
    std::vector<std::string> before;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "elsewhere"))
      before.push_back(entry.path());
    auto document = file::DocumentFile::open(folder / "docs/a.md");
    REQUIRE(document.has_value());
    const auto replaced = document->replace("before", "after");
    REQUIRE_MESSAGE(replaced.has_value(), replaced.error().message);
    CHECK(replaced->outcome == file::Replacement::Outcome::Written);
    CHECK(read_file(folder / "docs/a.md") == "after");
    CHECK(read_file(folder / "elsewhere/victim") == "precious");
    std::vector<std::string> after;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "elsewhere"))
      after.push_back(entry.path());
    CHECK(before == after);
  }
}

TEST_CASE(
    "named paths: a lock that somebody else holds in a folder of theirs holds nobody up; this "
    "person's own folder further up counts") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "ours/.agent-doc/locks");
  fs::create_directories(folder / "ours/theirs/.agent-doc/locks");
  write_file(folder / "ours/theirs/a.md", "before");
  const std::string name = file::sha256_hex(folder / "ours/theirs/a.md") + ".lock";
  const auto theirs = file::FileLock::try_lock((folder / "ours/theirs/.agent-doc/locks/") + name);
  REQUIRE(theirs->has_value());
  if (!give_away(folder / "ours/theirs/.agent-doc")) return;
  auto document = file::DocumentFile::open(folder / "ours/theirs/a.md");
  CHECK(document->replace("before", "after").has_value());
  const auto ours = file::FileLock::try_lock((folder / "ours/.agent-doc/locks/") + name);
  REQUIRE(ours->has_value());
  CHECK(document->replace("after", "later").error().kind == file::FileErrorKind::BeingWritten);
}

TEST_CASE("named paths: our own folders are this person's, or they are not used") {
  const auto refused = boost::system::errc::operation_not_permitted;
  const TemporaryFolder folder;
  CHECK_FALSE(file::make_private_directory(folder / "state/agent-doc/locks"));
  CHECK_FALSE(file::make_private_directory(folder / "state/agent-doc/locks"));
  // A link that this person made to a folder of theirs, as who keeps their state elsewhere has.
  fs::create_directories(folder / "kept/agent-doc");
  fs::create_directories(folder / "linked");
  fs::create_directory_symlink(folder / "kept/agent-doc", folder / "linked/agent-doc");
  CHECK_FALSE(file::make_private_directory(folder / "linked/agent-doc/locks"));
  fs::create_directories(folder / "file");
  write_file(folder / "file/agent-doc", "");
  CHECK(file::make_private_directory(folder / "file/agent-doc"));

  for (const std::string foreign : {"agent-doc", "agent-doc/locks"}) {
    CAPTURE(foreign);
    const TemporaryFolder shared;
    fs::create_directories(shared / foreign);
    if (!give_away(shared / foreign)) return;
    CHECK(file::make_private_directory(shared / "agent-doc/locks") == refused);
  }
  const TemporaryFolder shared;
  fs::create_directories(shared / "trap/locks");
  fs::create_directory_symlink(shared / "trap", shared / "agent-doc");
  REQUIRE(give_away(shared / "agent-doc"));
  CHECK(file::make_private_directory(shared / "agent-doc/locks") == refused);
}

TEST_CASE(
    "named paths: what somebody else put into a folder above does not say where an agent works") {
  for (const std::string mark : {".git", ".hg", ".agent-doc"}) {
    CAPTURE(mark);
    const TemporaryFolder folder;
    fs::create_directories(folder / "shared/mine/sub");
    fs::create_directories(folder / ("shared/" + mark));
    CHECK(cli::project_folder_of(folder / "shared/mine/sub/a.md") == (folder / "shared"));
    if (!give_away(folder / ("shared/" + mark))) return;
    CHECK(cli::project_folder_of(folder / "shared/mine/sub/a.md") == (folder / "shared/mine/sub"));
    fs::create_directories(folder / ("shared/mine/" + mark));
    CHECK(cli::project_folder_of(folder / "shared/mine/sub/a.md") == (folder / "shared/mine"));
  }
}

}  // namespace named_paths_test

}  // namespace agent_doc::app
