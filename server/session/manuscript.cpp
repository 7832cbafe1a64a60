#include "server/session/manuscript.hpp"

#include <utility>

namespace agent_doc::session {

void Manuscript::did_open(sync::Version version, std::string text, TimePoint now) {
  engine_.did_open(version, std::move(text));
  pacer_.client_changed(now);
}

void Manuscript::did_change(sync::Version version, const std::vector<sync::ContentChange>& changes,
                            TimePoint now) {
  engine_.did_change(version, changes);
  pacer_.client_changed(now);
}

void Manuscript::propose(sync::Proposal proposal, sync::ProposalEnd end) {
  engine_.propose(std::move(proposal), end);
  pacer_.look_again();
}

}  // namespace agent_doc::session
