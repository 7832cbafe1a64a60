#include "editors/cli/commands.hpp"
#include "editors/cli/document_lock.hpp"
#include "editors/cli/file_exchange.hpp"
#include "editors/cli/standard_streams.hpp"
#include "protocol/agent_doc.hpp"
#include "protocol/json_text.hpp"
#include "server/app/new_file.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/process/file_descriptor.hpp"
#include "server/session/compact_plan.hpp"

#include <boost/json/object.hpp>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent_doc::cli {

namespace json = boost::json;

namespace {

/// One document has at most so many archives.
constexpr std::size_t kMaxArchives = 1000;

struct CompactDone {
  std::string told;
  json::object facts;
};
struct CompactRefused {
  ExitCode code = kTurnFailed;
  std::string why;
};
using CompactOutcome = std::variant<CompactDone, CompactRefused>;

/// A path in two parts.
struct Beside {
  std::string folder;  ///< with its "/"
  std::string name;
};
Beside split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

/// Creates a file that nobody may read who may not read `document`.
boost::system::error_code create_like(const std::string& document, const std::string& path,
                                      std::string_view text) {
  struct stat status {};
  if (::stat(document.c_str(), &status) != 0) return {errno, boost::system::system_category()};
  const mode_t before = ::umask(0077);
  boost::system::error_code error = app::create_file(path, text);
  ::umask(before);
  if (!error && ::chmod(path.c_str(), status.st_mode & 0777U) != 0) {
    error = {errno, boost::system::system_category()};
    ::unlink(path.c_str());
  }
  return error;
}

/// The archive's name must be on the disk before the document loses what the archive has.
boost::system::error_code sync_names(const std::string& folder) {
  const process::FileDescriptor descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) return {errno, boost::system::system_category()};
  if (::fsync(descriptor.get()) == 0 || errno == EINVAL) return {};
  return {errno, boost::system::system_category()};
}

/// Removes an archive that has nothing which is not elsewhere: the file with just this text.
bool remove_archive(const std::string& path, std::string_view text) {
  const file::FileResult<file::DocumentFile> archive = file::DocumentFile::open(path);
  if (archive.has_error() || archive->path() != path) return false;
  const file::FileResult<std::string> now = archive->read();
  return now.has_value() && *now == text && ::unlink(path.c_str()) == 0;
}

struct Prepared {
  std::string archive;  ///< its path
  session::Compacted texts;
};

/// Makes the archive, under the first name that is free.
std::variant<Prepared, CompactRefused> make_archive(const file::DocumentFile& document,
                                                    std::string_view text, std::size_t keep) {
  const std::string& shown = document.shown_as();
  const Beside place = split(document.path());
  for (std::size_t attempt = 1; attempt <= kMaxArchives; ++attempt) {
    const std::string name = session::archive_name(place.name, attempt);
    auto made = session::compacted(text, keep, {place.name, name});
    if (const auto* why = std::get_if<session::NoCompact>(&made)) {
      if (*why == session::NoCompact::TooFewTurns)
        return CompactRefused{kNothingToSend, shown + " has no more than " + std::to_string(keep) +
                                                  " turns with a reply: nothing to move."};
      return CompactRefused{kUsage, shown +
                                        " cannot be cut between its turns so that it could be put "
                                        "together again. Its front matter may be too long."};
    }
    Prepared prepared{place.folder + name, std::move(std::get<session::Compacted>(made))};
    boost::system::error_code error =
        create_like(document.path(), prepared.archive, prepared.texts.archive);
    if (error == boost::system::errc::file_exists) continue;
    if (!error) {
      error = sync_names(place.folder);
      if (error) ::unlink(prepared.archive.c_str());
    }
    if (!error) return prepared;
    return CompactRefused{kTurnFailed, "the archive " + prepared.archive + " cannot be written: " +
                                           error.message() + ". " + shown + " is as it was."};
  }
  return CompactRefused{kUsage, shown + " has too many archives beside it already."};
}

std::string changed_meanwhile(const std::string& file) {
  return file + " was changed by another program at this moment, so nothing was done. Try again.";
}

CompactOutcome compact_it(file::DocumentFile& document, std::size_t keep) {
  const file::FileResult<std::string> text = document.read();
  if (text.has_error()) return CompactRefused{kUsage, text.error().message};
  const file::FileResult<void> writable = document.check_writable();
  if (writable.has_error()) return CompactRefused{kUsage, writable.error().message};
  auto prepared = make_archive(document, *text, keep);
  if (auto* refused = std::get_if<CompactRefused>(&prepared)) return std::move(*refused);
  const auto& [archive, texts] = std::get<Prepared>(prepared);
  const auto done = exchange_text(document, *text, texts.document);
  if (done.has_error() || *done == Exchanged::FoundOther) {
    remove_archive(archive, texts.archive);
    if (done.has_error()) return CompactRefused{kTurnFailed, done.error().message};
    return CompactRefused{kChanged, changed_meanwhile(document.shown_as())};
  }
  const std::size_t tokens = protocol::estimated_tokens(texts.document);
  CompactDone result;
  result.told = "Moved " + std::to_string(texts.turns) + (texts.turns == 1 ? " turn" : " turns") +
                " (" + std::to_string(texts.bytes) + " bytes) of " + document.shown_as() +
                " into " + archive + ".\nThe document names no session any more: its next run " +
                "begins a new one and sends what is left, about " + std::to_string(tokens) +
                " tokens (estimated by the length).\nTo take it back: agent-doc compact " +
                document.shown_as() + " --undo\n";
  result.facts = {{"file", document.path()},
                  {"archive", archive},
                  {"turns", texts.turns},
                  {"bytes", texts.bytes},
                  {"estimatedTokensLeft", tokens}};
  return result;
}

