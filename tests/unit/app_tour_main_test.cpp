// The tour as a process of its own: flags, pipes, signals, and its sessions on disk. Each run is a
// real child of the test.
#include "server/app/tour_main.hpp"
#include "server/app/tour_store.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::tour_main_test {

namespace fs = std::filesystem;
namespace json = boost::json;
namespace app = agent_doc::app;
using tests::read_file;
using tests::TemporaryFolder;
using tests::write_file;

constexpr std::string_view kId = "01234567-89ab-4cde-8f01-23456789abcd";
constexpr std::string_view kOtherId = "fedcba98-7654-4210-8fed-cba987654321";

std::string user_line(std::string_view text) {
  return json::serialize(
             json::object{{"type", "user"}, {"message", {{"role", "user"}, {"content", text}}}}) +
         "\n";
}

enum class Speed { Immediate, Watchable };

/// A tour agent in a child process, with all three pipes.
class Process {
 public:
  Process(const fs::path& state, std::vector<std::string> more_flags,
          Speed speed = Speed::Immediate) {
    REQUIRE(::pipe2(in_.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out_.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(err_.data(), O_CLOEXEC) == 0);
    std::vector<std::string> flags{
        "tour-agent",      "-p",          "--input-format", "stream-json",
        "--output-format", "stream-json", "--verbose",      "--include-partial-messages"};
    flags.insert(flags.end(), more_flags.begin(), more_flags.end());
    // What the test has not printed yet must not be printed by the child too.
    std::fflush(nullptr);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) be_the_tour(state, flags, speed);
    for (const int fd : {in_[0], out_[1], err_[1]}) ::close(fd);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    close_input();
    close_output();
    ::close(err_[0]);
  }

