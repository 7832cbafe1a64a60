#include "editors/cli/commands.hpp"
#include "editors/cli/editor_snippets.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/process/child.hpp"

#include <unistd.h>

#include <algorithm>

namespace agent_doc::cli {

/// Prints only the snippet to standard output, so that it can be appended to a file.
int print_config(const ConfigOptions& options) {
  const auto& all = editor_snippets();
  const auto snippet = std::find_if(all.begin(), all.end(), [&](const EditorSnippet& one) {
    return one.editor == options.editor;
  });
  const std::string name = "agent-doc";
  const std::string program =
      process::find_executable(name, search_path()).empty() ? path_of_this_program() : name;
  write_all(STDERR_FILENO, std::string(snippet->place) + "\n\n");
  write_all(STDOUT_FILENO, text_of(*snippet, program));
  return kDone;
}

}  // namespace agent_doc::cli
