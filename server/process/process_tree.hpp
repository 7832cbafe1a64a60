// What it is: finds the processes of an agent in /proc, also those that left its group, and kills
// them: where it has no guards (guard.hpp), or when they were killed.
// What it is not: it starts nothing, and it never touches a process that is not proven to belong to
// an agent.
// Thread rule: functions without state.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::process {

/// An agent's environment carries its marker, and so does that of everything it starts. An agent
/// started by an agent carries both: each marker ends with a semicolon, the inner one comes last.
inline constexpr std::string_view kMarkerVariable = "AGENT_DOC_AGENT";
/// More of an environment is not searched.
inline constexpr std::size_t kMaxEnvironmentBytes = 4 * 1024 * 1024;

/// Which processes are meant: members of one of the sessions or groups (of the agents themselves),
/// and those whose markers contain `marker`. "ID-" means all agents of one server, "ID-7;" one
/// agent.
struct TreeSelector {
  std::set<pid_t> leaders;
  std::string marker;
};

/// A living process. The descriptor proves that a signal cannot hit a later process of the same
/// number.
struct FoundProcess {
  pid_t pid = 0;
  FileDescriptor descriptor;  ///< a pidfd
};

/// Living processes only, never this one.
std::vector<FoundProcess> find_processes(const TreeSelector& selector);

/// Kills what find_processes() finds, and again what appeared meanwhile, until nothing is left
/// (true) or the time is over. Those that are children of this process are reaped, except the
/// leaders: whoever started them does that.
bool kill_processes(const TreeSelector& selector, std::chrono::milliseconds limit);

/// Sends a signal to each of them and waits until all have ended or the time is over. True when all
/// have.
bool signal_and_wait(const std::vector<FoundProcess>& processes, int signal,
                     std::chrono::milliseconds limit);

/// True as soon as the process of this pidfd has ended (it may still be unreaped).
bool wait_for_end(int pidfd, std::chrono::milliseconds limit);
bool has_ended(int pidfd);

FileDescriptor open_pidfd(pid_t pid);
void send_signal(int pidfd, int signal);

/// From now on processes that lose their parent become children of this process, if it is an
/// ancestor: so nothing that an agent started escapes. False when the system refuses.
bool become_subreaper();

/// Reaps ended children of this process that came to it in that way: those in another session than
/// its own, except `known`. Like kill_adopted() it costs as much as this process has children.
void reap_adopted(const std::set<pid_t>& known);

/// Kills and reaps those that came to it in that way, with all that they started, until none is
/// left or the time is over: processes in another session than its own that began at `since`
/// (ProcessStat::start) or later, except `known`.
void kill_adopted(const std::set<pid_t>& known, std::uint64_t since,
                  std::chrono::milliseconds limit);

}  // namespace agent_doc::process
