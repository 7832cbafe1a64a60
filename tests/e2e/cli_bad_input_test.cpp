// What goes wrong around a run: every case has its exit code and its sentence, nothing is lost, and
// nothing is left behind.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent_doc::e2e {

namespace cli_bad_input_test {

using tests::read_file;
using tests::write_file;

const std::string kPrompt = "# Title\n\nhello\n";

struct Finished {
  int code;
  std::string out;
  std::string error;
};

Finished finished(const Desk& desk, std::vector<std::string> arguments, RunSettings settings = {}) {
  CommandRun run(desk, std::move(arguments), settings);
  const int code = run.wait();
  return {code, run.out(), run.error()};
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The only file in the folder for rescued texts.
std::string rescued(const Desk& desk) {
  const std::string folder = desk.home() + "/state/agent-doc/rescued";
  REQUIRE(std::filesystem::is_directory(folder));
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path().string());
  REQUIRE(paths.size() == 1);
  return paths.front();
}

}  // namespace cli_bad_input_test

using namespace cli_bad_input_test;  // NOLINT: this file's own names

TEST_CASE("a file that is no document is refused before any agent starts") {
  const Desk desk;
  desk.use_agent(MISBEHAVING_AGENT, {"exit"});
  std::filesystem::create_directory(desk / "folder");
  write_file(desk / "binary.md", std::string("a\0b", 3));
  write_file(desk / "latin1.md", "caf\xe9\n");
  write_file(desk / "large.md", "");
  std::filesystem::resize_file(desk / "large.md", 100 * 1024 * 1024);
  write_file(desk / "secret.md", kPrompt);
  ::chmod((desk / "secret.md").c_str(), 0000);
  write_file(desk / "fixed.md", kPrompt);
  ::chmod((desk / "fixed.md").c_str(), 0444);
  const std::vector<std::string> names = desk.names();

  const std::vector<std::pair<std::string, std::string>> cases = {
      {"missing.md",
       "agent-doc: missing.md: no such file. To begin it: agent-doc new missing.md\n"},
      {"folder",
       "agent-doc: folder is a directory. Name a markdown file, for example folder/notes.md\n"},
      {"binary.md",
       "agent-doc: binary.md is a binary file: there is a NUL byte in line 1. agent-doc works on "
       "text files; check that this is the one "
       "you meant.\n"},
      {"latin1.md",
       "agent-doc: latin1.md is not valid UTF-8: byte 0xE9 in line 1. Convert it first, for "
       "example: iconv -f ISO-8859-1 -t UTF-8\n"},
      {"large.md",
       "agent-doc: large.md is too large: it has 100 MiB, a document may have 64 MiB. Move older "
       "parts of it into another file.\n"},
      {"secret.md",
       "agent-doc: secret.md cannot be read: permission denied. A reply is written through a new "
       "file in the same folder: ls -ld "
       "secret.md " +
           desk.docs() + " shows who may.\n"},
      {"fixed.md",
       "agent-doc: fixed.md cannot be written: permission denied. A reply is written through a new "
       "file in the same folder: ls -ld "
       "fixed.md " +
           desk.docs() + " shows who may.\n"},
  };
  std::filesystem::permissions(desk.home() + "/runtime", std::filesystem::perms::all);
  for (const auto& [file, message] : cases) {
    CAPTURE(file);
    const Finished run = finished(desk, {"run", file}, {.as_nobody = true});
    CHECK(run.code == 2);
    CHECK(run.error == message);
    CHECK(run.out.empty());
  }
  CHECK(finished(desk, {"status", "missing.md"}).code == 2);
  CHECK(finished(desk, {"fork", "missing.md"}).code == 2);
  CHECK(desk.names() == names);
}

TEST_CASE("documents of every shape keep their bytes, and get the reply in their own line ends") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hello", "\n"},
      {"hello\n", "\n"},
      {"# Title\r\n\r\nhello\r\n", "\r\n"},
      {"# Title\r\rhello\r", "\r"},
      {"\xef\xbb\xbf# BOM\n\nhello\n", "\n"},
      {"---\nkey: [broken\n\tmore: {\n---\n\nhello\n", "\n"},
      {"---\nnever closed\n\nhello\n", "\n"},
  };
  for (const auto& [text, line_end] : cases) {
    CAPTURE(text);
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "13"});
    write_file(desk / "a.md", text);
    const Finished run = finished(desk, {"run", "a.md"});
    CHECK(run.code == 0);
    CHECK(run.out == "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11\nw12 \n");
    const std::string after = read_file(desk / "a.md");
    CHECK(contains(after, line_end + "w0 w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11" + line_end + "w12"));
    CHECK(contains(after, "hello"));
    const std::string last_line = text.substr(text.find("hello"));
    CHECK(contains(after, last_line));
  }
}

