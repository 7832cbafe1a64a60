// A slow disk under the file client, in simulated time: whatever our own calls take, the reply gets
// into the text and into the file.
#include "server/file/file_buffer.hpp"
#include "tests/fakes/faulty_calls.hpp"
#include "tests/unit/file_client_world.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <vector>

namespace agent_doc::cli {

namespace slow_disk_test {

using namespace std::chrono_literals;
using fakes::DiskCall;
using fakes::FaultyCalls;
using file_client_fixture::World;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;
using Step = file::FileBuffer::Step;

file::FileBuffer opened(const std::string& path, FaultyCalls& calls) {
  file::FileResult<file::DocumentFile> file = file::DocumentFile::open(path);
  REQUIRE(file.has_value());
  file->use_for_tests(calls);
  return file::FileBuffer(*file, *file->read());
}

TEST_CASE(
    "slow disk: however long each call takes, the end of a turn waits for none of it and the file "
    "has everything") {
  for (const std::chrono::milliseconds delay : {500ms, 2000ms, 10'000ms}) {
    for (const DiskCall slow : fakes::kDiskCalls) {
      CAPTURE(delay.count());
      CAPTURE(static_cast<int>(slow));
      const TemporaryFolder folder(TemporaryFolder::Place::Memory);
      const std::string path = folder / "a.md";
      write_file(path, "prompt\n");
      FaultyCalls calls;
      calls.delays[slow] = delay;
      calls.can_exchange = slow != DiskCall::Rename;
      World world(path, calls);
      CHECK(world.append_and_wait("one\n"));
      // By the pace this one would wait for four times what the first write took.
      int answered = 0;
      world.append("two\n", [&answered](bool applied) { answered += applied ? 1 : 0; });
      world.wait_until([&] { return world.client->buffer().dirty(); });
      world.client->stop_pacing();
      world.wait_until([&] { return answered == 1; });
      const std::size_t writes = calls.made.size();
      for (int i = 0; i < 20; ++i) CHECK(world.append_and_wait(std::to_string(i) + "\n"));
      CHECK(calls.made.size() == writes);
      // What another program does meanwhile is merged all the same.
      tests::rename_into(path, "title\n" + read_file(path));
      CHECK(world.finish() == FileClient::Ending::Written);
      std::string reply = "one\ntwo\n";
      for (int i = 0; i < 20; ++i) reply += std::to_string(i) + "\n";
      CHECK(read_file(path) == "title\nprompt\n" + reply);
      world.wait_until([&] { return world.shadow.text() == read_file(path); });
      CHECK(world.told.empty());
      CHECK(folder.names() == std::vector<std::string>{"a.md"});
    }
  }
}

TEST_CASE(
    "slow disk: what came out of an exchange counts from its end, not from when the write began") {
  const TemporaryFolder folder(TemporaryFolder::Place::Memory);
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  FaultyCalls calls;
  calls.delays[DiskCall::SyncFile] = 10s;
  calls.delays[DiskCall::SyncFolder] = 10s;
  file::FileBuffer buffer = opened(path, calls);
  // It found the file before our write, and writes into it when no name leads there any more.
  const process::FileDescriptor found(::open(path.c_str(), O_PATH | O_CLOEXEC));
  buffer.apply({4, 4, "two\n"});
  CHECK(buffer.write(calls.now()) == Step::InStep);
  write_file("/proc/self/fd/" + std::to_string(found.get()), "zero\none\n");
  CHECK(buffer.look(calls.now()) == Step::Ahead);
  CHECK(buffer.text().text() == "zero\none\ntwo\n");
  CHECK(buffer.write(calls.now()) == Step::InStep);
  CHECK(read_file(path) == "zero\none\ntwo\n");
}

TEST_CASE(
    "slow disk: time that our own attempts take does not count against a program that is in the "
    "middle of writing") {
  const TemporaryFolder folder(TemporaryFolder::Place::Memory);
  const std::string path = folder / "a.md";
  write_file(path, "one\n");
  FaultyCalls calls;
  calls.delays[DiskCall::SyncFile] = 10s;
  World world(path, calls);
  CHECK(world.append_and_wait("two\n"));
  world.client->stop_pacing();
  CHECK(world.append_and_wait("three\n"));
  process::FileDescriptor writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  std::optional<FileClient::Ending> ending;
  const std::size_t before = calls.made.size();
  world.client->finish([&ending](FileClient::Ending outcome) { ending = outcome; });
  // Three attempts of 10 s each, and it is still there.
  world.wait_until([&] { return ending || calls.made.size() >= before + 9; });
  CHECK_FALSE(ending.has_value());
  writer = process::FileDescriptor();
  world.wait_until([&] { return ending.has_value(); });
  CHECK(*ending == FileClient::Ending::Written);
  CHECK(read_file(path) == "one\ntwo\nthree\n");
}

TEST_CASE("disk: the text is synced before it gets the name, and the folder after") {
  const TemporaryFolder folder(TemporaryFolder::Place::Memory);
  const std::string path = folder / "a.md";
  for (const bool can_exchange : {true, false}) {
    write_file(path, "one\n");
    FaultyCalls calls;
    calls.can_exchange = can_exchange;
    file::FileBuffer buffer = opened(path, calls);
    buffer.apply({4, 4, "two\n"});
    CHECK(buffer.write(calls.now()) == Step::InStep);
    const DiskCall naming = can_exchange ? DiskCall::Exchange : DiskCall::Rename;
    CHECK(calls.made == std::vector<DiskCall>{DiskCall::Create, DiskCall::Write, DiskCall::SyncFile,
                                              naming, DiskCall::SyncFolder});
  }
}

TEST_CASE(
    "failing disk: the file is as it was, nothing is left beside it, and the text has everything "
    "until it can be written") {
  for (const int error : {EIO, ENOSPC, EDQUOT}) {
    for (const DiskCall failing : fakes::kDiskCalls) {
      CAPTURE(error);
      CAPTURE(static_cast<int>(failing));
      const TemporaryFolder folder(TemporaryFolder::Place::Memory);
      const std::string path = folder / "a.md";
      write_file(path, "one\n");
      FaultyCalls calls;
      calls.errors[failing] = error;
      calls.can_exchange = failing != DiskCall::Rename;
      file::FileBuffer buffer = opened(path, calls);
      buffer.apply({4, 4, "two\n"});
      const bool undoes_nothing = failing == DiskCall::SyncFolder;
      CHECK(buffer.write(calls.now()) == (undoes_nothing ? Step::InStep : Step::Failed));
      CHECK(read_file(path) == (undoes_nothing ? "one\ntwo\n" : "one\n"));
      CHECK(folder.names() == std::vector<std::string>{"a.md"});
      CHECK(buffer.text().text() == "one\ntwo\n");
      if (!undoes_nothing) {
        CHECK(buffer.problem().kind ==
              (error == EIO ? file::FileErrorKind::Failed : file::FileErrorKind::NoSpace));
        CHECK(buffer.problem().message.starts_with(path + " cannot be written: "));
      }
      calls.errors.clear();
      CHECK(buffer.write(calls.now()) == Step::InStep);
      CHECK(read_file(path) == "one\ntwo\n");
    }
  }
}

}  // namespace slow_disk_test

}  // namespace agent_doc::cli
