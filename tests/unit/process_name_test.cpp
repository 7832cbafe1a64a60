#include "server/process/process_name.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace process_name_test {

using namespace agent_doc::process;

TEST_CASE("process names: a process has one while it runs") {
  const std::string own = name_of_process(::getpid());
  CHECK(own.starts_with(std::to_string(::getpid()) + "-"));
  CHECK(own == name_of_process(::getpid()));
  CHECK(is_running(own));

  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string name = name_of_process(child);
  CHECK(is_running(name));
  REQUIRE(::kill(child, SIGKILL) == 0);
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  CHECK_FALSE(is_running(name));  // not reaped yet
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  CHECK_FALSE(is_running(name));
  CHECK(name_of_process(child).empty());
}

TEST_CASE("process names: another process of the same number, another boot, and what is no name") {
  const std::string own = name_of_process(::getpid());
  const std::size_t dash = own.find('-');
  CHECK_FALSE(is_running(own.substr(0, dash) + "-1" + own.substr(own.find('-', dash + 1))));
  CHECK_FALSE(is_running(own + "x"));
  CHECK_FALSE(is_running(""));
  CHECK_FALSE(is_running("x"));
  CHECK_FALSE(is_running("-1"));
  CHECK_FALSE(is_running("0"));
}

}  // namespace process_name_test
