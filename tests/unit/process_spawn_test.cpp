#include "server/process/spawn.hpp"

#include "server/process/child.hpp"
#include "server/process/launch_error.hpp"
#include "server/process/process_tree.hpp"
#include "tests/unit/process_fixture.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace agent_doc::process {

namespace spawn_test {

using process_test::children_of_this_process;
using process_test::status_field;
using process_test::TemporaryFolder;
using process_test::write_file;

std::string read_until_end(const FileDescriptor& pipe) {
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t count = 0; (count = ::read(pipe.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(count));
  return text;
}

std::string output_of(const SpawnRequest& request) {
  boost::system::result<Spawned> spawned = spawn(request, Output::Piped);
  REQUIRE(spawned.has_value());
  spawned->stdin_pipe = FileDescriptor();
  const std::string text = read_until_end(spawned->stdout_pipe);
  int status = 0;
  REQUIRE(::waitpid(spawned->pid, &status, 0) == spawned->pid);
  CHECK(status == 0);
  return text;
}

SpawnRequest shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}, {}, {}};
}

void make_executable(const std::string& path) {
  REQUIRE(::chmod(path.c_str(), 0755) == 0);
}

TEST_CASE("spawn: the child has nothing of ours but what it should") {
  const FileDescriptor inheritable(::open("/etc/hostname", O_RDONLY));
  const FileDescriptor far_away(::fcntl(inheritable.get(), F_DUPFD, 500));
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGUSR2, SIG_IGN);
  sigset_t blocked, before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);

  boost::system::result<Spawned> cat = spawn({"/bin/cat", {}, {}, {}}, Output::Piped);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGUSR2, SIG_DFL);
  REQUIRE(cat.has_value());
  // It runs its own code, not the loader's, when it has answered.
  REQUIRE(::write(cat->stdin_pipe.get(), "x", 1) == 1);
  char answer = 0;
  REQUIRE(::read(cat->stdout_pipe.get(), &answer, 1) == 1);

  std::set<std::string> descriptors;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(cat->pid) + "/fd"))
    descriptors.insert(entry.path().filename());
  CHECK(descriptors == std::set<std::string>{"0", "1", "2"});

  constexpr std::uint64_t kInternalSignals = 0x180000000;  // 32 and 33 belong to glibc
  CHECK((std::stoull(status_field(cat->pid, "SigIgn"), nullptr, 16) & ~kInternalSignals) == 0);
  CHECK(std::stoull(status_field(cat->pid, "SigBlk"), nullptr, 16) == 0);
  CHECK(::getpgid(cat->pid) == cat->pid);
  CHECK(::getsid(cat->pid) == cat->pid);
  for (const FileDescriptor* ours : {&cat->stdin_pipe, &cat->stdout_pipe, &cat->stderr_pipe})
    CHECK((::fcntl(ours->get(), F_GETFD) & FD_CLOEXEC) != 0);

  cat->stdin_pipe = FileDescriptor();
  CHECK(::waitpid(cat->pid, nullptr, 0) == cat->pid);
}

TEST_CASE("spawn: arguments, environment and folder arrive as they are") {
  const TemporaryFolder folder;
  ::setenv("AGENT_DOC_TEST_INHERITED", "from outside", 1);
  ::setenv("AGENT_DOC_TEST_CHANGED", "old", 1);
  SpawnRequest request = shell(
      "printf '%s|' \"$@\" \"$AGENT_DOC_TEST_INHERITED\" \"$AGENT_DOC_TEST_CHANGED\" \"$NEW\"; pwd "
      "-P");
  for (const char* arg : {"name", "two words", "", "$HOME `id` \"'\\", "\xE2\x82\xAC\n"})
    request.args.emplace_back(arg);
  request.env = {{"AGENT_DOC_TEST_CHANGED", "new=value"}, {"NEW", ""}};
  request.cwd = folder.path();
  CHECK(output_of(request) ==
        "two words||$HOME `id` \"'\\|\xE2\x82\xAC\n|from outside|new=value||" +
            std::filesystem::canonical(folder.path()).string() + "\n");
  ::unsetenv("AGENT_DOC_TEST_INHERITED");
  ::unsetenv("AGENT_DOC_TEST_CHANGED");
}

