#include "server/file/document_file.hpp"

#include "server/file/file_lock.hpp"
#include "server/file/read_lease.hpp"
#include "server/file/sha256.hpp"
#include "server/process/file_descriptor.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace agent_doc::file {

namespace document_file_test {

using tests::read_file;
using tests::rename_into;
using tests::TemporaryFolder;
using tests::write_file;
using Outcome = Replacement::Outcome;

/// Does something in the name of another program right before an exchange.
class Interference : public FileCalls {
 public:
  int exchange(const std::string& one, const std::string& other) override {
    ++exchanges;
    if (before_exchange) before_exchange(exchanges);
    const int code = exchange_code != 0 ? exchange_code : FileCalls::exchange(one, other);
    if (after_exchange) after_exchange();
    return code;
  }

  std::function<void(int which)> before_exchange;
  std::function<void()> after_exchange;
  int exchange_code = 0;
  int exchanges = 0;
};

/// A program that opens a file for writing while we hold a lease on it, as the kernel lets it: it
/// waits.
class WaitingWriter {
 public:
  ~WaitingWriter() { wait(); }
  /// Returns when the program waits.
  void append(const std::string& path, std::string_view text) {
    const process::FileDescriptor reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const ReadLease lease(reader.get());
    REQUIRE(lease.state() == ReadLease::State::Held);
    thread_ = std::thread([path, text] {
      const process::FileDescriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
      if (::write(file.get(), text.data(), text.size()) < 0) std::abort();
    });
    while (lease.state() == ReadLease::State::Held) std::this_thread::yield();
  }
  void wait() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::thread thread_;
};

DocumentFile opened(const std::string& path) {
  FileResult<DocumentFile> file = DocumentFile::open(path);
  REQUIRE(file.has_value());
  return *file;
}

FileError error_of_reading(const std::string& path) {
  FileResult<DocumentFile> file = DocumentFile::open(path);
  if (file.has_error()) return file.error();
  FileResult<std::string> text = file->read();
  REQUIRE(text.has_error());
  return text.error();
}

/// Without root's power over permissions, for as long as it lives.
class AsNobody {
 public:
  AsNobody() : was_root_(::geteuid() == 0) {
    if (was_root_) REQUIRE(::seteuid(65534) == 0);
  }
  ~AsNobody() {
    if (was_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool was_root_;
};

/// No file may grow beyond `bytes`, for as long as it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_CASE("every file that is no document is refused with a reason and a way out") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder");
  write_file(folder / "binary.md", std::string("one\ntwo\0three\n", 14));
  write_file(folder / "latin1.md", "one\ntwo\ncaf\xe9\n");
  write_file(folder / "cut.md", "one\n\xe2\x82");
  REQUIRE(::mkfifo((folder / "pipe.md").c_str(), 0600) == 0);
  write_file(folder / "large.md", "");
  std::filesystem::resize_file(folder / "large.md", 100 * 1024 * 1024);
  std::filesystem::create_symlink("nowhere", folder / "dangling.md");
  std::filesystem::create_symlink("circle.md", folder / "circle.md");

  struct Case {
    const char* name;
    FileErrorKind kind;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"missing.md", FileErrorKind::NotFound,
       ": no such file. To begin it: agent-doc new " + (folder / "missing.md")},
      {"dangling.md", FileErrorKind::NotFound,
       ": no such file. To begin it: agent-doc new " + (folder / "dangling.md")},
      {"circle.md", FileErrorKind::NotRegular,
       " cannot be opened: it is a symbolic link that leads nowhere, or became one meanwhile. Name "
       "the file itself."},
      {"folder", FileErrorKind::Directory,
       " is a directory. Name a markdown file, for example " + (folder / "folder") + "/notes.md"},
      {"pipe.md", FileErrorKind::NotRegular,
       " is not a regular file (it is a pipe, a device or a socket). Name a markdown file."},
      {"large.md", FileErrorKind::TooLarge,
       " is too large: it has 100 MiB, a document may have 64 MiB. Move older parts of it into "
       "another file."},
      {"binary.md", FileErrorKind::Binary,
       " is a binary file: there is a NUL byte in line 2. agent-doc works on text files; check "
       "that this is the one you meant."},
      {"latin1.md", FileErrorKind::InvalidUtf8,
       " is not valid UTF-8: byte 0xE9 in line 3. Convert it first, for example: iconv -f "
       "ISO-8859-1 -t UTF-8"},
      {"cut.md", FileErrorKind::InvalidUtf8,
       " is not valid UTF-8: byte 0xE2 in line 2. Convert it first, for example: iconv -f "
       "ISO-8859-1 -t UTF-8"},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.name);
    const FileError error = error_of_reading(folder / expected.name);
    CHECK(error.kind == expected.kind);
    CHECK(error.message == (folder / expected.name) + expected.message);
  }
}

