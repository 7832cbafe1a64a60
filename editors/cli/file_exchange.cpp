#include "editors/cli/file_exchange.hpp"

#include "editors/cli/rescue.hpp"

#include <string>

namespace agent_doc::cli {

namespace {

using ReplacedHow = file::Replacement::Outcome;

file::FileError kept_elsewhere(const file::DocumentFile& document, std::string_view text) {
  const auto kept = rescue(document.path(), text);
  const std::string where = kept.has_value() ? "is kept in " + kept->path
                                             : "could not be kept (" + kept.error().message() + ")";
  return {file::FileErrorKind::Failed,
          document.shown_as() +
              " was changed by other programs again and again; what one of them wrote " + where +
              "."};
}

}  // namespace

file::FileResult<Exchanged> exchange_text(file::DocumentFile& document, std::string_view expected,
                                          std::string_view text) {
  file::FileResult<file::Replacement> done = document.replace(expected, text);
  if (done.has_error()) return done.error();
  switch (done->outcome) {
    case ReplacedHow::Written:
      return Exchanged::Yes;
    case ReplacedHow::FoundOther:
      return Exchanged::FoundOther;
    case ReplacedHow::Withdrawn:
      return done->why;
    case ReplacedHow::DisplacedOther:
      break;
  }
  if (done->other == text) return Exchanged::FoundOther;  // somebody has done just the same
  const file::FileResult<file::Replacement> back = document.replace(text, done->other);
  if (back.has_value() && back->outcome == ReplacedHow::Written) return Exchanged::FoundOther;
  return kept_elsewhere(document, done->other);
}

}  // namespace agent_doc::cli
