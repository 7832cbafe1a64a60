#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/run_session.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/app/config.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace agent_doc::cli {

namespace run_internal {

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

}  // namespace run_internal

int run(const RunOptions& options) {
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);

  const boost::system::result<std::optional<file::FileLock>> lock = lock_document(document->path());
  if (lock.has_error()) {
    complain(kDone, "a lock against a second run of " + options.file + " could not be made (" + lock.error().message() +
                        "); going on without it.");
  } else if (!lock->has_value()) {
    return complain(kBusy,
                    options.file + " is busy: another agent-doc runs in it. Wait until that reply is complete, or stop it there (Ctrl-C).");
  }

  file::FileResult<std::string> text = run_internal::read_when_settled(*document);
  if (text.has_error()) return complain(kUsage, text.error().message);
  const file::FileResult<void> writable = document->check_writable();
  if (writable.has_error()) return complain(kUsage, writable.error().message);

  const std::unique_ptr<RunOutput> output = make_run_output(options);
  return RunSession(options, file::FileBuffer(std::move(*document), std::move(*text)), app::load_config(), *output).run();
}

}  // namespace agent_doc::cli