TEST_CASE("a file that may not be read, or not be written, is told before anything happens") {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  write_file(folder / "secret.md", "text");
  ::chmod((folder / "secret.md").c_str(), 0000);
  write_file(folder / "fixed.md", "text");
  ::chmod((folder / "fixed.md").c_str(), 0444);
  const AsNobody nobody;
  CHECK(error_of_reading(folder / "secret.md").kind == FileErrorKind::NoPermission);

  DocumentFile fixed = opened(folder / "fixed.md");
  CHECK(fixed.check_writable().error().kind == FileErrorKind::NoPermission);
  CHECK(fixed.replace("text", "other").error().kind == FileErrorKind::NoPermission);
  CHECK(read_file(folder / "fixed.md") == "text");
  CHECK(folder.names() == std::vector<std::string>{"fixed.md", "secret.md"});
}

TEST_CASE("a relative name that is no file is told as it was typed") {
  CHECK(error_of_reading("no-such-file.md").message ==
        "no-such-file.md: no such file. To begin it: agent-doc new no-such-file.md");
  CHECK(error_of_reading("").kind == FileErrorKind::NotFound);
}

TEST_CASE("texts of all kinds come back byte for byte") {
  const TemporaryFolder folder;
  for (const std::string text :
       {"", "x", "no newline at the end", "lf\n", "crlf\r\nand cr\rand lf\n",
        "\xef\xbb\xbfwith a BOM\n", "a\xcc\x88 \xe4\xbd\xa0\n"}) {
    write_file(folder / "a.md", text);
    CHECK(*opened(folder / "a.md").read() == text);
  }
}

TEST_CASE("replace writes the text, keeps mode, owner and attributes, and leaves nothing behind") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  const std::string path = folder / "a.md";
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  const bool root = ::geteuid() == 0;
  if (root) REQUIRE(::chown(path.c_str(), 1234, 4321) == 0);
  const bool attributes = ::setxattr(path.c_str(), "user.note", "kept", 4, 0) == 0;

  DocumentFile file = opened(path);
  CHECK(file.check_writable().has_value());
  FileResult<Replacement> replaced = file.replace("before", "after");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::Written);
  CHECK(read_file(path) == "after");

  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  if (root) CHECK(std::pair(status.st_uid, status.st_gid) == std::pair<uid_t, gid_t>(1234, 4321));
  std::string value(16, '\0');
  if (attributes) CHECK(::getxattr(path.c_str(), "user.note", value.data(), value.size()) == 4);
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("a symbolic link stays a link and its file is replaced") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  write_file(folder / "real/a.md", "before");
  std::filesystem::create_symlink("real/a.md", folder / "link.md");
  DocumentFile file = opened(folder / "link.md");
  CHECK(file.path() == folder / "real/a.md");
  CHECK(file.replace("before", "after")->outcome == Outcome::Written);
  CHECK(std::filesystem::is_symlink(folder / "link.md"));
  CHECK(read_file(folder / "real/a.md") == "after");
}

TEST_CASE("a text that was not expected is found, and nothing is written") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "theirs");
  FileResult<Replacement> replaced = opened(folder / "a.md").replace("expected", "ours");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::FoundOther);
  CHECK(replaced->other == "theirs");
  CHECK(read_file(folder / "a.md") == "theirs");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE(
    "who reads right after the exchange finds the new text, not a file that is being written") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  Interference calls;
  FileResult<std::string> read = FileError{};
  calls.after_exchange = [&] { read = opened(folder / "a.md").read(); };
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);
  REQUIRE(file.replace("before", "after").has_value());
  REQUIRE(read.has_value());
  CHECK(*read == "after");
}