TEST_CASE("agents that fail in every way are told, and the document keeps its prompt") {
  struct Case {
    std::vector<std::string> agent;
    int code;
    std::string_view told;
  };
  const std::vector<Case> cases = {
      {{MISBEHAVING_AGENT, "exit"}, 1, "last words"},
      {{MISBEHAVING_AGENT, "exit", "0"}, 1, "agent-doc: fake in a.md: "},
      {{"no-such-program-anywhere"}, 5, "no-such-program-anywhere"},
      {{"/etc/passwd"}, 5, "/etc/passwd"},
  };
  for (const Case& bad : cases) {
    CAPTURE(bad.agent.back());
    const Desk desk;
    write_file(desk / "a.md", kPrompt);
    desk.use_agent(bad.agent.front(), {bad.agent.begin() + 1, bad.agent.end()});
    const Finished run = finished(desk, {"run", "a.md"});
    CHECK(run.code == bad.code);
    CHECK(contains(run.error, "agent-doc: "));
    CHECK(contains(run.error, bad.told));
    CHECK(run.out.empty());
    CHECK(contains(read_file(desk / "a.md"), kPrompt));
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE(
    "agents that print garbage or nothing can be stopped, and nothing of it reaches the document") {
  for (const std::string mode : {"garbage", "silent", "deaf"}) {
    CAPTURE(mode);
    const Desk desk;
    write_file(desk / "a.md", kPrompt);
    desk.use_agent(MISBEHAVING_AGENT, {mode});
    CommandRun run(desk, {"run", "a.md", "--verbose"});
    REQUIRE(run.wait_until([&] { return contains(run.error(), "fake: "); }));
    run.signal(SIGINT);
    CHECK(run.wait() == 130);
    CHECK(run.out().empty());
    CHECK(contains(read_file(desk / "a.md"), kPrompt));
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE("an agent that is not known is told, and has an exit code of its own") {
  const Desk desk;
  write_file(desk / "a.md", kPrompt);
  const Finished run = finished(desk, {"run", "a.md", "--agent", "nobody"});
  CHECK(run.code == 5);
  CHECK(run.error ==
        "agent-doc: there is no agent called nobody: `agent-doc agents` lists all of them\n");
  const Finished mistyped = finished(desk, {"run", "a.md", "--agent", "cluade"});
  CHECK(mistyped.code == 5);
  CHECK(mistyped.error ==
        "agent-doc: there is no agent called cluade: did you mean claude? `agent-doc agents` lists "
        "all of them\n");
  CHECK(read_file(desk / "a.md") == kPrompt);
}

TEST_CASE("without a new question there is nothing to send") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  write_file(desk / "a.md", kPrompt);
  CHECK(finished(desk, {"run", "a.md"}).code == 0);
  const std::string after = read_file(desk / "a.md");
  const Finished again = finished(desk, {"run", "a.md"});
  CHECK(again.code == 3);
  CHECK(again.error.starts_with("agent-doc: "));
  CHECK(read_file(desk / "a.md") == after);
  write_file(desk / "empty.md", "");
  CHECK(finished(desk, {"run", "empty.md"}).code == 3);
  CHECK(read_file(desk / "empty.md").empty());
}

TEST_CASE("a second run in the same document is refused while the first one goes on") {
  const Desk desk;
  desk.use_agent(MISBEHAVING_AGENT, {"silent"});
  write_file(desk / "a.md", kPrompt);
  std::filesystem::create_symlink("a.md", desk / "link.md");
  CommandRun first(desk, {"run", "a.md", "--verbose"});
  REQUIRE(first.wait_until([&] { return contains(first.error(), "fake: "); }));
  for (const std::string name : {"a.md", "link.md"}) {
    const Finished second = finished(desk, {"run", name});
    CHECK(second.code == 4);
    CHECK(second.error == "agent-doc: " + name +
                              " is busy: another agent-doc runs in it. Wait until that reply is "
                              "complete, or stop it there (Ctrl-C).\n");
  }
  CHECK(contains(finished(desk, {"status", "a.md"}).out, "running   yes\n"));
  first.signal(SIGINT);
  CHECK(first.wait() == 130);
  CHECK(contains(finished(desk, {"status", "a.md"}).out, "running   no\n"));
}

TEST_CASE(
    "a disk that gets full while the reply comes: the old text is whole, the reply is on standard "
    "output, and the document is kept "
    "elsewhere") {
  const Desk desk;
  const std::string disk = desk / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0)
    return;  // only root can make a small disk; the next case is for everybody
  desk.use_agent(REPLAY_AGENT, {"--deltas", "4008"});
  write_file(disk + "/a.md", kPrompt);
  const Finished run = finished(desk, {"run", "disk/a.md"});
  const std::string on_disk = read_file(disk + "/a.md");
  const std::vector<std::filesystem::path> left{std::filesystem::directory_iterator(disk),
                                                std::filesystem::directory_iterator()};
  REQUIRE(::umount2(disk.c_str(), MNT_DETACH) == 0);

  CHECK(run.code == 1);
  CHECK(contains(run.error,
                 "agent-doc: disk/a.md cannot be written: No space left on device. The file is as "
                 "it was; make room in " +
                     disk));
  CHECK(run.out.starts_with("w0 w1 "));
  CHECK(run.out.ends_with("w4007\n"));
  CHECK(contains(on_disk, kPrompt));
  CHECK(left.size() == 1);
  const std::string path = rescued(desk);
  CHECK(contains(run.error, "The document as it should be was kept in " + path));
  CHECK(contains(read_file(path), kPrompt));
  CHECK(contains(read_file(path), "w4007\n"));
}

TEST_CASE("no file may grow: then the document follows on standard output") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "4008"});
  write_file(desk / "a.md", kPrompt);
  const Finished run = finished(desk, {"run", "a.md"}, {.file_size_limit = 4096});
  CHECK(run.code == 1);
  CHECK(contains(run.error,
                 "agent-doc: a.md cannot be written: File too large. The file is as it was"));
  CHECK(contains(run.error, "so it follows here."));
  CHECK(run.out.starts_with("w0 w1 "));
  CHECK(contains(run.out, "w4007\n---\nagent_doc_session: "));
  CHECK(contains(read_file(desk / "a.md"), kPrompt));
  CHECK(desk.names() == std::vector<std::string>{"a.md"});
}

