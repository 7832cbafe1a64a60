#include "server/file/file_buffer.hpp"

#include "server/file/merge.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace agent_doc::file {

namespace file_buffer_test {

using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;
using Step = FileBuffer::Step;
using TimePoint = FileBuffer::TimePoint;

constexpr TimePoint kStart{};

FileBuffer opened(const std::string& path) {
  FileResult<DocumentFile> file = DocumentFile::open(path);
  REQUIRE(file.has_value());
  return FileBuffer(*file, *file->read());
}

std::string merged(std::string_view base, std::string_view theirs, std::string ours) {
  std::vector<text::Edit> edits = merge(base, theirs, ours);
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    ours.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  return ours;
}

class Interference : public FileCalls {
 public:
  int exchange(const std::string& one, const std::string& other) override {
    if (before_exchange) std::exchange(before_exchange, nullptr)();
    return FileCalls::exchange(one, other);
  }
  std::function<void()> before_exchange;
};

/// Follows a buffer as a server does: by its foreign edits only.
struct Follower {
  text::TextBuffer text;
  void follow(FileBuffer& buffer) {
    for (FileBuffer::ForeignEdit& edit : buffer.take_foreign_edits()) {
      const std::size_t begin = text.offset_of(edit.range.start, text::PositionEncoding::Utf8);
      const std::size_t end = text.offset_of(edit.range.end, text::PositionEncoding::Utf8);
      text.apply({begin, end, edit.replacement});
    }
  }
};

TEST_CASE("a merge keeps what both sides inserted") {
  struct Case {
    std::string_view base, theirs, ours, result;
  };
  const std::vector<Case> cases = {
      {"a\nb\n", "a\nb\n", "a\nb\nc\n", "a\nb\nc\n"},
      {"a\nb\n", "x\na\nb\n", "a\nb\nc\n", "x\na\nb\nc\n"},
      {"a\n\nz\n", "a\n\nz\ny\n", "a\nreply\n\nz\n", "a\nreply\n\nz\ny\n"},
      {"one two", "one two three", "zero one two", "zero one two three"},
      {"abc", "abXc", "abc def", "abXc def"},
      {"a\nb\nc\n", "a\nc\n", "a\nb\nc\nd\n", "a\nc\nd\n"},
      {"ab\n", "\n", "a reply b\n", " reply \n"},
      {"same", "same theirs", "same ours", "same ours theirs"},
      // Which of several blank lines got a word shows only together with the words around them.
      {"# A\n\nw0 \n\n# B\n", "# A\n <1>\nw0 \n\n# B <2>\n", "# A\n\nw0 w1 \n\n# B\n",
       "# A\n <1>\nw0 w1 \n\n# B <2>\n"},
      {"# A\n\n\n\n# B\n", "# A\n\n <1>\n\n# B <2>\n", "# A\n\nw0 \n\n\n# B\n",
       "# A\n\nw0 \n <1>\n\n# B <2>\n"},
      // Two words that begin alike, put in at one place.
      {"w0  <1> <2>\n", "w0  <3> <1> <2>\n", "w0 w1\nw2  <1> <4> <2>\n",
       "w0 w1\nw2  <3> <1> <4> <2>\n"},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.theirs);
    CHECK(merged(expected.base, expected.theirs, std::string(expected.ours)) == expected.result);
  }
}

TEST_CASE(
    "who wrote back without our last write had read an earlier version; who deletes a passage had "
    "not") {
  const std::string earlier = "## User\n\nhello\n\n## Assistant\n\nIt begins\n\n## User\n\n";
  const std::string current =
      "## User\n\nhello\n\n## Assistant\n\nIt begins and goes on\n\n## User\n\n";
  struct Case {
    const char* what;
    std::string theirs;
    bool stale;
  };
  const std::vector<Case> cases = {
      {"typed at the end, not having seen our write", earlier + "next", true},
      {"typed at the start", "title\n" + earlier, true},
      {"typed inside the line that grew",
       "## User\n\nhello\n\n## Assistant\n\nIt REALLY begins\n\n## User\n\n", true},
      {"typed at the end, having seen it", current + "next", false},
      {"typed inside what we wrote",
       "## User\n\nhello\n\n## Assistant\n\nIt begins and now goes on\n\n## User\n\n", false},
      {"deleted a part of it", "## User\n\nhello\n\n## Assistant\n\nIt begins and\n\n## User\n\n",
       false},
      {"deleted the turn", "## User\n\nhello\n\n", false},
      {"deleted all", "", false},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.what);
    CHECK(version_read(expected.theirs, current, {earlier}).has_value() == expected.stale);
  }
}

