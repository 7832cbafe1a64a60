// What it is: a name for a running process that no other process has, before or after it, on this
// machine or another: what is written down by one process for another to ask "does it still run?".
// What it is not: a hold on a process (open_pidfd() in process_tree.hpp).
// Thread rule: functions without state; read /proc.
#pragma once

#include <sys/types.h>

#include <string>

namespace agent_doc::process {

/// "PID-START-BOOT": its number, when it began (clock ticks since the boot) and which boot that
/// was. Empty when there is no such process.
std::string name_of_process(pid_t pid);
/// False also for a process of another machine or boot, and for what is no name.
bool is_running(const std::string& name);

}  // namespace agent_doc::process
