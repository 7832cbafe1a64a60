// What it is: an agent that is started for nothing but to say which sessions it keeps for a folder,
// until it has said so and is gone.
// What it is not: it knows no clock: the owner says when the time is over. No session is begun, no
// file is read or written, every question is answered with no. No exception of the agent's plugin
// leaves it.
// Thread rule: not thread-safe; one thread. Must not be destroyed from inside `told` or `gone`.
#pragma once

#include "server/session/agent_link.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::session {

/// Some agents take seconds to begin, and read all their sessions then.
inline constexpr std::chrono::seconds kListLimit{30};

struct ListedSessions {
  plugins::Listing listing = plugins::Listing::Failed;
  std::vector<plugins::KeptSession>
      sessions;         ///< as the agent gave them, hostile; see put_in_order()
  std::string problem;  ///< of Failed: a sentence for a person
};

class SessionListing final : private AgentLinkOwner {
 public:
  /// Called once, unless stop() was called before; maybe from inside start().
  using Told = std::function<void(ListedSessions listed)>;

  /// `spec` is of a known dialect. `gone` is called once, when no process of it is left that was
  /// started; not from inside start().
  SessionListing(const plugins::AgentSpec& spec, Told told, std::function<void()> gone);

  /// Nothing is told when it could not be started.
  boost::system::result<void> start(const std::string& folder, process::ChildLauncher& launcher);
  /// kListLimit is over: tells that, when nothing was told yet, and stops the agent.
  void time_is_over();
  /// Tells nothing any more, and stops the agent.
  void stop();
  bool is_gone() const { return link_.gone(); }

 private:
  void on_agent_line(std::size_t) override {}
  void on_agent_event(const plugins::AgentEvent& event) override;
  plugins::FileAnswer read_file(const plugins::FileRead&) override {
    return {false, "no turn runs: no file is read"};
  }
  plugins::FileAnswer write_file(const plugins::FileWrite&) override {
    return {false, "no turn runs: no file is written"};
  }
  void on_agent_settled() override;
  void tell(ListedSessions listed);
  void fail(std::string problem) { tell({plugins::Listing::Failed, {}, std::move(problem)}); }
  /// "NAME WHAT. `agent-doc doctor NAME` shows what is wrong."
  std::string advice(const std::string& what) const;

  Told told_;
  std::function<void()> gone_;
  AgentLink link_;
};

/// The newest first, those without a time last; each title on one line of `most_title_bytes` at
/// most, everything in it made visible.
void put_in_order(std::vector<plugins::KeptSession>& sessions, std::size_t most_title_bytes);

}  // namespace agent_doc::session
