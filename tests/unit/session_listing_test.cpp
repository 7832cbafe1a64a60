// An agent that is started to list its sessions, and whose plugin throws, or says nothing in time.
#include "server/session/session_listing.hpp"
#include "tests/fakes/scripted_agents.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace agent_doc::session_listing_test {

struct World {
  explicit World(const std::string& dialect)
      : listing(
            plugins::AgentSpec{"keeper", dialect, "keeper", {}, {}},
            [this](session::ListedSessions listed) { told.push_back(std::move(listed)); },
            [this] { ++gone; }) {}

  fakes::ScriptedLauncher launcher;
  std::vector<session::ListedSessions> told;
  int gone = 0;
  session::SessionListing listing;
};

TEST_CASE("listing: a dialect that has no such request says so at once, and its agent is stopped") {
  World world("claude");
  CHECK(world.listing.start("/w", world.launcher));
  REQUIRE(world.told.size() == 1);
  CHECK(world.told[0].listing == plugins::Listing::Unsupported);
  CHECK(world.launcher.last().signals == std::vector<std::string>{"stop at once"});
  CHECK_FALSE(world.listing.is_gone());
  world.launcher.last().exit();
  CHECK(world.listing.is_gone());
  CHECK(world.gone == 1);
  CHECK(world.told.size() == 1);
}

TEST_CASE("listing: the first word counts: the end of the time, a stop, the end of the process") {
  World world("acp");
  CHECK(world.listing.start("/w", world.launcher));
  CHECK(world.launcher.last().launch.cwd == "/w");
  SUBCASE("the time is over") {
    world.listing.time_is_over();
    world.listing.time_is_over();
    world.launcher.last().exit();
    REQUIRE(world.told.size() == 1);
    CHECK(world.told[0].listing == plugins::Listing::Failed);
    CHECK(world.told[0].problem ==
          "keeper did not list its sessions within 30 s. `agent-doc doctor keeper` shows what is "
          "wrong.");
  }
  SUBCASE("stopped") {
    world.listing.stop();
    world.listing.time_is_over();
    world.launcher.last().exit();
    CHECK(world.told.empty());
  }
  SUBCASE("gone") {
    world.launcher.last().exit(1);
    world.listing.time_is_over();
    CHECK(world.told.size() == 1);
  }
  CHECK(world.gone == 1);
}

TEST_CASE("listing: what cannot be started tells nothing") {
  World world("acp");
  world.launcher.error =
      boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  CHECK(world.listing.start("/w", world.launcher).error() == world.launcher.error);
  CHECK(world.told.empty());
  CHECK(world.listing.is_gone());
}

}  // namespace agent_doc::session_listing_test
