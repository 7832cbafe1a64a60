#include "editors/cli/commands.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "plugins/session_list.hpp"
#include "server/app/config.hpp"
#include "server/app/new_file.hpp"
#include "server/markdown/front_matter.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// What the agent keeps up to date stands above the exchange, where one sees it first.
constexpr std::string_view kTemplateAbove =
    "<!-- agent:status patch=replace -->\n<!-- /agent:status -->\n\n"
    "<!-- agent:log patch=append max_lines=100 -->\n<!-- /agent:log -->\n\n"
    "<!-- agent:exchange patch=append -->\n";
constexpr std::string_view kTemplateBelow = "<!-- /agent:exchange -->\n";

std::string document_for(const NewOptions& options) {
  std::string text =
      "---\nagent_doc_session: " + boost::uuids::to_string(boost::uuids::random_generator()()) +
      "\n";
  if (!options.agent.empty()) text += "agent: " + options.agent + "\n";
  text += "---\n\n";
  if (options.format == NewFormat::Template) text += kTemplateAbove;
  text += "## User\n\n";
  if (!options.resume.empty()) {
    const std::optional<text::Edit> edit = markdown::set_value(text, "resume", options.resume);
    if (edit) text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
  }
  const std::string below(options.format == NewFormat::Template ? kTemplateBelow : "");
  if (options.prompt.empty()) return text + below;
  return text + options.prompt + (options.prompt.ends_with('\n') ? "" : "\n") + below;
}

/// Returns why the document cannot continue that session of the agent; empty if it can.
std::string why_not(const NewOptions& options, const session::AgentDirectory& directory) {
  const std::string& name = options.agent;
  if (name.empty()) return {};
  const std::optional<plugins::AgentSpec> spec = directory.find(name);
  if (!spec) return {};
  if (options.resume.empty()) return {};
  const plugins::SessionSupport support = plugins::session_support(*spec);
  if (!support.resume) return name + " cannot go on with an earlier session. Leave --resume out.";
  if (plugins::is_usable_session_id(options.resume)) return {};
  return "what stands behind --resume is no session's id: it may have letters, digits and "
         "-_.:/+=@~ in it." +
         (support.list ? " `agent-doc sessions " + name + "` lists them." : std::string());
}

/// Returns `options` with the agent of the session.
NewOptions with_agent(NewOptions options, const session::AgentDirectory& directory) {
  if (options.agent.empty() && !options.resume.empty()) options.agent = directory.default_agent();
  return options;
}

}  // namespace

int make_new(const NewOptions& given) {
  const auto directory =
      app::make_agent_directory(app::load_config(), path_of_this_program(), search_path());
  const NewOptions options = with_agent(given, *directory);
  if (!options.agent.empty() && !directory->find(options.agent)) {
    return complain(kNoAgent, "there is no agent called " + options.agent + ": " +
                                  directory->how_to_get(options.agent) + ".");
  }
  if (const std::string reason = why_not(options, *directory); !reason.empty())
    return complain(kUsage, reason);
  const boost::system::error_code error = app::create_file(options.file, document_for(options));
  if (error == boost::system::errc::file_exists) {
    return complain(
        kUsage, options.file +
                    " exists already, and is never overwritten. To go on in it: agent-doc run " +
                    options.file);
  }
  if (error)
    return complain(kUsage, options.file + " could not be made: " + error.message() +
                                ". Choose another place.");
  if (options.after == AfterNew::Run) {
    RunOptions run_options = options.run;
    run_options.file = options.file;
    return run(run_options);
  }
  write_all(STDOUT_FILENO,
            "Made " + options.file + ". " +
                (options.prompt.empty() ? "Write your question below `## User`, then: "
                                        : "To send its question: ") +
                "agent-doc run " + options.file + "\n");
  return kDone;
}

}  // namespace agent_doc::cli
