// What it is: the agent that CONTRIBUTING.md shows how to add: it is written there as it is
// compiled here, and it works.
// What it is not: an agent that there is.
#include "tests/unit/protocol_host.hpp"
#include "tests/unit/temporary_folder.hpp"

#include "plugins/registry.hpp"
#include "plugins/system_note.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace agent_doc::plugins {
std::unique_ptr<AgentProtocol> make_echo_bot(const AgentSpec& spec);
}

using namespace agent_doc;
using tests::ProtocolHost;
using tests::Told;

TEST_CASE("the example of CONTRIBUTING.md is the agent that is tested here") {
  const std::string contributing = tests::read_file(AGENT_DOC_SOURCE_DIR "/CONTRIBUTING.md");
  const std::string example = tests::read_file(AGENT_DOC_SOURCE_DIR "/tests/fakes/echo_bot.cpp");
  REQUIRE_FALSE(example.empty());
  CHECK(contributing.find("```cpp\n" + example + "```\n") != std::string::npos);
}

TEST_CASE("the example of CONTRIBUTING.md streams, ends, fails and is stopped") {
  const plugins::AgentSpec spec{"echo-bot", "echo-bot", "echo-bot", {}, {}};
  const auto host = [&spec](const plugins::LaunchRequest& request) {
    auto protocol = plugins::make_echo_bot(spec);
    const plugins::Launch launch = protocol->launch(request);
    return std::pair(std::make_unique<ProtocolHost>(std::move(protocol)), launch);
  };
  const auto [good, launch] = host({plugins::SessionStart::Resume, "s-1", "small", "/w"});
  CHECK(launch.args == Told{"answer", "--json", "--model", "small", "--session", "s-1"});
  CHECK(launch.lifetime == plugins::ProcessLifetime::Turn);
  good->protocol->begin_turn({"Hello"}, *good);
  CHECK(good->written() == Told{"Hello", "(closed)"});
  CHECK(good->line(R"({"id":"s-1"})") == Told{"session s-1 small"});
  CHECK(good->line(R"({"say":"Hel"})") == Told{"text answer#0 'Hel'"});
  CHECK(good->line(R"({"say":"lo"} {"what":1})") ==
        Told{"text answer#0 'lo'", "unrecognised (no known field)"});
  CHECK(good->line(R"({"done":true})").empty());
  CHECK(good->exit({}) == Told{"done ''"});

  const auto [bad, unused] = host({});
  bad->begin();
  bad->line(R"({"error":"fetch failed"})");
  CHECK(
      bad->exit({1, 0, ""}) ==
      Told{"failure 3 echo-bot: fetch failed. Check the connection, then run again.", "failed ''"});

  const auto [stopped, unused_too] = host({});
  stopped->begin();
  stopped->protocol->cancel(*stopped);
  CHECK(stopped->written() == Told{"(signal)"});
  CHECK(stopped->exit({0, 2, ""}) == Told{"cancelled ''"});
}
