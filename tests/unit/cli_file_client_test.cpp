#include "tests/fakes/faulty_calls.hpp"
#include "tests/unit/file_client_world.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace agent_doc::cli {

namespace file_client_test {

using namespace std::chrono_literals;
using file_client_fixture::World;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

TEST_CASE("an edit is told back before its answer, and is on the disk with it") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  CHECK(world.shadow.text() == "one\n");
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.version == 2);
  CHECK(world.shadow.text() == "one\ntwo\n");
  CHECK(read_file(path) == "one\ntwo\n");
  CHECK(world.finish() == FileClient::Ending::Written);
}

TEST_CASE("an edit for any other version is refused") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  for (const std::int64_t version : {std::int64_t{0}, world.version - 1, world.version + 1}) {
    std::optional<bool> applied;
    world.send({0, 0, "x"}, version, [&applied](bool outcome) { applied = outcome; });
    world.wait_until([&applied] { return applied.has_value(); });
    CHECK_FALSE(*applied);
  }
  CHECK(read_file(path) == "one\n");
}

TEST_CASE(
    "while it streams the file is written four times a second, the first ones and the end at "
    "once") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "");
  World world(path);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) CHECK(world.append_and_wait(std::to_string(i)));
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(took >= (8 - kWritesAtOnce) * kWriteInterval - 10ms);
  CHECK(took < (8 - 1) * kWriteInterval);

  world.append("8");
  const auto ended = std::chrono::steady_clock::now();
  world.wait_until([&] { return world.shadow.text() == "012345678"; });
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(std::chrono::steady_clock::now() - ended < kWriteInterval);
  CHECK(read_file(path) == "012345678");
}

TEST_CASE("when the turn is over, what is left of the reply does not wait for the pace") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "");
  World world(path);
  std::string expected;
  const auto time_of_appends = [&] {
    const auto began = std::chrono::steady_clock::now();
    for (int edit = 0; edit < 4; ++edit) {
      CHECK(world.append_and_wait("word "));
      expected += "word ";
    }
    return std::chrono::steady_clock::now() - began;
  };
  time_of_appends();  // the first ones do not wait either
  const auto paced = time_of_appends();
  std::optional<bool> answered;
  world.append("held ", [&answered](bool applied) { answered = applied; });
  expected += "held ";
  world.wait_until([&] { return world.shadow.text() == expected; });
  CHECK_FALSE(answered.has_value());
  world.client->stop_pacing();
  world.wait_until([&answered] { return answered.has_value(); });
  CHECK(2 * time_of_appends() < paced);
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(read_file(path) == expected);
}

TEST_CASE("what other programs do is told as changes, also while an edit waits for its turn") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "prompt\n\nnext\n");
  World world(path);
  CHECK(world.append_and_wait("reply one\n"));
  tests::rename_into(path, "title\n" + read_file(path));
  world.wait_until([&] { return world.shadow.text() == "title\nprompt\n\nnext\nreply one\n"; });

  world.append("reply two\n");
  world.wait_until([&] { return world.client->buffer().dirty(); });
  write_file(path, "title\nprompt\n\nnext question\nreply one\n");
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(read_file(path) == "title\nprompt\n\nnext question\nreply one\nreply two\n");
  world.wait_until([&] { return world.shadow.text() == read_file(path); });
  CHECK(world.told.empty());
}

TEST_CASE("a file that is moved away for a moment, as editors save, is no trouble") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::rename(path, path + "~");
  world.append("two\n");
  world.wait_until([&] { return world.client->buffer().dirty(); });
  world.io.run_for(50ms);
  world.io.restart();
  write_file(path, "zero\none\n");
  world.wait_until([&] { return read_file(path) == "zero\none\ntwo\n"; });
  CHECK(world.told.empty());
}

/// Its time passes when the test says so, and it counts how often the file is looked at.
class CountedLooks : public fakes::FaultyCalls {
 public:
  int looks = 0;
  process::FileDescriptor open(const std::string& path) override {
    ++looks;
    return FaultyCalls::open(path);
  }
};

TEST_CASE(
    "a program that writes again and again is no trouble while each of its writes comes to an "
    "end") {
  const TemporaryFolder folder(TemporaryFolder::Place::Memory);
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  CountedLooks calls;
  World world(path, calls);
  const auto hold = [&] {
    return process::FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  };
  process::FileDescriptor program = hold();
  world.append("mine\n");
  std::string written = "one\n";
  for (int line = 0; line < 6; ++line) {
    CAPTURE(line);
    const int looks = calls.looks;
    world.wait_until([&] { return calls.looks >= looks + 2; });
    calls.let_pass(kPatience * 6 / 10);
    const std::string text = "line " + std::to_string(line) + "\n";
    REQUIRE(::write(program.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    written += text;
    program = process::FileDescriptor();
    world.wait_until(
        [&] { return world.client->buffer().text().text().find(text) != std::string::npos; });
    program = hold();  // before the client comes to write
  }
  CHECK(world.told.empty());
  CHECK(read_file(path) == written);
  program = process::FileDescriptor();
  CHECK(world.finish() == FileClient::Ending::Written);
  CHECK(read_file(path) == world.client->buffer().text().text());
  CHECK(read_file(path).find("mine\n") != std::string::npos);
  CHECK(world.told.empty());
}

TEST_CASE("a file that is deleted is told once, the turn goes on, and the text has everything") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::remove(path);
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.append_and_wait("three\n"));
  REQUIRE(world.told.size() == 1);
  CHECK(world.told[0] == path + ": no such file. To begin it: agent-doc new " + path +
                             " The reply goes on here, and writing is tried again.");
  CHECK(world.finish() == FileClient::Ending::NotWritten);
  CHECK(world.client->buffer().text().text() == "one\ntwo\nthree\n");
  CHECK(folder.names().empty());
}

TEST_CASE("a file that comes back gets what it missed") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  World world(path);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  CHECK(world.append_and_wait("two\n"));
  CHECK(world.told.size() == 1);
  std::filesystem::remove(path);
  write_file(path, "one\n");
  world.wait_until([&] { return world.told.size() == 2; });
  CHECK(world.told[1] == path + " is written again; nothing is missing in it.");
  CHECK(read_file(path) == "one\ntwo\n");
  CHECK(world.finish() == FileClient::Ending::Written);
}

}  // namespace file_client_test
}  // namespace agent_doc::cli