TEST_CASE("spawn: discarded output goes nowhere and needs no pipe") {
  boost::system::result<Spawned> spawned =
      spawn(shell("echo lost; readlink /proc/$$/fd/1 >&2; test /proc/$$/fd/1 -ef /dev/null"),
            Output::Discarded);
  REQUIRE(spawned.has_value());
  CHECK(!spawned->stdout_pipe.is_open());
  CHECK(!spawned->stderr_pipe.is_open());
  int status = 1;
  CHECK(::waitpid(spawned->pid, &status, 0) == spawned->pid);
  CHECK(status == 0);
}

TEST_CASE("spawn: every error says what is wrong and leaves nothing behind") {
  const TemporaryFolder folder;
  write_file(folder / "plain", "no program");
  write_file(folder / "script", "#!/nowhere/interpreter\n");
  make_executable(folder / "script");
  namespace errc = boost::system::errc;
  struct Case {
    const char* name;
    SpawnRequest request;
    errc::errc_t condition;
    LaunchError error;
  };
  const Case cases[] = {
      {"missing program",
       {"/nowhere/agent", {}, {}, {}},
       errc::no_such_file_or_directory,
       LaunchError::CommandNotFound},
      {"below a file",
       {(folder / "plain/agent"), {}, {}, {}},
       errc::no_such_file_or_directory,
       LaunchError::CommandNotFound},
      {"no name", {"", {}, {}, {}}, errc::no_such_file_or_directory, LaunchError::CommandNotFound},
      {"not executable",
       {(folder / "plain"), {}, {}, {}},
       errc::permission_denied,
       LaunchError::CommandNotExecutable},
      {"a folder",
       {folder.path(), {}, {}, {}},
       errc::permission_denied,
       LaunchError::CommandNotExecutable},
      {"no interpreter",
       {(folder / "script"), {}, {}, {}},
       errc::no_such_file_or_directory,
       LaunchError::InterpreterMissing},
      {"missing folder",
       {"/bin/cat", {}, {}, (folder / "missing")},
       errc::no_such_file_or_directory,
       LaunchError::FolderMissing},
      {"folder is a file",
       {"/bin/cat", {}, {}, (folder / "plain")},
       errc::not_a_directory,
       LaunchError::FolderNotAFolder},
      {"long argument",
       {"/bin/cat", {std::string(200'000, 'x')}, {}, {}},
       errc::argument_list_too_long,
       LaunchError::TooLong},
      {"NUL in an argument",
       {"/bin/cat", {std::string("a\0b", 3)}, {}, {}},
       errc::invalid_argument,
       LaunchError::NulByte},
      {"wrong variable",
       {"/bin/cat", {}, {{"A=B", "c"}}, {}},
       errc::invalid_argument,
       LaunchError::NulByte},
  };
  const std::size_t descriptors = process_test::open_descriptors();
  const auto children = children_of_this_process();
  std::set<std::string> messages;
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const boost::system::result<Spawned> spawned = spawn(one.request, Output::Piped);
    REQUIRE(spawned.has_error());
    CHECK(spawned.error() == errc::make_error_condition(one.condition));
    CHECK(spawned.error() == make_error_code(one.error));
    messages.insert(spawned.error().message());
  }
  CHECK(messages.size() == 7);
  CHECK(process_test::open_descriptors() == descriptors);
  CHECK(children_of_this_process() == children);
}

TEST_CASE("find_executable: as a shell, but never from a relative folder") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "first");
  std::filesystem::create_directory(folder / "second");
  std::filesystem::create_directory(folder / "first/agent");
  write_file(folder / "first/plain", "");
  for (const char* name : {"second/agent", "second/plain"}) {
    write_file((folder / name), "");
    make_executable((folder / name));
  }
  const std::string path =
      (folder / "missing") + ':' + (folder / "first") + ':' + (folder / "second");
  CHECK(find_executable("agent", path) == (folder / "second/agent"));
  CHECK(find_executable("plain", path) == (folder / "second/plain"));
  CHECK(find_executable("other", path).empty());
  CHECK(find_executable("", path).empty());
  CHECK(find_executable(folder / "second/agent", "") == (folder / "second/agent"));
  CHECK(find_executable(folder / "first/plain", path).empty());

  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "second");
  CHECK(find_executable("agent", ":.:../second").empty());
  CHECK(std::filesystem::equivalent(find_executable("./agent", ""), (folder / "second/agent")));
  CHECK(find_executable("./agent", "").starts_with('/'));
  std::filesystem::current_path(before);
}

}  // namespace spawn_test

}  // namespace agent_doc::process
