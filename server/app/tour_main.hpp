// The process of the tour: a loop over standard input, standard output, signals and time, with
// sessions on disk. What the tour says is in plugins/tour/tour_agent.hpp. It has a process of its
// own, so it blocks signals and does blocking I/O.
#pragma once

namespace agent_doc::app {

/// Runs the hidden command `agent-doc tour-agent FLAGS`; argv[0] is the command's name. Returns the
/// exit code: 0 at the end of standard input or after SIGINT, 1 for a bad flag, session or input
/// line or when nobody reads the output, 143 after SIGTERM, 129 after SIGHUP.
int run_tour_agent(int argc, char** argv);

}  // namespace agent_doc::app
