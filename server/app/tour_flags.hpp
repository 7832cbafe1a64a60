// The command line of the tour: the flags of the real program that it imitates, and their errors.
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
  /// --permission-mode: ignored, because the tour changes no file.
  std::string permission_mode;
  /// --append-system-prompt: ignored, because the tour has no model.
  std::string system_prompt;
};

struct ParsedTourFlags {
  TourFlags flags;
  std::string problem;  ///< a sentence for standard error, or empty
};

/// Parses the flags; argv[0] is the command's name.
ParsedTourFlags parse_tour_flags(int argc, const char* const* argv);

}  // namespace agent_doc::app