TEST_CASE(
    "who wrote with a write of ours that was undone had read that; who put something else in had "
    "not") {
  const std::string current = "hello\n\nIt begins\n\nnext\n";
  const std::string undone = "hello\n\nIt begins and goes on\n\nnext\n";
  CHECK(
      version_read("hello you\n\nIt begins and goes on\n\nnext\n", current, {undone}).has_value());
  CHECK_FALSE(version_read("hello you\n\nIt begins\n\nnext\n", current, {undone}).has_value());
  CHECK_FALSE(version_read("hello\n\nIt begins and\n\nnext\n", current, {undone}).has_value());
  // Words count, not the spaces between them.
  CHECK(version_read("one <1> <2>\nmore\n", "one <3> <1>\n", {"one <1> <2>\n"}).has_value());
}

TEST_CASE("our edits reach the disk, those of others reach the text") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\r\ntwo\r\n");
  FileBuffer buffer = opened(path);
  Follower server{text::TextBuffer("one\r\ntwo\r\n")};
  CHECK(buffer.look(kStart) == Step::InStep);

  buffer.apply({10, 10, "three\r\n"});
  server.text.apply({10, 10, "three\r\n"});
  CHECK(buffer.dirty());
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(read_file(path) == "one\r\ntwo\r\nthree\r\n");

  write_file(path, "one\ntwo\r\nthree\r\nfour");
  CHECK(buffer.look(kStart) == Step::InStep);
  server.follow(buffer);
  CHECK(buffer.text().text() == "one\ntwo\r\nthree\r\nfour");
  CHECK(server.text.text() == buffer.text().text());

  buffer.apply({0, 0, "# Title\n"});
  server.text.apply({0, 0, "# Title\n"});
  tests::rename_into(path, "one\ntwo\r\nthree\r\nfour five");
  CHECK(buffer.write(kStart) == Step::Ahead);
  CHECK(buffer.write(kStart) == Step::InStep);
  server.follow(buffer);
  CHECK(read_file(path) == "# Title\none\ntwo\r\nthree\r\nfour five");
  CHECK(server.text.text() == read_file(path));
}

TEST_CASE("a version that our write displaced is merged and written again") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n\ntwo\n");
  FileResult<DocumentFile> file = DocumentFile::open(path);
  Interference calls;
  file->use_for_tests(calls);
  FileBuffer buffer(*file, "one\n\ntwo\n");
  calls.before_exchange = [&] { tests::rename_into(path, "one\n\ntwo\nthree\n"); };
  buffer.apply({4, 4, "reply\n"});
  CHECK(buffer.write(kStart) == Step::Ahead);
  CHECK(read_file(path) == "one\nreply\n\ntwo\n");
  CHECK(buffer.text().text() == "one\nreply\n\ntwo\nthree\n");
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(read_file(path) == "one\nreply\n\ntwo\nthree\n");
}

TEST_CASE(
    "a write that is undone by a program that had not seen it is done again, within its time "
    "only") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "prompt\n\nnext\n");
  for (const bool in_time : {true, false}) {
    write_file(path, "prompt\n\nnext\n");
    FileBuffer buffer = opened(path);
    buffer.apply({7, 7, "reply\n"});
    CHECK(buffer.write(kStart) == Step::InStep);
    write_file(path, "prompt\n\nnext question\n");
    const TimePoint then =
        kStart + (in_time ? kStaleReadWindow : kStaleReadWindow + std::chrono::seconds(1));
    const Step step = buffer.look(then);
    if (in_time) {
      CHECK(step == Step::Undone);
      CHECK(buffer.write(then) == Step::InStep);
      CHECK(read_file(path) == "prompt\nreply\n\nnext question\n");
    } else {
      CHECK(step == Step::InStep);
      CHECK(buffer.text().text() == "prompt\n\nnext question\n");
    }
  }
}

