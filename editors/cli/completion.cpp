#include "editors/cli/completion.hpp"

#include "editors/cli/commands.hpp"
#include "editors/cli/question.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/app/person_store.hpp"
#include "server/store/history.hpp"
#include "server/text/utf8.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

constexpr std::size_t kDescriptionBytes = 60;
constexpr std::int64_t kTurnsLookedAt = 200;

constexpr std::string_view kBash =
    R"sh(# agent-doc in bash. In ~/.bashrc: eval "$(agent-doc completions bash)"
_agent_doc() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    [[ $line == */ ]] && compopt -o nospace
    COMPREPLY+=("$(printf '%q' "$line")")
  done < <("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
}
complete -F _agent_doc agent-doc
)sh";

constexpr std::string_view kZsh = R"sh(#compdef agent-doc
# agent-doc in zsh. In a folder of $fpath as _agent_doc, or in ~/.zshrc: eval "$(agent-doc completions zsh)"
_agent_doc() {
  local line word description
  local -a found names shown folders
  found=("${(@f)$("${words[1]}" complete "${(@)words[2,CURRENT]}" 2> /dev/null)}")
  for line in "${found[@]}"; do
    [[ -n $line ]] || continue
    word=${line%%$'\t'*}
    description=${${line#"$word"}#$'\t'}
    if [[ $word == */ ]]; then
      folders+=("$word")
    else
      names+=("$word")
      shown+=("$word${description:+  $description}")
    fi
  done
  (( $#names )) && compadd -l -d shown -a names
  (( $#folders )) && compadd -S '' -a folders
  (( $#names + $#folders ))
}
if [[ ${funcstack[1]} == _agent_doc ]]; then
  _agent_doc "$@"
elif (( $+functions[compdef] )); then
  compdef _agent_doc agent-doc
fi
)sh";

constexpr std::string_view kFish =
    R"sh(# agent-doc in fish. In ~/.config/fish/completions/agent-doc.fish
function __agent_doc_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete $words[2..-1] 2> /dev/null
end
complete -c agent-doc -f -k -a '(__agent_doc_complete)'
)sh";

Candidates agents() {
  Candidates all;
  for (const plugins::AgentSpec& spec : app::all_agents(app::load_config(), path_of_this_program()))
    all.push_back({spec.name, {}});
  return all;
}

/// Returns the sessions that this person's turns used, the newest first.
Candidates sessions() {
  Candidates all;
  store::StoreResult<store::History> history = store::History::open(app::path_of_store());
  if (history.has_error()) return all;
  const auto turns = history->turns({{}, {}, kTurnsLookedAt});
  if (turns.has_error()) return all;
  for (auto turn = turns->rbegin(); turn != turns->rend(); ++turn) {
    const std::string& id = turn->totals.session_id;
    const bool is_known =
        std::any_of(all.begin(), all.end(), [&id](const Candidate& one) { return one.word == id; });
    if (!id.empty() && !is_known) all.push_back({id, turn->agent + ": " + turn->prompt});
  }
  return all;
}

/// Returns whether a word is safe for a shell and a terminal.
bool is_sayable(const std::string& word) {
  return !word.empty() && text::is_valid_utf8(word) &&
         std::none_of(word.begin(), word.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  return std::string(shell == "zsh" ? kZsh : kFish);
}

Candidates documents_beginning(const std::string& begun) {
  const std::size_t name_at = begun.rfind('/') + 1;
  const std::string folder = begun.substr(0, name_at);
  const std::string name = begun.substr(name_at);
  std::string where = folder.empty() ? "." : folder;
  if (const char* home = std::getenv("HOME"); home != nullptr && where.starts_with("~/"))
    where.replace(0, 1, home);
  Candidates all;
  std::error_code error;
  for (std::filesystem::directory_iterator at(where, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string found = at->path().filename();
    if (!found.starts_with(name) || (found.starts_with('.') && name.empty())) continue;
    std::error_code unknown;
    const bool is_folder = at->is_directory(unknown);
    if (!is_folder && (!has_markdown_name(found) || found.find('.') == std::string::npos)) continue;
    all.push_back({folder + found + (is_folder ? "/" : ""), {}});
  }
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.word < b.word; });
  return all;
}

int print_completions(const CompletionsOptions& options) {
  write_all(STDOUT_FILENO, completion_script(options.shell));
  return kDone;
}

int complete(const CompleteOptions& options) {
  std::vector<std::string> words = options.words;
  if (words.empty()) words.emplace_back();
  const Candidates all = complete_words(words, {agents, sessions, documents_beginning});
  std::string text;
  std::size_t count = 0;
  for (const Candidate& candidate : all) {
    if (!is_sayable(candidate.word) || ++count > kMaxCandidates) continue;
    const std::string description = turn::one_line(candidate.description, kDescriptionBytes);
    text += candidate.word + (description.empty() ? "" : "\t" + description) + "\n";
  }
  write_all(STDOUT_FILENO, text);
  return kDone;
}

}  // namespace agent_doc::cli