  void write(std::string_view text) {
    REQUIRE(::write(in_[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void close_input() { close_once(in_[1]); }
  void close_output() { close_once(out_[0]); }
  void send(int signal) { REQUIRE(::kill(pid_, signal) == 0); }

  /// Until `text` has come.
  void read_until(std::string_view text) {
    while (output_.find(text) == std::string::npos) REQUIRE(read_some(out_[0], output_));
  }
  /// Reads everything that still comes and gives the exit code; a negative one is a signal.
  int finish() {
    while (out_[0] >= 0 && read_some(out_[0], output_)) {
    }
    while (read_some(err_[0], errors_)) {
    }
    int status = 0;
    REQUIRE(::waitpid(pid_, &status, 0) == pid_);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  const std::string& output() const { return output_; }
  const std::string& errors() const { return errors_; }
  std::vector<json::value> lines() const {
    std::vector<json::value> lines;
    for (std::size_t begin = 0; begin < output_.size();) {
      const std::size_t end = output_.find('\n', begin);
      REQUIRE(end != std::string::npos);
      lines.push_back(json::parse(std::string_view(output_).substr(begin, end - begin)));
      begin = end + 1;
    }
    return lines;
  }
  json::object last_line() const {
    const auto all = lines();
    REQUIRE_FALSE(all.empty());
    return all.back().as_object();
  }

 private:
  [[noreturn]] void be_the_tour(const fs::path& state, std::vector<std::string>& flags,
                                Speed speed) {
    ::dup2(in_[0], STDIN_FILENO);
    ::dup2(out_[1], STDOUT_FILENO);
    ::dup2(err_[1], STDERR_FILENO);
    for (const auto& ends : {in_, out_, err_}) {
      ::close(ends[0]);
      ::close(ends[1]);
    }
    ::setenv("XDG_STATE_HOME", state.c_str(), 1);
    ::setenv("AGENT_DOC_TOUR_PACE", speed == Speed::Immediate ? "0" : "", 1);
    std::vector<char*> arguments;
    for (std::string& flag : flags) arguments.push_back(flag.data());
    const int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    ::_exit(app::run_tour_agent(count, arguments.data()));
  }
  static bool read_some(int fd, std::string& into) {
    std::array<char, 4096> piece{};
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got <= 0) return false;
    into.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }
  static void close_once(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }

  std::array<int, 2> in_{};
  std::array<int, 2> out_{};
  std::array<int, 2> err_{};
  pid_t pid_ = -1;
  std::string output_;
  std::string errors_;
};

/// One question, asked and answered; the result's text.
std::string answer_to(const fs::path& state, std::string_view question,
                      const std::vector<std::string>& flags, std::string* session_id = nullptr) {
  Process process(state, flags);
  process.write(user_line(question));
  process.close_input();
  CHECK(process.finish() == 0);
  CHECK(process.errors() == "");
  const json::object result = process.last_line();
  if (session_id != nullptr) *session_id = std::string(result.at("session_id").as_string());
  return std::string(result.at("result").as_string());
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST_CASE("tour process: sessions are kept, resumed and forked") {
  const TemporaryFolder folder;
  const fs::path state = folder / "new/state";
  std::string id;
  answer_to(state, "first question", {}, &id);
  const fs::path file = state / "agent-doc" / "tour" / (id + ".json");
  REQUIRE(fs::exists(file));
  CHECK((fs::status(file).permissions() & fs::perms::mask) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK((fs::status(file.parent_path()).permissions() & fs::perms::mask) == fs::perms::owner_all);

  std::string resumed;
  CHECK(holds(answer_to(state, "history", {"--resume", id}, &resumed),
              "Question 1:\n\n> first question\n"));
  CHECK(resumed == id);

  const std::string before = read_file(file);
  std::string forked;
  CHECK(holds(answer_to(state, "history", {"--resume=" + id, "--fork-session"}, &forked),
              "Question 2:\n\n> history\n"));
  CHECK(forked != id);
  CHECK(read_file(file) == before);
  CHECK(fs::exists(file.parent_path() / (forked + ".json")));

  std::string chosen;
  answer_to(state, "hello",
            {"--resume", id, "--fork-session", "--session-id", std::string(kOtherId)}, &chosen);
  CHECK(chosen == kOtherId);
  CHECK(read_file(file) == before);
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 3);
}

TEST_CASE("tour process: an unknown session is told in the words of the real program") {
  const TemporaryFolder folder;
  for (const std::string& id :
       {std::string(kOtherId), std::string("../../etc/passwd"), std::string("x")}) {
    CAPTURE(id);
    Process process(folder.path(), {"--resume", id});
    CHECK(process.finish() == 1);
    CHECK(process.errors() == "No conversation found with session ID: " + id + "\n");
    REQUIRE(process.lines().size() == 1);
    const json::object result = process.last_line();
    CHECK(result.at("type") == "result");
    CHECK(result.at("subtype") == "error_during_execution");
    CHECK(result.at("is_error").as_bool());
    CHECK(result.at("session_id").as_string() == id);
    CHECK(result.at("errors").at(0).as_string() == "No conversation found with session ID: " + id);
  }
}

TEST_CASE("tour process: a session file that is none of ours is told, and left alone") {
  const TemporaryFolder folder;
  const fs::path file = fs::path(folder / "agent-doc/tour") / (std::string(kId) + ".json");
  fs::create_directories(file.parent_path());
  write_file(file, "garbage");
  Process process(folder.path(), {"--resume", std::string(kId)});
  CHECK(process.finish() == 1);
  CHECK(holds(process.errors(), "cannot be read"));
  CHECK(read_file(file) == "garbage");
}

TEST_CASE("tour process: flags") {
  const TemporaryFolder folder;
  answer_to(folder.path(), "hello",
            {"--session-id", std::string(kId), "--model", "m", "--append-system-prompt", "-p",
             "--permission-prompt-tool", "stdio"});
  const std::vector<std::pair<std::vector<std::string>, std::string_view>> cases{
      {{"--unknown"}, "error: unknown option '--unknown'\n"},
      {{"--model"}, "error: option '--model' needs a value\n"},
      {{"a question"}, "error: the question is read from standard input, not from 'a question'\n"},
      {{"--session-id", "x"}, "Error: Invalid session ID. Must be a valid UUID.\n"},
      {{"--session-id", std::string(kId)},
       "Error: Session ID 01234567-89ab-4cde-8f01-23456789abcd is already in use.\n"},
      {{"--session-id", std::string(kOtherId), "--resume", std::string(kId)},
       "Error: --session-id can only be used with --resume if --fork-session is also specified.\n"},
      {{"--fork-session"}, "Error: --fork-session needs the session to fork: --resume ID.\n"},
      {{"--permission-prompt-tool", "mcp"},
       "Error: --permission-prompt-tool can only be stdio here.\n"},
      {{"--output-format=text"},
       "Error: the tour speaks only with -p --input-format stream-json --output-format "
       "stream-json.\n"},
  };
  for (const auto& [flags, message] : cases) {
    CAPTURE(message);
    Process process(folder.path(), flags);
    CHECK(process.finish() == 1);
    CHECK(process.errors() == message);
    CHECK(process.output().empty());
  }
}

TEST_CASE("tour process: a folder that cannot be written is told, and the reply is whole") {
  const TemporaryFolder folder;
  write_file(folder / "file", "not a folder");
  Process process(folder / "file", {});
  process.write(user_line("hello") + user_line("fork"));
  process.close_input();
  CHECK(process.finish() == 0);
  CHECK(holds(process.errors(), "resuming this session later will not be possible"));
  CHECK(process.errors().find('\n') == process.errors().size() - 1);
  CHECK(process.last_line().at("subtype") == "success");
}

TEST_CASE("tour process: signals") {
  const TemporaryFolder folder;
  Process process(folder.path(), {"--session-id", std::string(kId)}, Speed::Watchable);
  process.write(user_line("something long"));
  process.read_until("thinking_delta");
  SUBCASE("SIGINT: the tail, and the end") {
    process.send(SIGINT);
    CHECK(process.finish() == 0);
    CHECK(process.last_line().at("terminal_reason") == "aborted_streaming");
  }
  SUBCASE("SIGTERM: nothing more") {
    process.send(SIGTERM);
    CHECK(process.finish() == 143);
    CHECK_FALSE(holds(process.output(), "\"terminal_reason\""));
  }
  SUBCASE("SIGHUP: nothing more") {
    process.send(SIGHUP);
    CHECK(process.finish() == 129);
  }
  SUBCASE("SIGKILL: the question was kept all the same") {
    process.send(SIGKILL);
    CHECK(process.finish() == -SIGKILL);
  }
  CHECK(process.errors() == "");
  CHECK(holds(answer_to(folder.path(), "history", {"--resume", std::string(kId)}),
              "Question 1 (its reply did not come to its end):\n\n> something long\n"));
}

TEST_CASE("tour process: when nobody reads its output it ends at once") {
  const TemporaryFolder folder;
  Process process(folder.path(), {}, Speed::Watchable);
  SUBCASE("in a reply") {
    process.write(user_line("something long"));
    process.read_until("\"init\"");
  }
  SUBCASE("between replies") {}
  process.close_output();
  CHECK(process.finish() == 1);
}

TEST_CASE("tour process: a reader that is slow gets everything") {
  const TemporaryFolder folder;
  Process process(folder.path(), {});
  process.write(user_line("something long"));
  process.close_input();
  process.read_until("\"init\"");
  CHECK(process.finish() == 0);
  std::string deltas;
  for (const json::value& line : process.lines()) {
    boost::system::error_code error;
    const json::value* text = line.find_pointer("/event/delta/text", error);
    if (text != nullptr) deltas += text->as_string();
  }
  CHECK(process.last_line().at("result").as_string() == deltas);
}

TEST_CASE("tour process: input without a last newline, and none at all") {
  const TemporaryFolder folder;
  {
    Process process(folder.path(), {});
    std::string line = user_line("hello");
    line.pop_back();
    process.write(line);
    process.close_input();
    CHECK(process.finish() == 0);
    CHECK(process.last_line().at("subtype") == "success");
  }
  {
    Process process(folder.path(), {});
    process.close_input();
    CHECK(process.finish() == 0);
    CHECK(process.output().empty());
  }
  {
    Process process(folder.path(), {});
    process.write("not JSON\n");
    CHECK(process.finish() == 1);
    CHECK(holds(process.errors(), "Error parsing streaming input line (8 bytes)"));
  }
}

TEST_CASE("tour store: without a folder nothing is kept") {
  const app::TourStore store("");
  CHECK(store.save({std::string(kId), "", 0, {}}));
  CHECK_FALSE(store.exists(std::string(kId)));
  CHECK(store.load(std::string(kId)).has_error());
}

TEST_CASE("tour store: a failed replacement leaves the old session and no other file") {
  const TemporaryFolder folder;
  const app::TourStore store(folder / "tour");
  const fs::path in_the_way = fs::path(folder / "tour") / (std::string(kId) + ".json") / "x";
  fs::create_directories(in_the_way);
  CHECK(store.save({std::string(kId), "", 0, {}}));
  CHECK(fs::exists(in_the_way));
  CHECK(std::distance(fs::directory_iterator(folder / "tour"), fs::directory_iterator()) == 1);
}

}  // namespace agent_doc::tour_main_test
