#include "server/file/document_file.hpp"

#include "server/file/file_lock.hpp"
#include "server/file/file_mark.hpp"
#include "server/file/read_lease.hpp"
#include "server/file/scratch_file.hpp"
#include "server/file/sha256.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

namespace agent_doc::file {

namespace {

std::string mebibytes(std::size_t bytes) {
  constexpr std::size_t kMebibyte = 1024 * 1024;
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

std::string line_of(std::string_view text, std::size_t at) {
  return "line " +
         std::to_string(
             1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Returns true for a folder of this user, not for a link to one.
bool is_own_folder(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

/// Returns `.agent-doc/locks/<hash>.lock` in the nearest folder above in which this user created
/// it, or an empty string. What another user created neither stops nor redirects us.
std::string shared_lock_path(const std::string& path) {
  for (std::string folder = folder_of(path);; folder = folder_of(folder)) {
    const std::string own = (folder == "/" ? "" : folder) + "/.agent-doc";
    if (is_own_folder(own) && is_own_folder(own + "/locks"))
      return own + "/locks/" + sha256_hex(path) + ".lock";
    if (folder == "/") return {};
  }
}

FileError too_large(const std::string& shown_as, std::size_t bytes) {
  return {FileErrorKind::TooLarge, shown_as + " is too large: it has " + mebibytes(bytes) +
                                       ", a document may have " + mebibytes(kMaxDocumentBytes) +
                                       ". Move older parts of it into another file."};
}

std::optional<FileError> why_not_text(const std::string& shown_as, std::string_view bytes) {
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) {
    return FileError{FileErrorKind::Binary,
                     shown_as + " is a binary file: there is a NUL byte in " + line_of(bytes, nul) +
                         ". agent-doc works on text files; check that this is the one you meant."};
  }
  const std::size_t invalid = text::first_invalid_utf8(bytes);
  if (invalid == bytes.size()) return std::nullopt;
  std::array<char, 8> byte{};
  std::snprintf(byte.data(), byte.size(), "0x%02X", static_cast<unsigned char>(bytes[invalid]));
  return FileError{FileErrorKind::InvalidUtf8,
                   shown_as + " is not valid UTF-8: byte " + byte.data() + " in " +
                       line_of(bytes, invalid) +
                       ". Convert it first, for example: iconv -f ISO-8859-1 -t UTF-8"};
}

FileResult<std::string> read_all(int descriptor, const std::string& shown_as,
                                 std::size_t expected_size) {
  std::string bytes;
  std::size_t size = 0;
  // One byte more than expected, so that the end is found without growing.
  for (bytes.resize(expected_size + 1);; bytes.resize(bytes.size() * 2)) {
    while (size < bytes.size()) {
      const ssize_t count = ::read(descriptor, bytes.data() + size, bytes.size() - size);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0)
        return FileError{FileErrorKind::Failed,
                         shown_as + " cannot be read: " + std::strerror(errno) + "."};
      if (count == 0) {
        bytes.resize(size);
        return bytes;
      }
      size += static_cast<std::size_t>(count);
    }
    if (size > kMaxDocumentBytes) return too_large(shown_as, size);
  }
}

FileError busy_error(const std::string& shown_as) {
  return {FileErrorKind::BeingWritten,
          shown_as +
              " is held open for writing by another program, so the reply could not be written "
              "into it. Close it there (who it is: fuser -v " +
              shown_as + ")."};
}

/// Returns the complete text of the file, never half of what a program is writing. `lease` is a
/// lease on `descriptor`.
FileResult<std::string> read_settled(int descriptor, const ReadLease& lease,
                                     const std::string& shown_as) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    return FileError{FileErrorKind::Failed,
                     shown_as + " cannot be read: " + std::strerror(errno) + "."};
  if (S_ISDIR(status.st_mode)) {
    return FileError{
        FileErrorKind::Directory,
        shown_as + " is a directory. Name a markdown file, for example " + shown_as + "/notes.md"};
  }
  if (!S_ISREG(status.st_mode)) {
    return FileError{
        FileErrorKind::NotRegular,
        shown_as +
            " is not a regular file (it is a pipe, a device or a socket). Name a markdown file."};
  }
  if (status.st_size > static_cast<off_t>(kMaxDocumentBytes))
    return too_large(shown_as, static_cast<std::size_t>(status.st_size));
  if (lease.state() == ReadLease::State::BeingWritten) return busy_error(shown_as);
  FileResult<std::string> bytes =
      read_all(descriptor, shown_as, static_cast<std::size_t>(status.st_size));
  if (bytes.has_error()) return bytes;
  if (lease.state() == ReadLease::State::BeingWritten) return busy_error(shown_as);
  if (const std::optional<FileError> reason = why_not_text(shown_as, *bytes)) return *reason;
  return bytes;
}

/// Opens the file if it has exactly this text and nobody has it open for writing; otherwise returns
/// a closed descriptor.
process::FileDescriptor settled_as(const std::string& path, std::string_view text) {
  process::FileDescriptor descriptor(::open(path.c_str(), kReadFlags));
  if (!descriptor.is_open()) return descriptor;
  const ReadLease lease(descriptor.get());
  const FileResult<std::string> found = read_settled(descriptor.get(), lease, path);
  return found.has_value() && *found == text ? std::move(descriptor) : process::FileDescriptor();
}

bool names(const std::string& path, const process::FileDescriptor& file) {
  return is_same_file(
      process::FileDescriptor(::open(path.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW)), file);
}

/// A failure undoes nothing: the name leads to the new text, which only a loss of power could still
/// take away.
void sync_folder(FileCalls& calls, const std::string& folder) {
  const process::FileDescriptor descriptor(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) calls.sync(descriptor.get());
}

FileError system_error(int code, std::string_view doing, const std::string& shown_as,
                       const std::string& folder) {
  const std::string what = shown_as + " cannot " + std::string(doing) + ": ";
  switch (code) {
    case ENOENT:
    case ENOTDIR:
      return {FileErrorKind::NotFound,
              shown_as + ": no such file. To begin it: agent-doc new " + shown_as};
    case ELOOP:
      return {FileErrorKind::NotRegular, what +
                                             "it is a symbolic link that leads nowhere, or became "
                                             "one meanwhile. Name the file itself."};
    case EISDIR:
      return {FileErrorKind::Directory, shown_as + " is a directory. Name a markdown file."};
    case EACCES:
    case EPERM:
      return {FileErrorKind::NoPermission, what +
                                               "permission denied. A reply is written through a "
                                               "new file in the same folder: ls -ld " +
                                               shown_as + " " + folder + " shows who may."};
    case EROFS:
      return {FileErrorKind::NoPermission,
              what + "its file system is read-only. Copy it to another place and run it there."};
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {FileErrorKind::NoSpace, what + std::strerror(code) +
                                          ". The file is as it was; make room in " + folder +
                                          " (df -h " + folder + ")."};
    default:
      return {FileErrorKind::Failed, what + std::strerror(code) + "."};
  }
}

bool cannot_exchange(int code) {
  return code == EINVAL || code == ENOSYS || code == EOPNOTSUPP;
}

}  // namespace

/// The file that has the name before an exchange, and the lease under which it was read.
struct DocumentFile::Checked {
  explicit Checked(process::FileDescriptor found) : file(std::move(found)), lease(file.get()) {}

