#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/closed_document.hpp"
#include "server/app/person_store.hpp"
#include "server/file/document_file.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/session/recovery.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

namespace agent_doc::cli {

namespace {

/// The pause between two attempts while another program writes the file.
constexpr std::chrono::milliseconds kPause{50};
constexpr int kMaxAttempts = 40;

/// Writes `reply` into the file. Returns why that failed, or an empty string.
std::string write(lsp::ClosedFile& file, const store::UnsavedReply& reply) {
  std::string problem;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    while (const std::optional<text::Edit> edit = session::identity_edit(file.text(), reply))
      file.apply(*edit);
    if (const std::optional<text::Edit> edit = session::recovery_edit(file.text(), reply))
      file.apply(*edit);
    const lsp::ClosedFile::SaveResult result = file.save(std::chrono::steady_clock::now());
    if (result.saved == lsp::ClosedFile::Saved::Yes && !session::recovery_edit(file.text(), reply))
      return {};
    if (result.saved == lsp::ClosedFile::Saved::No) return result.problem;
    problem = result.problem;
    std::this_thread::sleep_for(kPause);
  }
  return problem;
}

}  // namespace

int recover(const RecoverOptions& options) {
  const file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const auto lock = lock_document(document->path());
  if (lock.has_value() && !lock->has_value())
    return complain(kBusy,
                    options.file + ": another agent-doc runs in this document; wait for it to end");
  auto file = app::open_closed_document(document->path());
  if (file.has_error()) return complain(kUsage, file.error());

  const std::string id = markdown::read_front_matter((*file)->text()).value_of("agent_doc_session");
  const auto journal = app::make_journal();
  const std::optional<store::UnsavedReply> reply = journal->unsaved_reply(id, document->path());
  if (const std::string problem = journal->take_problem(); !problem.empty())
    return complain(kTurnFailed, problem);
  if (!reply || !session::can_recover((*file)->text(), *reply)) {
    return complain(kNothingToSend, "nothing of the last reply is missing in " + options.file +
                                        "; earlier ones: agent-doc log " + options.file);
  }
  if (const std::string problem = write(**file, *reply); !problem.empty()) {
    return complain(kTurnFailed, problem + " The reply is kept: agent-doc log " + options.file);
  }
  for (const std::string& turn : session::turns_of(*reply))
    journal->reply_placed(turn, store::ReplyPlace::File);
  write_all(STDOUT_FILENO, "What was missing of the last reply of " + reply->agent + " (" +
                               reply->state + ") is in " + options.file + " now.\n");
  return kDone;
}

}  // namespace agent_doc::cli
