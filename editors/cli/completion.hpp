// What it is: the words that a command line can go on with, and what bash, zsh and fish need to ask
// for them.
// What it is not: the command table itself (command_line.hpp knows it). No agent is started.
// Thread rule: one thread; reads folders, the configuration and the store.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

inline constexpr std::array<std::string_view, 3> kShells = {"bash", "zsh", "fish"};
/// More would be no help.
inline constexpr std::size_t kMaxCandidates = 500;

struct Candidate {
  std::string word;
  std::string description;
};
using Candidates = std::vector<Candidate>;

/// Where words come from that are not in the command table.
struct CompletionSources {
  std::function<Candidates()> agents;
  std::function<Candidates()> sessions;
  std::function<Candidates(const std::string& begun)> documents;
};

/// Returns what the last of `words` (those behind "agent-doc") may become.
Candidates complete_words(const std::vector<std::string>& words, const CompletionSources& sources);

/// Returns the script for one of kShells.
std::string completion_script(std::string_view shell);

/// Returns markdown files and folders whose path begins with `begun`.
Candidates documents_beginning(const std::string& begun);

}  // namespace agent_doc::cli
