// What it is: the guards of one agent: two processes between the server and the agent, `agent-doc
// guard`, which see to it that nothing that the agent started outlives it, or the server, however
// they end.
// What it is not: the server's side (guarded_process.cpp). It knows no agent's protocol and touches
// none of its streams.
// Thread rule: run_guard() is the whole program, one thread.
//
//   server ── outer guard ── inner guard ── agent ── what it starts
//
// All three are subreapers: a process that loses its parent becomes the child of the nearest of
// them that lives, whatever its session, its group and its environment are. So "all that the agent
// started" is what the kernel says are the descendants of a guard; nothing has to be remembered or
// searched for.
//
//   the agent ends, or is killed         the inner guard kills what is left of its tree, then tells
//   the server the server ends (end of the socket)  the inner guard deletes the prompt's file, and
//   the tree gets SIGINT, SIGTERM, SIGKILL the inner guard is killed            the agent is, too
//   (PR_SET_PDEATHSIG); the rest becomes the outer guard's, which kills it the outer guard is
//   killed            nothing: the inner one goes on, as a child of the server both guards are
//   killed               the agent is, too; the rest becomes the server's, which kills it the
//   server and one of them           the other one does the same as ever all three in one moment
//   the agent is killed; what it had started is beyond our reach
#pragma once

#include <chrono>

namespace agent_doc::process {

/// Between SIGINT and SIGTERM, and between SIGTERM and SIGKILL, when the server is dead.
inline constexpr std::chrono::milliseconds kGuardGrace{400};
/// For SIGKILL to reach everything, also what is started meanwhile.
inline constexpr std::chrono::milliseconds kGuardKillLimit{1000};
/// The agent's standard streams are this descriptor of a guard and the next two.
inline constexpr int kGuardedStreams = 3;

/// `socket`: the server's; it says which agent to start (guard_wire.hpp). `argv`: of the program;
/// what `ps` shows of the inner guard is changed in it. Returns the exit code.
int run_guard(int socket, char** argv);

}  // namespace agent_doc::process
