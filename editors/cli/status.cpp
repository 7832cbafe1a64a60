#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/self.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/json_text.hpp"
#include "server/app/config.hpp"
#include "server/file/document_file.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/session/run_plan.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

enum class AgentChoice { InDocument, Default };

struct Status {
  std::string document_id;
  std::string agent;
  AgentChoice chosen_by = AgentChoice::InDocument;
  std::string session_id;
  std::size_t questions = 0;
  std::size_t replies = 0;
  bool has_open_prompt = false;
  bool runs = false;
  std::vector<std::string> problems;
};

std::string default_agent() {
  return app::make_agent_directory(app::load_config(), path_of_this_program(), search_path())
      ->default_agent();
}

std::string located(const std::string& text, const markdown::Problem& problem) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(problem.begin, text.size()));
  return "line " + std::to_string(1 + std::count(text.begin(), end, '\n')) + ": " + problem.message;
}

Status status_of(const std::string& text, const std::string& path) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const markdown::InlineTurns turns = markdown::find_turns(text, front_matter.body_begin);
  Status status;
  status.document_id = front_matter.value_of("agent_doc_session");
  status.agent = front_matter.value_of("agent");
  if (status.agent.empty()) {
    status.agent = default_agent();
    status.chosen_by = AgentChoice::Default;
  }
  status.session_id = session::session_id_of(front_matter, status.agent);
  for (const markdown::InlineTurn& turn : turns.turns)
    ++(turn.speaker == markdown::Speaker::User ? status.questions : status.replies);
  status.has_open_prompt = markdown::find_open_prompt(text, front_matter).has_value();
  const bool waits_for_words =
      !status.has_open_prompt && turns.turns.back().speaker == markdown::Speaker::User;
  if (waits_for_words) --status.questions;
  status.runs = !hold_document(path).has_value();
  for (const markdown::Problem& problem : front_matter.problems)
    status.problems.push_back(located(text, problem));
  for (const markdown::Problem& problem : turns.problems)
    status.problems.push_back(located(text, problem));
  return status;
}

/// Returns "1 reply", "2 replies".
std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

std::string text_of(const Status& status, const std::string& file) {
  std::string text = file + "\n";
  const auto add = [&text](std::string_view label, const std::string& value) {
    text.append("  ").append(label).append(value).append("\n");
  };
  add("document  ", status.document_id.empty() ? "not run yet" : status.document_id);
  add("agent     ", status.agent + (status.chosen_by == AgentChoice::Default
                                        ? " (the default; the document names none)"
                                        : ""));
  add("session   ", status.session_id.empty() ? "none yet" : status.session_id);
  add("turns     ", counted(status.questions, "question", "questions") + ", " +
                        counted(status.replies, "reply", "replies"));
  add("prompt    ", status.has_open_prompt ? "one is open; to send it: agent-doc run " + file
                                           : "none is open; write it at the end of the document");
  add("running   ", status.runs ? "yes" : "no");
  for (const std::string& problem : status.problems) add("problem   ", problem);
  return text;
}

json::object json_of(const Status& status, const std::string& path) {
  json::array problems;
  for (const std::string& problem : status.problems) problems.push_back(json::string(problem));
  return {{"file", path},
          {"document", status.document_id},
          {"agent", status.agent},
          {"agentFrom", status.chosen_by == AgentChoice::InDocument ? "document" : "default"},
          {"sessionId", status.session_id},
          {"questions", status.questions},
          {"replies", status.replies},
          {"openPrompt", status.has_open_prompt},
          {"running", status.runs},
          {"problems", std::move(problems)}};
}

}  // namespace

int show_status(const StatusOptions& options) {
  const file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kUsage, text.error().message);
  const Status status = status_of(*text, document->path());
  write_all(STDOUT_FILENO, options.format == Format::Json
                               ? protocol::serialise_json(json_of(status, document->path())) + "\n"
                               : wrapped_for_terminal(text_of(status, options.file), 10));
  return kDone;
}

}  // namespace agent_doc::cli