  process::FileDescriptor file;
  ReadLease lease;
};

DocumentFile::DocumentFile(std::string path, std::string shown_as)
    : path_(std::move(path)),
      shown_as_(std::move(shown_as)),
      folder_(folder_of(path_)),
      lock_path_(shared_lock_path(path_)),
      calls_(&FileCalls::of_the_system()) {}

FileResult<DocumentFile> DocumentFile::open(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr),
                                                             &std::free);
  const int code = errno;
  if (resolved) return DocumentFile(resolved.get(), path);
  return system_error(code, "be opened", path, folder_of(path));
}

FileResult<std::string> DocumentFile::read() const {
  FileResult<FoundText> found = find();
  if (found.has_error()) return found.error();
  return std::move(found->text);
}

FileResult<FoundText> DocumentFile::find() const {
  process::FileDescriptor descriptor = calls_->open(path_);
  if (!descriptor.is_open()) return error_of(errno, "be read");
  const ReadLease lease(descriptor.get());
  FileResult<std::string> text = read_settled(descriptor.get(), lease, shown_as_);
  if (text.has_error()) return text.error();
  return FoundText{std::move(*text), std::move(descriptor)};
}

bool DocumentFile::is_named(const process::FileDescriptor& file) const {
  return names(path_, file);
}

FileResult<std::string> DocumentFile::read_displaced(
    const process::FileDescriptor& displaced) const {
  const ReadLease lease(displaced.get());
  if (::lseek(displaced.get(), 0, SEEK_SET) != 0) return error_of(errno, "be read");
  return read_settled(displaced.get(), lease, shown_as_);
}

FileError DocumentFile::being_written() const {
  return busy_error(shown_as_);
}

