#include "editors/cli/commands.hpp"
#include "editors/cli/local_server.hpp"
#include "editors/cli/question.hpp"
#include "editors/cli/run_session.hpp"
#include "editors/cli/standard_input.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/app/new_file.hpp"
#include "server/file/user_directories.hpp"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// A temporary document for one question, in a folder that only this person can read.
class PassingDocument {
 public:
  /// Creates the document; returns an error message on failure.
  std::string make(const std::string& text) {
    const std::string folder = file::runtime_directory() + "/questions";
    if (const auto error = file::make_private_directory(folder)) return error.message();
    path_ = folder + "/" + boost::uuids::to_string(boost::uuids::random_generator()()) + ".md";
    const boost::system::error_code error = app::create_file(path_, text);
    is_made_ = !error;
    return error ? error.message() : std::string();
  }
  PassingDocument() = default;
  ~PassingDocument() {
    if (is_made_) ::unlink(path_.c_str());
  }
  PassingDocument(const PassingDocument&) = delete;
  PassingDocument& operator=(const PassingDocument&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool is_made_ = false;
};

/// Returns the words, with standard input below them.
InputText question_of(const std::vector<std::string>& words) {
  std::string question;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 1 == words.size() && words[i] == "-") {
      InputText input = read_standard_input();
      if (!input.problem.empty()) return input;
      return {question + (question.empty() ? "" : "\n\n") + input.text, {}};
    }
    question += (question.empty() ? "" : " ") + words[i];
  }
  return {question, {}};
}

int ask_without_document(const AskOptions& options, const std::string& question) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error)
    return complain(kTurnFailed, "the current folder could not be found: " + error.message() +
                                     ". Change to another one.");
  PassingDocument passing;
  if (const std::string problem = passing.make("## User\n\n" + question + "\n"); !problem.empty()) {
    return complain(kTurnFailed, "there is no place for the question: " + problem +
                                     ". With --save FILE it has one.");
  }
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(passing.path());
  if (document.has_error()) return complain(kTurnFailed, document.error().message);
  file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kTurnFailed, text.error().message);
  const std::unique_ptr<RunOutput> output = make_run_output(options.run);
  RunPlace place{"untitled:question", project_folder_of(here / "question.md")};
  return RunSession(options.run, file::FileBuffer(std::move(*document), std::move(*text)),
                    app::load_config(), *output, std::move(place))
      .run();
}

}  // namespace

int ask(const AskOptions& options) {
  const InputText asked = question_of(options.words);
  if (!asked.problem.empty()) return complain(kUsage, asked.problem);
  const std::string question = cleaned_question(asked.text);
  if (question.find_first_not_of(" \t\n") == std::string::npos)
    return complain(kNothingToSend, "the question is empty.");
  if (options.save.empty()) return ask_without_document(options, question);
  NewOptions made{options.save,      question,      options.run.agent, {},
                  NewFormat::Inline, AfterNew::Run, options.run};
  return make_new(made);
}

}  // namespace agent_doc::cli
