// The XDG base directories in which agent-doc keeps the user's data. The configuration is in
// server/app/config.hpp.
#pragma once

#include <boost/system/error_code.hpp>

#include <string>

namespace agent_doc::file {

/// Returns `$XDG_STATE_HOME/agent-doc`, else `~/.local/state/agent-doc`, else an empty string.
std::string state_directory();

/// Returns `$XDG_RUNTIME_DIR/agent-doc`, else state_directory().
std::string runtime_directory();

/// Creates `path` and its missing parents, readable by the user only. Fails with
/// `operation_not_permitted` when our folder, or one inside it, belongs to another user or is no
/// folder, so that nobody else can redirect our files.
boost::system::error_code make_private_directory(const std::string& path);

}  // namespace agent_doc::file
