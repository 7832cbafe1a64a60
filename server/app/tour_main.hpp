// What it is: the process around the tour: a loop over standard input, standard output, signals and
// time; its sessions on disk.
// What it is not: what the tour says and when (plugins/tour_agent).
// Thread rule: a process of its own; blocks signals of the process and does blocking I/O.
#pragma once

namespace agent_doc::app {

/// The hidden command `agent-doc tour-agent FLAGS`: argv[0] is the command's name, the flags
/// follow. Gives the exit code: 0 standard input ended or SIGINT, 1 a flag, a session or an input
/// line was wrong or nobody reads the output, 143 SIGTERM, 129 SIGHUP.
int run_tour_agent(int argc, char** argv);

}  // namespace agent_doc::app
