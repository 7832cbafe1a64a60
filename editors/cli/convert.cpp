#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/file_exchange.hpp"
#include "editors/cli/standard_streams.hpp"
#include "server/markdown/converted_document.hpp"

#include <optional>
#include <string>
#include <variant>

#include <unistd.h>

namespace agent_doc::cli {

int convert(const ConvertOptions& options) {
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const std::optional<HeldDocument> held = hold_document(document->path());
  if (!held)
    return complain(kBusy, options.file + " is busy: a turn runs in it. Wait until it is over.");
  const file::FileResult<std::string> text = document->read();
  if (text.has_error()) return complain(kUsage, text.error().message);
  const bool is_template = options.to == "template";
  const auto outcome = markdown::converted_document(
      *text, is_template ? markdown::DocumentFormat::Template : markdown::DocumentFormat::Inline);
  if (const auto* refused = std::get_if<markdown::NotConverted>(&outcome))
    return complain(kUsage, options.file + " stays as it is: " + refused->reason + ".");
  const auto done = exchange_text(*document, *text, std::get<std::string>(outcome));
  if (done.has_error()) return complain(kTurnFailed, done.error().message);
  if (*done == Exchanged::FoundOther) {
    return complain(kChanged, options.file +
                                  " was changed by another program at this moment, so nothing was "
                                  "done. Look at it, then convert again.");
  }
  write_all(
      STDOUT_FILENO,
      options.file + (is_template ? " is a template document: its turns are in the component "
                                    "exchange.\nTo take it back: agent-doc convert " +
                                        options.file + " --to inline\n"
                                  : " is an inline document: its turns are in no component.\n"));
  return kDone;
}

}  // namespace agent_doc::cli
