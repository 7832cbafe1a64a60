// The places of the user's store and session leases, `$XDG_STATE_HOME/agent-doc/state.db` and
// `$XDG_RUNTIME_DIR/agent-doc/leases`. They are implemented by server/store and
// server/file/session_leases.hpp.
#pragma once

#include "server/session/session_lease.hpp"
#include "server/store/journal.hpp"

#include <boost/system/error_code.hpp>

#include <memory>
#include <string>

namespace agent_doc::app {

/// Returns an empty string when there is no place for the store.
std::string path_of_store();

/// Returns the journal of this process, which keeps nothing when there is no place for the store.
std::unique_ptr<store::Journal> make_journal();

/// Leases a session for a turn in the document at `path`. Returns a null lease and sets `problem`
/// when leases cannot be kept.
session::LeaseOutcome lease_agent_session(const std::string& agent, const std::string& session_id,
                                          const std::string& path,
                                          boost::system::error_code& problem);

}  // namespace agent_doc::app