TEST_CASE(
    "a version that another program puts there between the check and the exchange comes out "
    "whole") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "expected");
  Interference calls;
  calls.before_exchange = [&](int) { rename_into(folder / "a.md", "theirs"); };
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);
  FileResult<Replacement> replaced = file.replace("expected", "ours");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::DisplacedOther);
  CHECK(replaced->other == "theirs");
  CHECK(read_file(folder / "a.md") == "ours");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("a version that cannot be merged is put back under the name") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "expected");
  Interference calls;
  calls.before_exchange = [&](int which) {
    if (which == 1) rename_into(folder / "a.md", "caf\xe9");
  };
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);
  FileResult<Replacement> replaced = file.replace("expected", "ours");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::Withdrawn);
  CHECK(replaced->why.kind == FileErrorKind::InvalidUtf8);
  CHECK(file.is_named(replaced->displaced));
  CHECK(*file.read_displaced(replaced->withdrawn) == "ours");
  CHECK(calls.exchanges == 2);
  CHECK(read_file(folder / "a.md") == "caf\xe9");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("a program that is in the middle of writing is left alone") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "expected");
  Interference calls;
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);

  SUBCASE("before the check") {
    const process::FileDescriptor writer(::open((folder / "a.md").c_str(), O_WRONLY | O_APPEND));
    CHECK(file.read().error().kind == FileErrorKind::BeingWritten);
    CHECK(file.replace("expected", "ours").error().kind == FileErrorKind::BeingWritten);
    CHECK(::write(writer.get(), " and more", 9) == 9);
  }
  SUBCASE("from between the check and the exchange on, where it has to wait for us") {
    WaitingWriter writer;
    calls.before_exchange = [&](int which) {
      if (which == 1) writer.append(folder / "a.md", " and more");
    };
    FileResult<Replacement> replaced = file.replace("expected", "ours");
    writer.wait();
    REQUIRE(replaced.has_value());
    CHECK(replaced->outcome == Outcome::Withdrawn);
    CHECK(replaced->why.kind == FileErrorKind::BeingWritten);
    CHECK(file.is_named(replaced->displaced));
    CHECK(calls.exchanges == 2);
  }
  CHECK(read_file(folder / "a.md") == "expected and more");
  CHECK(*file.read() == "expected and more");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE(
    "a third program between the exchange and its undoing wins the name, and the version between "
    "is kept and named") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "expected");
  Interference calls;
  calls.before_exchange = [&](int which) {
    if (which == 1) rename_into(folder / "a.md", "second \xe9");
    if (which == 2) rename_into(folder / "a.md", "third");
  };
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);
  FileResult<Replacement> replaced = file.replace("expected", "ours");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::Withdrawn);
  CHECK(read_file(folder / "a.md") == "third");
  const std::vector<std::string> names = folder.names();
  REQUIRE(names.size() == 2);
  CHECK(read_file(folder / names[0]) == "second \xe9");
  CHECK(replaced->why.message.find("The version before it was kept as " + (folder / names[0])) !=
        std::string::npos);
}

