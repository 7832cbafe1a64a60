// What it is: the person's own store and session leases, where they belong:
// `$XDG_STATE_HOME/agent-doc/state.db` and `$XDG_RUNTIME_DIR/agent-doc/leases`.
// What it is not: the store (server/store), the locks (server/file/session_leases.hpp).
// Thread rule: the server's thread.
#pragma once

#include "server/session/session_lease.hpp"
#include "server/store/journal.hpp"

#include <boost/system/error_code.hpp>

#include <memory>
#include <string>

namespace agent_doc::app {

/// Empty when the person has no place for it.
std::string path_of_store();

/// Of this process. One that keeps nothing when there is no place for it.
std::unique_ptr<store::Journal> make_journal();

/// For a turn in the document at `path`. A null lease and `problem` when leases cannot be kept.
session::LeaseOutcome lease_agent_session(const std::string& agent, const std::string& session_id,
                                          const std::string& path,
                                          boost::system::error_code& problem);

}  // namespace agent_doc::app
