// The whole program on a disk that is slow (network file systems, old disks) or that fails. Longer
// delays, in simulated time: unit/cli_slow_disk_test.cpp.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace agent_doc::e2e {

namespace cli_faulty_disk_test {

using tests::read_file;
using tests::write_file;

const std::string kPrompt = "# Title\n\n## User\n\nTell me a story.\n";

std::string reply_of(int deltas) {
  std::string text;
  for (int i = 0; i < deltas; ++i) text += "w" + std::to_string(i) + (i % 12 == 11 ? "\n" : " ");
  return text;
}

/// Behind the front matter, which has ids of its own.
std::string body_of(const std::string& document) {
  const std::size_t title = document.find("# Title");
  return title == std::string::npos ? document : document.substr(title);
}

std::string expected_body(int deltas) {
  return kPrompt + "\n## Assistant\n\n" + reply_of(deltas) + "\n## User\n\n";
}

std::vector<std::filesystem::path> rescued(const Desk& desk) {
  std::vector<std::filesystem::path> files;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(desk.home() + "/state/agent-doc/rescued", ignored))
    files.push_back(entry.path());
  return files;
}

TEST_CASE("a slow disk: the reply is whole, and nobody is said to have changed anything") {
  for (const std::string faults :
       {"fsync=600", "write=900", "exchange=900", "create=300,write=300,fsync=300,exchange=300"}) {
    CAPTURE(faults);
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "300", "--interval-ms", "2"});
    write_file(desk / "a.md", kPrompt);
    RunSettings settings;
    settings.disk_faults = faults;
    CommandRun run(desk, {"run", "a.md"}, settings);
    CHECK(run.wait() == 0);
    CHECK(run.error().empty());
    CHECK(run.out() == reply_of(300));
    CHECK(body_of(read_file(desk / "a.md")) == expected_body(300));
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
    CHECK(rescued(desk).empty());
  }
}

TEST_CASE("a failing disk: the document is as it was, and the whole reply is kept and named") {
  for (const std::string call : {"create", "write", "fsync", "exchange"}) {
    for (const std::string error : {"EIO", "ENOSPC", "EDQUOT"}) {
      CAPTURE(call);
      CAPTURE(error);
      const Desk desk;
      desk.use_agent(REPLAY_AGENT, {"--deltas", "36"});
      write_file(desk / "a.md", kPrompt);
      RunSettings settings;
      settings.disk_faults = call + "=" + error;
      CommandRun run(desk, {"run", "a.md"}, settings);
      CHECK(run.wait() == 1);
      CHECK(read_file(desk / "a.md") == kPrompt);
      CHECK(desk.names() == std::vector<std::string>{"a.md"});
      REQUIRE(rescued(desk).size() == 1);
      CHECK(body_of(read_file(rescued(desk)[0])) == expected_body(36));
      CHECK(run.error().find("agent-doc: a.md cannot be written: ") != std::string::npos);
      CHECK(run.error().find(" Once it can be written: agent-doc recover a.md\n") !=
            std::string::npos);
      CHECK(run.error().ends_with("agent-doc: The document as it should be was kept in " +
                                  rescued(desk)[0].string() + "\n"));

      CommandRun recovery(desk, {"recover", "a.md"});
      CHECK(recovery.wait() == 0);
      CHECK(body_of(read_file(desk / "a.md")) == expected_body(36));
    }
  }
}

TEST_CASE(
    "a disk that confirms nothing, the store's and the rescued files' included: the reply is in "
    "both, and it is said that nothing is "
    "certain") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "36"});
  write_file(desk / "a.md", kPrompt);
  RunSettings settings;
  settings.disk_faults = "fsync=EIO";
  settings.faults_below = std::filesystem::path(desk.docs()).parent_path().string();
  CommandRun run(desk, {"run", "a.md"}, settings);
  CHECK(run.wait() == 1);
  CHECK(read_file(desk / "a.md") == kPrompt);
  REQUIRE(rescued(desk).size() == 1);
  CHECK(body_of(read_file(rescued(desk)[0])) == expected_body(36));
  CHECK(run.error().find("was kept in " + rescued(desk)[0].string() +
                         ", but the disk did not confirm it (Input/output error): copy it to "
                         "another disk now.\n") != std::string::npos);
  CHECK(run.error().find("not recorded") == std::string::npos);
  CommandRun recovery(desk, {"recover", "a.md"});
  CHECK(recovery.wait() == 0);
  CHECK(body_of(read_file(desk / "a.md")) == expected_body(36));
}

}  // namespace cli_faulty_disk_test

}  // namespace agent_doc::e2e
