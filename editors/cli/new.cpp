#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/app/new_file.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <string>

#include <unistd.h>

namespace agent_doc::cli {

namespace new_internal {

std::string document_for(const NewOptions& options) {
  std::string text = "---\nagent_doc_session: " + boost::uuids::to_string(boost::uuids::random_generator()()) + "\n";
  if (!options.agent.empty()) text += "agent: " + options.agent + "\n";
  text += "---\n\n## User\n\n";
  if (options.prompt.empty()) return text;
  return text + options.prompt + (options.prompt.ends_with('\n') ? "" : "\n");
}

/// Why `name` is no agent; empty when it is one.
std::string why_no_agent(const std::string& name) {
  if (name.empty()) return {};
  const auto directory = app::make_agent_directory(app::load_config(), path_of_this_program(), search_path());
  return directory->find(name) ? std::string() : "there is no agent " + name + "; " + directory->how_to_get(name) + ".";
}

}  // namespace new_internal

int make_new(const NewOptions& options) {
  if (const std::string reason = new_internal::why_no_agent(options.agent); !reason.empty()) return complain(kUsage, reason);
  const boost::system::error_code error = app::create_file(options.file, new_internal::document_for(options));
  if (error == boost::system::errc::file_exists) {
    return complain(kUsage, options.file + " exists already, and is never overwritten. To go on in it: agent-doc run " + options.file);
  }
  if (error) return complain(kUsage, options.file + " could not be made: " + error.message() + ". Choose another place.");
  if (options.after == AfterNew::Run) {
    RunOptions run_options;
    run_options.file = options.file;
    return run(run_options);
  }
  write_all(STDOUT_FILENO, "Made " + options.file + ". " +
                               (options.prompt.empty() ? "Write your question below `## User`, then: " : "To send its question: ") +
                               "agent-doc run " + options.file + "\n");
  return kDone;
}

}  // namespace agent_doc::cli
