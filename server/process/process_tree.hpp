// Finds the processes of an agent in /proc, including those that left its group, and kills them.
// Used where an agent has no guards (guard.hpp) or they were killed. Never touches a process that
// does not provably belong to an agent.
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

/// The environment variable that carries an agent's marker, which everything it starts inherits. An
/// agent started by an agent carries both: each marker ends with a semicolon, the inner one comes
/// last.
inline constexpr std::string_view kMarkerVariable = "AGENT_DOC_AGENT";
/// How much of an environment is searched.
inline constexpr std::size_t kMaxEnvironmentBytes = 4 * 1024 * 1024;

/// Selects the members of the sessions or groups in `leaders` (the agents themselves) and the
/// processes whose markers contain `marker`: "ID-" selects all agents of one server, "ID-7;" one
/// agent.
struct TreeSelector {
  std::set<pid_t> leaders;
  std::string marker;
};

/// A living process. The descriptor makes sure that a signal cannot hit a later process with the
/// same number.
struct FoundProcess {
  pid_t pid = 0;
  FileDescriptor descriptor;  ///< a pidfd
};

/// Returns the selected living processes, never this one.
std::vector<FoundProcess> find_processes(const TreeSelector& selector);

/// Kills what find_processes() returns, repeatedly, until nothing is left (true) or `limit` is
/// over. Reaps those that are children of this process, except for the leaders, which their parent
/// reaps.
bool kill_processes(const TreeSelector& selector, std::chrono::milliseconds limit);

/// Sends `signal` to each process and blocks until all have ended or `limit` is over. Returns true
/// when all have ended.
bool signal_and_wait(const std::vector<FoundProcess>& processes, int signal,
                     std::chrono::milliseconds limit);

/// Blocks until the process of `pidfd` has ended or `limit` is over; it may still be unreaped.
/// Returns true when it has ended.
bool wait_for_end(int pidfd, std::chrono::milliseconds limit);
bool has_ended(int pidfd);

FileDescriptor open_pidfd(pid_t pid);
void send_signal(int pidfd, int signal);

/// Makes this process adopt descendants that lose their parent, so that nothing an agent started
/// escapes. Returns false when the system refuses.
bool become_subreaper();

/// Reaps ended children that were adopted: those in another session than this process's, except
/// `known`. Costs as much as this process has children, like kill_adopted().
void reap_adopted(const std::set<pid_t>& known);

/// Kills and reaps adopted children with everything they started, until none is left or `limit` is
/// over: those in another session than this process's that began at `since` (ProcessStat::start) or
/// later, except `known`.
void kill_adopted(const std::set<pid_t>& known, std::uint64_t since,
                  std::chrono::milliseconds limit);

}  // namespace agent_doc::process
