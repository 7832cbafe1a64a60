// What it is: where agent-doc keeps things of its own for a person: the XDG base directories.
// What it is not: the configuration (server/app/config.hpp).
// Thread rule: reads the environment; makes folders.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>

namespace agent_doc::file {

/// `$XDG_STATE_HOME/agent-doc`, else `~/.local/state/agent-doc`; empty when neither variable nor
/// home is known.
std::string state_directory();

/// `$XDG_RUNTIME_DIR/agent-doc`, else state_directory().
std::string runtime_directory();

/// Makes `path` and what is missing above it, readable by this person only.
/// `operation_not_permitted` when our folder, or one in it, is there and belongs to somebody else,
/// or is no folder: nothing of ours goes where another one sent it.
boost::system::error_code make_private_directory(const std::string& path);

}  // namespace agent_doc::file