TEST_CASE(
    "a document that is deleted while the reply comes: told, the reply is shown and kept, and the "
    "file stays deleted") {
  for (const bool folder_instead : {false, true}) {
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "1000", "--interval-ms", "2"});
    write_file(desk / "a.md", kPrompt);
    CommandRun run(desk, {"run", "a.md"});
    REQUIRE(run.wait_until([&] { return contains(read_file(desk / "a.md"), "w100 "); }));
    std::filesystem::remove(desk / "a.md");
    if (folder_instead) std::filesystem::create_directory(desk / "a.md");
    CHECK(run.wait() == 1);
    CHECK(contains(run.error(), folder_instead ? "agent-doc: a.md is a directory."
                                               : "agent-doc: a.md: no such file."));
    CHECK(run.out().starts_with("w0 w1 "));
    CHECK(contains(run.out(), "w999"));
    const std::string kept = read_file(rescued(desk));
    CHECK(contains(kept, kPrompt));
    CHECK(contains(kept, "w999"));
    CHECK(desk.names() ==
          (folder_instead ? std::vector<std::string>{"a.md"} : std::vector<std::string>{}));
  }
}

TEST_CASE(
    "the place of the reply is deleted: it stays deleted, and the whole reply is kept elsewhere") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "1000", "--interval-ms", "4"});
  write_file(desk / "a.md", kPrompt);
  CommandRun run(desk, {"run", "a.md"});
  // So late that nobody can have read the file before the reply began, and only now write it back.
  REQUIRE(run.wait_until([&] { return contains(read_file(desk / "a.md"), "w700 "); }));
  const std::string text = read_file(desk / "a.md");
  tests::rename_into(desk / "a.md", text.substr(0, text.find("## Assistant")));
  CHECK(run.wait() == 1);
  CHECK(contains(
      run.error(),
      "agent-doc: The reply is not in a.md as a whole: its place there was changed meanwhile."));
  CHECK(read_file(desk / "a.md").find("w900") == std::string::npos);
  CHECK(contains(read_file(desk / "a.md"), kPrompt));
  const std::string kept = read_file(rescued(desk));
  CHECK(kept.starts_with("w0 w1 "));
  CHECK(contains(kept, "w999"));
}

}  // namespace agent_doc::e2e