TEST_CASE(
    "who writes into our text between the exchange and its undoing wins the name, and the version "
    "between comes out") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "expected");
  process::FileDescriptor writer;
  Interference calls;
  calls.before_exchange = [&](int which) {
    if (which == 1) {
      write_file(folder / "new.md", "expected");
      writer = process::FileDescriptor(::open((folder / "new.md").c_str(), O_WRONLY | O_APPEND));
      CHECK(::rename((folder / "new.md").c_str(), (folder / "a.md").c_str()) == 0);
    }
    if (which != 2) return;
    CHECK(::write(writer.get(), " and more", 9) == 9);
    writer = process::FileDescriptor();
    write_file(folder / "a.md", "ours and theirs");
  };
  DocumentFile file = opened(folder / "a.md");
  file.use_for_tests(calls);
  FileResult<Replacement> replaced = file.replace("expected", "ours");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::DisplacedOther);
  CHECK(replaced->other == "expected and more");
  CHECK(calls.exchanges == 3);
  CHECK(read_file(folder / "a.md") == "ours and theirs");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("without an exchange the file is renamed into place after the check") {
  for (const int code : {EINVAL, ENOSYS, EOPNOTSUPP}) {
    const TemporaryFolder folder;
    write_file(folder / "a.md", "before");
    Interference calls;
    calls.exchange_code = code;
    DocumentFile file = opened(folder / "a.md");
    file.use_for_tests(calls);
    CHECK(file.replace("before", "after")->outcome == Outcome::Written);
    CHECK(file.replace("before", "again")->outcome == Outcome::FoundOther);
    CHECK(read_file(folder / "a.md") == "after");
    CHECK(folder.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE("a file that is gone, or a folder now, is told and nothing is made in its place") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  DocumentFile file = opened(folder / "a.md");
  std::filesystem::remove(folder / "a.md");
  CHECK(file.replace("before", "after").error().kind == FileErrorKind::NotFound);
  CHECK(folder.names().empty());
  std::filesystem::create_directory(folder / "a.md");
  CHECK(file.replace("before", "after").error().kind == FileErrorKind::Directory);
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
  std::filesystem::remove(folder / "a.md");

  write_file(folder / "a.md", "before");
  Interference calls;
  calls.before_exchange = [&](int which) {
    if (which != 1) return;
    std::filesystem::remove(folder / "a.md");
    std::filesystem::create_directory(folder / "a.md");
  };
  file.use_for_tests(calls);
  FileResult<Replacement> replaced = file.replace("before", "after");
  REQUIRE(replaced.has_value());
  CHECK(replaced->outcome == Outcome::Withdrawn);
  CHECK(replaced->why.kind == FileErrorKind::Directory);
  CHECK(std::filesystem::is_directory(folder / "a.md"));
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("a folder that takes no new file leaves the document whole") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  ::chmod((folder / "a.md").c_str(), 0666);
  ::chmod(folder.path().c_str(), 0555);
  {
    const AsNobody nobody;
    DocumentFile file = opened(folder / "a.md");
    CHECK(file.check_writable().error().kind == FileErrorKind::NoPermission);
    const FileError error = file.replace("before", "after").error();
    CHECK(error.kind == FileErrorKind::NoPermission);
    CHECK(error.message == (folder / "a.md") +
                               " cannot be written: permission denied. A reply is written through "
                               "a new file in the same folder: ls -ld " +
                               (folder / "a.md") + " " + folder.path() + " shows who may.");
  }
  ::chmod(folder.path().c_str(), 0755);
  CHECK(read_file(folder / "a.md") == "before");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE("no room for the new text leaves the old one and no temporary file") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  DocumentFile file = opened(folder / "a.md");
  {
    const FileSizeLimit limit(1000);
    CHECK(file.replace("before", std::string(1001, 'x')).error().kind == FileErrorKind::NoSpace);
  }
  CHECK(read_file(folder / "a.md") == "before");
  CHECK(folder.names() == std::vector<std::string>{"a.md"});
  CHECK(file.replace("before", std::string(1001, 'x'))->outcome == Outcome::Written);
}

TEST_CASE("a disk that is full leaves the old text and no temporary file") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "disk");
  const std::string disk = folder / "disk";
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0)
    return;  // only root can make a small disk; the case above is for everybody
  write_file(disk + "/a.md", "before");
  DocumentFile file = opened(disk + "/a.md");
  const FileError error = file.replace("before", std::string(100'000, 'x')).error();
  const std::string after = read_file(disk + "/a.md");
  const auto files = std::distance(std::filesystem::directory_iterator(disk),
                                   std::filesystem::directory_iterator());
  REQUIRE(::umount2(disk.c_str(), MNT_DETACH) == 0);
  CHECK(error.kind == FileErrorKind::NoSpace);
  CHECK(
      error.message ==
      disk +
          "/a.md cannot be written: No space left on device. The file is as it was; make room in " +
          disk + " (df -h " + disk + ").");
  CHECK(after == "before");
  CHECK(files == 1);
}

TEST_CASE("a text over the limit is refused, not cut") {
  const TemporaryFolder folder;
  write_file(folder / "a.md", "before");
  CHECK(opened(folder / "a.md")
            .replace("before", std::string(kMaxDocumentBytes + 1, 'x'))
            .error()
            .kind == FileErrorKind::TooLarge);
  CHECK(read_file(folder / "a.md") == "before");
}

TEST_CASE("writes are locked against the other agent-doc where it works") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / ".agent-doc/locks");
  std::filesystem::create_directories(folder / "sub");
  write_file(folder / "sub/a.md", "before");
  DocumentFile file = opened(folder / "sub/a.md");
  const std::string lock_path =
      (folder / ".agent-doc/locks/") + sha256_hex(folder / "sub/a.md") + ".lock";
  {
    const auto held = FileLock::try_lock(lock_path);
    REQUIRE(held->has_value());
    CHECK(file.replace("before", "after").error().kind == FileErrorKind::BeingWritten);
  }
  CHECK(file.replace("before", "after")->outcome == Outcome::Written);
}

TEST_CASE("sha256 agrees with the standard's examples") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace document_file_test
}  // namespace agent_doc::file
