// A name for a running process that no other process ever has, on this machine or another. A
// process writes it down so that another one can ask whether it still runs.
#pragma once

#include <sys/types.h>

#include <string>

namespace agent_doc::process {

/// Returns "PID-START-BOOT": the process id, its start time (clock ticks since boot) and the boot
/// id. Empty when there is no such process.
std::string name_of_process(pid_t pid);
/// Returns true when that process runs. False for processes of another machine or boot, and for
/// malformed names.
bool is_running(const std::string& name);

}  // namespace agent_doc::process