TEST_CASE(
    "a program that found the file before our write and opens it only afterwards writes into what "
    "came out: it is merged") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "prompt\n\nnext\n");
  FileBuffer buffer = opened(path);
  const process::FileDescriptor found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  const std::string found_path = "/proc/self/fd/" + std::to_string(found.get());
  buffer.apply({7, 7, "reply\n"});
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(buffer.look(kStart) == Step::InStep);
  {
    const process::FileDescriptor writer(
        ::open(found_path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    CHECK(buffer.look(kStart) == Step::BeingWritten);
    REQUIRE(::write(writer.get(), "prompt\n\nnext question\n", 22) == 22);
    CHECK(buffer.write(kStart) == Step::BeingWritten);
  }
  CHECK(buffer.look(kStart) == Step::Ahead);
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(read_file(path) == "prompt\nreply\n\nnext question\n");
  write_file(found_path, "prompt\n\nthe next question\n");
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(read_file(path) == "prompt\nreply\n\nthe next question\n");
  write_file(found_path, "too late");
  CHECK(buffer.look(kStart + kStaleReadWindow + std::chrono::seconds(1)) == Step::InStep);
}

TEST_CASE("what cannot be written stays in the text until it can") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  FileBuffer buffer = opened(path);
  std::filesystem::remove(path);
  buffer.apply({4, 4, "two\n"});
  CHECK(buffer.write(kStart) == Step::Failed);
  CHECK(buffer.problem().kind == FileErrorKind::NotFound);
  CHECK(buffer.look(kStart) == Step::Failed);
  buffer.apply({8, 8, "three\n"});
  CHECK(buffer.text().text() == "one\ntwo\nthree\n");
  write_file(path, "zero\none\n");
  CHECK(buffer.write(kStart) == Step::Ahead);
  CHECK(buffer.write(kStart) == Step::InStep);
  CHECK(read_file(path) == "zero\none\ntwo\nthree\n");
}

// Two programs that know nothing of each other edit one file, reading it, thinking, and writing it
// back; our reply grows in the middle. Every word of everybody is unique, so what is lost or
// doubled shows.
TEST_CASE("seeded: nobody's words are lost, doubled or out of order") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&random](std::size_t below) {
      return static_cast<std::size_t>(random() % below);
    };
    const TemporaryFolder folder(TemporaryFolder::Place::Memory);
    const std::string path = folder / "a.md";
    const std::string start = "above one\n\nabove two\n\n## Assistant\n\n\n\n## User\n\nbelow\n";
    write_file(path, start);
    FileResult<DocumentFile> file = DocumentFile::open(path);
    Interference calls;
    file->use_for_tests(calls);
    FileBuffer buffer(*file, start);
    Follower server{text::TextBuffer(start)};

    std::vector<std::string> reply_words, foreign_words;
    std::string read_by_other = start;
    bool other_has_read = false;
    enum class How { InPlaceOrNot, ByRename };
    const auto other_writes = [&](How how) {
      std::string text = other_has_read ? read_by_other : read_file(path);
      other_has_read = false;
      const std::string word = "f" + std::to_string(foreign_words.size()) + "x";
      foreign_words.push_back(word);
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ' || text[i] == '\n') places.push_back(i);
      }
      text.insert(places[pick(places.size())], pick(2) == 0 ? " " + word : "\n" + word);
      how == How::InPlaceOrNot&& pick(2) == 0 ? write_file(path, text)
                                              : tests::rename_into(path, text);
    };

    TimePoint now = kStart;
    for (int i = 0; i < 40; ++i) {
      now += std::chrono::milliseconds(10);
      switch (pick(4)) {
        case 0: {
          const std::string word = "r" + std::to_string(reply_words.size()) + "x";
          const std::string& text = server.text.text();
          const std::string last = reply_words.empty() ? "Assistant" : reply_words.back();
          const std::size_t at = text.find(last) + last.size();
          const text::Edit own{at, at, (reply_words.empty() || pick(3) == 0 ? "\n" : " ") + word};
          reply_words.push_back(word);
          server.text.apply(own);
          buffer.apply(own);
          if (pick(3) == 0)
            calls.before_exchange = [&] {
              other_writes(How::ByRename);
            };  // in place it would wait for us
          while (buffer.write(now) != Step::InStep) continue;
          break;
        }
        case 1:
          other_writes(How::InPlaceOrNot);
          while (buffer.write(now) != Step::InStep) continue;
          break;
        case 2:
          if (other_has_read) break;
          read_by_other = read_file(path);
          other_has_read = true;
          // Until it writes, only we write: two programs that overwrite each other lose each
          // other's words without us, too.
          break;
        case 3:
          other_writes(How::InPlaceOrNot);
          break;
      }
      server.follow(buffer);
      REQUIRE(server.text.text() == buffer.text().text());
    }
    while (buffer.write(now) != Step::InStep) continue;
    server.follow(buffer);
    const std::string text = read_file(path);
    CHECK(text == server.text.text());
    std::size_t last = 0;
    for (const std::string& word : reply_words) {
      const std::size_t at = text.find(word);
      CHECK(at != std::string::npos);
      CHECK(at >= last);
      CHECK(text.find(word, at + 1) == std::string::npos);
      last = at;
    }
    for (const std::string& word : foreign_words) {
      CAPTURE(word);
      CAPTURE(text);
      CHECK(text.find(word) != std::string::npos);
      CHECK(text.find(word, text.find(word) + 1) == std::string::npos);
    }
    CHECK(folder.names() == std::vector<std::string>{"a.md"});
  }
}

}  // namespace file_buffer_test
}  // namespace agent_doc::file
