#include "editors/cli/one_program.hpp"

#include "tests/fakes/scripted_agents.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace agent_doc::cli {
namespace cli_one_program_test {

class Program final : public OneProgram {
 public:
  Program(boost::asio::io_context& io, process::ChildLauncher& launcher)
      : OneProgram(io, std::chrono::seconds(10)) {
    start(launcher, {});
  }
  std::vector<std::string> heard_lines;
  std::string why;
  bool ended_well = false;

 private:
  void heard(std::string_view line) override {
    if (line == "bad") throw std::out_of_range("map::at");
    heard_lines.emplace_back(line);
  }
  void ended(const plugins::ExitStatus&) override { ended_well = true; }
  void broke(const std::string& reason) override { why = reason; }
  void on_limit() override {}
  void not_started(const boost::system::error_code&) override {}
};

TEST_CASE("an exception over a line of a command's program stops that program with a sentence") {
  boost::asio::io_context io;
  fakes::ScriptedLauncher launcher;
  Program program(io, launcher);
  launcher.last().say("good");
  launcher.last().say("bad");
  launcher.last().say("good");
  CHECK(program.heard_lines == std::vector<std::string>{"good"});
  CHECK(program.why ==
        "agent-doc could not go on with what it said (map::at): this is a mistake in agent-doc, "
        "please report it.");
  CHECK(launcher.last().signals == std::vector<std::string>{"stop at once"});
  launcher.last().exit();
  CHECK_FALSE(program.ended_well);
}

}  // namespace cli_one_program_test
}  // namespace agent_doc::cli
