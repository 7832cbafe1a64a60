// The guards of one agent: two processes between the server and the agent, both `agent-doc guard`.
// They make sure that nothing that the agent started outlives it or the server, however these end.
// The guards touch none of the agent's streams. guarded_process.cpp is the server's side.
//
//   server ── outer guard ── inner guard ── agent ── its processes
//
// The server and both guards are subreapers: a process that loses its parent becomes a child of the
// nearest of them that lives, whatever its session, group and environment. So "everything that the
// agent started" is the set of a guard's descendants, which the kernel maintains.
//
//   the agent ends or is killed   the inner guard kills the rest of its tree, then tells the server
//   the server ends (its socket)  the inner guard deletes the prompt file and ends the tree by
//                                 SIGINT, SIGTERM, SIGKILL
//   the inner guard is killed     the agent dies, too (PR_SET_PDEATHSIG); the outer guard adopts
//                                 the rest and kills it
//   the outer guard is killed     nothing: the inner one goes on as a child of the server
//   both guards are killed        the agent dies, too; the server adopts the rest and kills it
//   the server and one guard      the other guard does the same as always
//   all three at once             the agent is killed; what it started is beyond our reach
#pragma once

#include <chrono>

namespace agent_doc::process {

/// Delay between SIGINT and SIGTERM, and between SIGTERM and SIGKILL, once the server is dead.
inline constexpr std::chrono::milliseconds kGuardGrace{400};
/// How long SIGKILL may take to reach everything, including what is started meanwhile.
inline constexpr std::chrono::milliseconds kGuardKillLimit{1000};
/// The first of three consecutive descriptors of a guard that become the agent's standard streams.
inline constexpr int kGuardedStreams = 3;

/// Runs both guards; returns the exit code. `socket` leads to the server, which sends the agent to
/// start (guard_wire.hpp). `argv` is main's: the inner guard changes in it what `ps` shows.
int run_guard(int socket, char** argv);

}  // namespace agent_doc::process
