#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/foreground_program.hpp"
#include "editors/cli/preview.hpp"
#include "editors/cli/question.hpp"
#include "editors/cli/run_many.hpp"
#include "editors/cli/run_session.hpp"
#include "editors/cli/standard_input.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"
#include "server/markdown/front_matter.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// An editor may be in the middle of saving it.
constexpr std::chrono::milliseconds kSavingLasts{1000};
constexpr std::chrono::milliseconds kLookAgain{10};

file::FileResult<std::string> read_when_settled(const file::DocumentFile& document) {
  const auto limit = std::chrono::steady_clock::now() + kSavingLasts;
  for (;;) {
    file::FileResult<std::string> text = document.read();
    const bool settled = text.has_value() || text.error().kind != file::FileErrorKind::BeingWritten;
    if (settled || std::chrono::steady_clock::now() >= limit) return text;
    std::this_thread::sleep_for(kLookAgain);
  }
}

/// What another program writes meanwhile is not lost: then the question is put below that.
constexpr int kMostAttempts = 20;

/// Puts the question into the file, and gives its text back.
file::FileResult<std::string> written_with(file::DocumentFile& document, std::string text,
                                           const std::string& question, OpenPromptIs open_prompt,
                                           std::string& problem) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    WithQuestion asked = with_question(text, question, open_prompt);
    problem = asked.problem;
    if (!problem.empty() || asked.text == text) return text;
    file::FileResult<file::Replacement> replacement = document.replace(text, asked.text);
    if (replacement.has_error()) return replacement.error();
    if (replacement->outcome == file::Replacement::Outcome::Written) return std::move(asked.text);
    file::FileResult<std::string> now = read_when_settled(document);
    if (now.has_error()) return now;
    text = std::move(*now);
  }
  problem = "another program keeps changing it. Run again when that is done.";
  return text;
}

bool is_there(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

/// The next question, if there is one.
struct Asked {
  std::optional<std::string> question;
  OpenPromptIs open_prompt = OpenPromptIs::Continued;
  std::string problem;
};

Asked next_question(const RunOptions& options, const std::optional<std::string>& given,
                    const std::string& text) {
  std::string begun = given.value_or("");
  if (given == "-") {
    InputText input = read_standard_input();
    if (!input.problem.empty()) return {{}, {}, input.problem};
    begun = std::move(input.text);
  }
  if (options.edit == AskHow::AsItIs) return {given ? std::optional(begun) : std::nullopt, {}, {}};
  if (!given) begun = open_prompt_of(text);
  EditedText edited = edit_in_editor(begun.empty() ? begun : begun + "\n");
  if (!edited.problem.empty()) return {{}, {}, edited.problem};
  return {std::move(edited.text), given ? OpenPromptIs::Continued : OpenPromptIs::Replaced, {}};
}

/// Others would take source code for a conversation, and write into it.
bool may_be_document(const std::string& file, const std::string& text) {
  return has_markdown_name(file) ||
         !markdown::read_front_matter(text).value_of("agent_doc_session").empty();
}

int run_one(const RunOptions& options, const std::optional<std::string>& given) {
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  file::FileResult<std::string> text = read_when_settled(*document);
  if (text.has_error()) return complain(kUsage, text.error().message);
  if (options.force == Force::No && !may_be_document(options.file, *text)) {
    return complain(
        kUsage,
        options.file +
            " is no markdown by its name, and a run would write into it. If it is meant: --force");
  }
  const Asked asked = next_question(options, given, *text);
  if (!asked.problem.empty()) return complain(kTurnFailed, asked.problem);

  if (options.dry_run == DryRun::Yes) {
    const WithQuestion with = asked.question
                                  ? with_question(*text, *asked.question, asked.open_prompt)
                                  : WithQuestion{*text, {}};
    if (!with.problem.empty()) return complain(kNothingToSend, options.file + ": " + with.problem);
    return show_prompt(options, document->path(), with.text);
  }

  const boost::system::result<std::optional<file::FileLock>> lock = lock_document(document->path());
  if (lock.has_error()) {
    complain(kDone, "a lock against a second run of " + options.file + " could not be made (" +
                        lock.error().message() + "); going on without it.");
  } else if (!lock->has_value()) {
    return complain(kBusy, options.file +
                               " is busy: another agent-doc runs in it. Wait until that reply is "
                               "complete, or stop it there (Ctrl-C).");
  }

  text = read_when_settled(*document);
  if (text.has_error()) return complain(kUsage, text.error().message);
  const file::FileResult<void> writable = document->check_writable();
  if (writable.has_error()) return complain(kUsage, writable.error().message);
  if (asked.question) {
    std::string problem;
    text = written_with(*document, std::move(*text), *asked.question, asked.open_prompt, problem);
    if (text.has_error()) return complain(kTurnFailed, text.error().message);
    if (!problem.empty()) return complain(kNothingToSend, options.file + ": " + problem);
  }

  const std::unique_ptr<RunOutput> output = make_run_output(options);
  return RunSession(options, file::FileBuffer(std::move(*document), std::move(*text)),
                    app::load_config(), *output)
      .run();
}

}  // namespace

int run(const RunOptions& options) {
  std::vector<std::string> arguments{options.file};
  arguments.insert(arguments.end(), options.more.begin(), options.more.end());
  const RunTargets targets = run_targets(arguments, is_there);
  if (!targets.problem.empty()) return complain(kUsage, targets.problem);
  if (targets.files.size() == 1) return run_one(options, targets.question);
  if (options.edit == AskHow::InEditor) return complain(kUsage, "--edit is for one file.");
  if (options.dry_run == DryRun::Yes) return complain(kUsage, "--dry-run is for one file.");
  return run_many(options, targets.files);
}

}  // namespace agent_doc::cli