FileResult<void> DocumentFile::check_writable() const {
  if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    return error_of(errno, "be written");
  if (::faccessat(AT_FDCWD, folder_.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    return error_of(errno, "be replaced in its folder");
  return {};
}

FileError DocumentFile::error_of(int code, std::string_view doing) const {
  return system_error(code, doing, shown_as_, folder_);
}

FileResult<Replacement> DocumentFile::replace(std::string_view expected, std::string_view text) {
  if (text.size() > kMaxDocumentBytes) return too_large(shown_as_, text.size());
  if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    return error_of(errno, "be written");
  std::optional<FileLock> shared_lock;
  if (!lock_path_.empty()) {
    boost::system::result<std::optional<FileLock>> lock = FileLock::try_lock(lock_path_);
    // Anything else in the lock's place, or a failure to create it, is ignored: the lock serves
    // other programs, and the file itself is safe without it.
    if (lock.has_value() && !*lock)
      return FileError{
          FileErrorKind::BeingWritten,
          shown_as_ + " is locked by another agent-doc (" + lock_path_ + "). End it there."};
    if (lock.has_value()) shared_lock = std::move(*lock);
  }

  ScratchFile scratch(*calls_);
  int code = scratch.create(folder_);
  if (code == 0) code = scratch.write(text);
  if (code == 0) code = scratch.take_metadata_of(path_);
  if (code == 0) code = scratch.sync();
  if (code != 0) return error_of(code, "be written");
  FileResult<Replacement> replacement = exchange_if_expected(scratch, expected, text);
  if (replacement.has_value() && replacement->outcome != Replacement::Outcome::FoundOther)
    sync_folder(*calls_, folder_);
  return replacement;
}

FileResult<Replacement> DocumentFile::exchange_if_expected(ScratchFile& scratch,
                                                           std::string_view expected,
                                                           std::string_view text) {
  Checked checked(calls_->open(path_));
  if (!checked.file.is_open()) return error_of(errno, "be read");
  FileResult<std::string> before = read_settled(checked.file.get(), checked.lease, shown_as_);
  if (before.has_error()) return before.error();
  if (*before != expected) return Replacement{Replacement::Outcome::FoundOther, std::move(*before)};
  return exchange(scratch, checked, expected, text);
}

FileResult<Replacement> DocumentFile::exchange(ScratchFile& scratch, Checked& checked,
                                               std::string_view expected, std::string_view text) {
  int code = calls_->exchange(scratch.path(), path_);
  if (cannot_exchange(code)) {
    code = calls_->rename(scratch.path(), path_);
    if (code != 0) return error_of(code, "be written");
    scratch.release_name();
    return Replacement{};
  }
  if (code != 0) return error_of(code, "be written");
  Replacement replacement;
  const FileResult<void> came_out = check_displaced(scratch, checked, expected, replacement);
  if (came_out.has_value()) return replacement;
  replacement.why = came_out.error();
  return put_back(scratch, checked, expected, text, std::move(replacement));
}

FileResult<void> DocumentFile::check_displaced(const ScratchFile& scratch, Checked& checked,
                                               std::string_view expected,
                                               Replacement& replacement) const {
  replacement.outcome = Replacement::Outcome::Written;
  if (checked.lease.state() != ReadLease::State::Unknown && names(scratch.path(), checked.file)) {
    replacement.displaced = std::move(checked.file);
    if (checked.lease.state() == ReadLease::State::BeingWritten) return being_written();
    return {};
  }
  replacement.displaced = process::FileDescriptor(::open(scratch.path().c_str(), kReadFlags));
  if (!replacement.displaced.is_open()) return error_of(errno, "be read");
  // Held until the text is read: a program that wants to write into the displaced file waits
  // meanwhile, and the check at the end sees it.
  const ReadLease lease(replacement.displaced.get());
  FileResult<std::string> theirs = read_settled(replacement.displaced.get(), lease, shown_as_);
  if (theirs.has_error()) return theirs.error();
  if (*theirs == expected) return {};
  replacement.outcome = Replacement::Outcome::DisplacedOther;
  replacement.other = std::move(*theirs);
  return {};
}

Replacement DocumentFile::put_back(ScratchFile& scratch, Checked& checked,
                                   std::string_view expected, std::string_view text,
                                   Replacement came_out) {
  came_out.outcome = Replacement::Outcome::Withdrawn;
  if (calls_->exchange(scratch.path(), path_) == 0) {
    came_out.withdrawn = settled_as(scratch.path(), text);
    if (scratch.name_is_own() && came_out.withdrawn.is_open()) return came_out;
    // A third program put its file in place between the two exchanges, or wrote into ours. That is
    // the newest text and belongs there; what was to be put back may be complete by now.
    calls_->exchange(scratch.path(), path_);
    came_out.put_back = std::move(came_out.displaced);
    if (check_displaced(scratch, checked, expected, came_out).has_value()) return came_out;
    came_out.outcome = Replacement::Outcome::Withdrawn;
  }
  came_out.why.message += " The version before it was kept as " + scratch.path() +
                          "; compare it with " + shown_as_ + ".";
  scratch.release_name();
  return came_out;
}

}  // namespace agent_doc::file
