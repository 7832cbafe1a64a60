#include "server/file/session_leases.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace file_session_leases_test {

using namespace agent_doc::file;
using agent_doc::tests::TemporaryFolder;

std::variant<SessionLeaseFile, SessionLeaseHolder> lease(const TemporaryFolder& folder,
                                                         const std::string& session,
                                                         const std::string& document) {
  auto outcome = lease_session(folder / "leases", session, document);
  REQUIRE(outcome.has_value());
  return std::move(*outcome);
}

TEST_CASE("leases: one at a time has a session; who comes hears who has it") {
  const TemporaryFolder folder;
  {
    const auto first = lease(folder, "claude s-1", "/w/a file.md");
    REQUIRE(std::holds_alternative<SessionLeaseFile>(first));
    CHECK(std::get<SessionLeaseFile>(first).uses == 1);
    const auto second = lease(folder, "claude s-1", "/w/b.md");
    REQUIRE(std::holds_alternative<SessionLeaseHolder>(second));
    CHECK(std::get<SessionLeaseHolder>(second).pid == ::getpid());
    CHECK(std::get<SessionLeaseHolder>(second).path == "/w/a file.md");
    CHECK(std::holds_alternative<SessionLeaseFile>(lease(folder, "claude s-2", "/w/b.md")));
    CHECK(std::holds_alternative<SessionLeaseFile>(lease(folder, "codex s-1", "/w/b.md")));
  }
  const auto later = lease(folder, "claude s-1", "/w/b.md");
  REQUIRE(std::holds_alternative<SessionLeaseFile>(later));
  CHECK(std::get<SessionLeaseFile>(later).uses == 2);
}

TEST_CASE("leases: a process that is killed holds nothing any more") {
  const TemporaryFolder folder;
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto held = lease_session(folder / "leases", "claude s-1", "/w/doc.md");
    const char said = held.has_value() ? 'y' : 'n';
    if (::write(pipe[1], &said, 1) == 1) ::pause();
    ::_exit(1);
  }
  char said = 0;
  REQUIRE(::read(pipe[0], &said, 1) == 1);
  CHECK(said == 'y');
  const auto refused = lease(folder, "claude s-1", "/w/other.md");
  REQUIRE(std::holds_alternative<SessionLeaseHolder>(refused));
  CHECK(std::get<SessionLeaseHolder>(refused).pid == child);
  CHECK(std::get<SessionLeaseHolder>(refused).path == "/w/doc.md");
  REQUIRE(::kill(child, SIGKILL) == 0);
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  const auto after = lease(folder, "claude s-1", "/w/other.md");
  REQUIRE(std::holds_alternative<SessionLeaseFile>(after));
  CHECK(std::get<SessionLeaseFile>(after).uses == 2);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_CASE("leases: what was not written whole counts as never used") {
  const TemporaryFolder folder;
  { CHECK(std::get<SessionLeaseFile>(lease(folder, "claude s-1", "/w/a.md")).uses == 1); }
  for (const auto& entry : std::filesystem::directory_iterator(folder / "leases"))
    agent_doc::tests::write_file(entry.path().string(), "7 12 /w/a");
  CHECK(std::get<SessionLeaseFile>(lease(folder, "claude s-1", "/w/a.md")).uses == 1);
}

TEST_CASE("leases: a folder that cannot be made is an error") {
  const TemporaryFolder folder;
  agent_doc::tests::write_file(folder / "leases", "a file");
  CHECK(lease_session(folder / "leases/deeper", "claude s-1", "/w/a.md").has_error());
}

}  // namespace file_session_leases_test
