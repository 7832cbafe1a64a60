// What it is: the command line of the tour: the flags of the real program that it stands for, and
// what is wrong with them.
// What it is not: it starts nothing and looks for no session.
// Thread rule: pure functions.
#pragma once

#include <string>

namespace agent_doc::app {

struct TourFlags {
  bool print = false;             ///< -p, --print
  bool verbose = false;           ///< --verbose
  bool fork_session = false;      ///< --fork-session
  bool partial_messages = false;  ///< --include-partial-messages
  std::string input_format;       ///< --input-format
  std::string output_format;      ///< --output-format
  std::string permission_tool;    ///< --permission-prompt-tool
  std::string model;              ///< --model
  std::string resume;             ///< --resume
  std::string session_id;         ///< --session-id
  std::string permission_mode;  ///< --permission-mode: read, and no more; the tour changes no file
  std::string system_prompt;  ///< --append-system-prompt: read, and no more; the tour has no model
                              ///< to tell it to
};

struct ParsedTourFlags {
  TourFlags flags;
  std::string problem;  ///< empty, or a sentence for standard error
};

/// argv[0] is the command's name.
ParsedTourFlags parse_tour_flags(int argc, const char* const* argv);

}  // namespace agent_doc::app