/// Opens the archive that the document names. A document may name any file: it is an archive only
/// as a plain file beside it.
std::variant<file::DocumentFile, CompactRefused> open_archive(const file::DocumentFile& document,
                                                              std::string_view text) {
  const std::string name = markdown::read_front_matter(text).value_of("agent_doc_archive");
  if (name.empty())
    return CompactRefused{kNothingToSend, document.shown_as() +
                                              " has no archive: it was not "
                                              "compacted, or that was undone."};
  const std::string path = split(document.path()).folder + name;
  if (name.find('/') != std::string::npos)
    return CompactRefused{kUsage, "agent_doc_archive must name a file in the document's folder."};
  file::FileResult<file::DocumentFile> archive = file::DocumentFile::open(path);
  if (archive.has_error()) return CompactRefused{kUsage, archive.error().message};
  if (archive->path() == document.path())
    return CompactRefused{kUsage, "agent_doc_archive names the document itself."};
  if (archive->path() != path)
    return CompactRefused{kUsage, path + " is a link; an archive is a file."};
  return std::move(*archive);
}

CompactOutcome take_back(file::DocumentFile& document) {
  const file::FileResult<std::string> text = document.read();
  if (text.has_error()) return CompactRefused{kUsage, text.error().message};
  auto opened = open_archive(document, *text);
  if (auto* refused = std::get_if<CompactRefused>(&opened)) return std::move(*refused);
  const file::DocumentFile& archive = std::get<file::DocumentFile>(opened);
  const std::optional<HeldDocument> held = hold_document(archive.path());
  if (!held) return CompactRefused{kBusy, archive.path() + " is busy: a turn runs in it."};
  const file::FileResult<std::string> archived = archive.read();
  if (archived.has_error()) return CompactRefused{kUsage, archived.error().message};
  auto whole = session::restored(*text, *archived,
                                 {split(document.path()).name, split(archive.path()).name});
  if (!std::holds_alternative<session::Restored>(whole))
    return CompactRefused{kUsage, archive.path() + " is no archive of " + document.shown_as() +
                                      ": agent_doc_archive_of there names its document."};
  const session::Restored& back = std::get<session::Restored>(whole);
  const auto done = exchange_text(document, *text, back.document);
  if (done.has_error()) return CompactRefused{kTurnFailed, done.error().message};
  if (*done == Exchanged::FoundOther)
    return CompactRefused{kChanged, changed_meanwhile(document.shown_as())};
  const bool removed = back.archive_is_used_up && remove_archive(archive.path(), *archived);

  CompactDone result;
  result.told = "Put " + std::to_string(back.turns) + (back.turns == 1 ? " turn" : " turns") +
                " back into " + document.shown_as() + ". " + archive.path() +
                (removed ? " is gone.\n" : " stays: it was changed since.\n");
  if (!back.is_front_matter_as_before)
    result.told +=
        "The front matter was changed since, so it stays: what is put back is new to the agent's "
        "session, and the next run tells it.\n";
  result.facts = {{"file", document.path()},
                  {"archive", archive.path()},
                  {"turns", back.turns},
                  {"archiveRemoved", removed},
                  {"frontMatterRestored", back.is_front_matter_as_before}};
  return result;
}

}  // namespace

int compact(const CompactOptions& options) {
  if (options.direction == CompactDirection::IntoArchive && options.keep == 0)
    return complain(kUsage, "how many turns are to stay? For example: --keep 5");
  file::FileResult<file::DocumentFile> document = file::DocumentFile::open(options.file);
  if (document.has_error()) return complain(kUsage, document.error().message);
  const std::optional<HeldDocument> held = hold_document(document->path());
  if (!held)
    return complain(kBusy, options.file + " is busy: a turn runs in it. Wait until it is over.");
  const CompactOutcome outcome = options.direction == CompactDirection::Undo
                                     ? take_back(*document)
                                     : compact_it(*document, options.keep);
  if (const auto* refused = std::get_if<CompactRefused>(&outcome))
    return complain(refused->code, refused->why);
  const auto& done = std::get<CompactDone>(outcome);
  write_all(STDOUT_FILENO, options.format == Format::Json
                               ? protocol::serialise_json(done.facts) + "\n"
                               : wrapped_for_terminal(done.told, 0));
  return kDone;
}

}  // namespace agent_doc::cli
