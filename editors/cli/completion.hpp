// Completes the words of a command line, and prints the scripts with which bash, zsh and fish ask
// for completions. command_line.hpp knows the commands. Reads folders, the configuration and the
// store; starts no agent.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

inline constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};
/// A longer list would not help.
inline constexpr std::size_t kMaxCandidates = 500;

struct Candidate {
  std::string word;
  std::string description;
};
using Candidates = std::vector<Candidate>;

/// The sources of words that are not commands or options.
struct CompletionSources {
  std::function<Candidates()> agents;
  std::function<Candidates()> sessions;
  std::function<Candidates(const std::string& begun)> documents;
};

/// Returns the completions of the last of `words`, the words after "agent-doc".
Candidates complete_words(const std::vector<std::string>& words, const CompletionSources& sources);

/// Returns the script for one of kShells.
std::string completion_script(std::string_view shell);

/// Returns the markdown files and folders whose path begins with `begun`.
Candidates documents_beginning(const std::string& begun);

}  // namespace agent_doc::cli
