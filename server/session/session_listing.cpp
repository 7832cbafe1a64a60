#include "server/session/session_listing.hpp"

#include "server/text/visible.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::session {

SessionListing::SessionListing(const plugins::AgentSpec& spec, Told told,
                               std::function<void()> gone)
    : told_(std::move(told)),
      gone_(std::move(gone)),
      link_(spec, plugins::make_protocol(spec), static_cast<AgentLinkOwner&>(*this)) {}

boost::system::result<void> SessionListing::start(const std::string& folder,
                                                  process::ChildLauncher& launcher) {
  plugins::LaunchRequest request;
  request.cwd = folder;
  request.permissions = link_.spec().permissions;
  auto started = link_.start(
      request, [&launcher](const plugins::Launch& launch, process::ChildObserver& observer) {
        return launcher.launch(launch, observer);
      });
  if (started) link_.list_sessions();
  return started;
}

void SessionListing::time_is_over() {
  fail(advice("did not list its sessions within " + std::to_string(kListLimit.count()) + " s"));
}

void SessionListing::stop() {
  told_ = nullptr;
  link_.stop(process::StopUrgency::Shutdown);
}

void SessionListing::on_agent_event(const plugins::AgentEvent& event) {
  if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event))
    link_.answer(asked->id, "");
  if (const auto* listed = std::get_if<plugins::SessionsListed>(&event))
    tell({listed->listing, listed->sessions, std::string(listed->problem)});
}

void SessionListing::on_agent_settled() {
  if (link_.broken()) {
    fail("agent-doc could not go on with what " + link_.spec().name +
         " said: this is a mistake in agent-doc, please report it.");
  } else if (link_.gone()) {
    fail(advice("ended before it told its sessions"));
  }
  if (link_.gone()) gone_();
}

void SessionListing::tell(ListedSessions listed) {
  const Told told = std::exchange(told_, nullptr);
  if (!told) return;
  link_.stop(process::StopUrgency::Shutdown);
  told(std::move(listed));
}

std::string SessionListing::advice(const std::string& what) const {
  const std::string& name = link_.spec().name;
  return name + " " + what + ". `agent-doc doctor " + name + "` shows what is wrong.";
}

void put_in_order(std::vector<plugins::KeptSession>& sessions, std::size_t most_title_bytes) {
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const plugins::KeptSession& a, const plugins::KeptSession& b) {
                     return a.used_ms > b.used_ms;
                   });
  for (plugins::KeptSession& session : sessions) {
    const std::string line = turn::one_line(session.title, most_title_bytes, turn::Hidden::Kept);
    session.title =
        turn::one_line(text::visible_line(line), most_title_bytes);  // what was marked is longer
  }
}

}  // namespace agent_doc::session
