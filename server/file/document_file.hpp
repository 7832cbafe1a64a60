// A plain file as a document: reading it with every check that the user should know about, and
// replacing its text without ever losing what another program wrote. It keeps no history
// (file_buffer.hpp) and does not watch the file (file_watch.hpp). Calls block on the disk.
//
// How replace() works, and why no byte of another program is lost:
//
// 1. The new text is written into a temporary file in the same folder and synced. Then the file is
//    read again, under a read lease that is held until the end of step 3. If its text is not the
//    expected one, nothing is touched and the caller gets the other text (Outcome::FoundOther).
// 2. The two names are exchanged atomically. Whatever had the document's name at that instant, even
//    a version renamed there after the check, now has the temporary name: an exchange destroys
//    nothing.
// 3. If the file that was checked came out, it has the expected text (Written): nobody could write
//    into it. If it is another file, its text is returned for the caller to merge (DisplacedOther).
//    If that is impossible (not UTF-8, too large), or a program has the displaced file open for
//    writing, or waits for the lease in order to write, the names are exchanged back and the caller
//    tries again. Others may have read the new text in between, or opened the file that has it, so
//    the caller is told that, too (Withdrawn).
// 4. A program that the kernel suspends between looking up the name and opening it writes into the
//    displaced file long after step 3. So the caller gets that file as well
//    (Replacement::displaced) and looks into it for a while.
//
// Whether a program has the file open for writing is found out by the read lease (fcntl(2),
// F_SETLEASE). The kernel grants it only when nobody has the file open for writing, and lets nobody
// open it for writing while it is held: so a text read under an unbroken lease is never half of
// somebody's write. Files of another user, and some file systems, have no leases for us: there the
// displaced file is read and compared in step 3, and a program that writes in place could still
// hold it. Where names cannot be exchanged (some network and FAT file systems), the file is renamed
// into place right after the check of step 1.
//
// The mode, the owner (as far as permitted) and the extended attributes, including the access
// control list, are kept; hard links are not.
#pragma once

#include "server/file/file_calls.hpp"
#include "server/file/file_error.hpp"
#include "server/process/file_descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::file {

inline constexpr std::size_t kMaxDocumentBytes = 64 * 1024 * 1024;

struct Replacement {
  enum class Outcome {
    Written,     ///< the file has the new text; before, it had the expected one
    FoundOther,  ///< nothing was written: the file has `other`
    /// The file has the new text. `other` came out of it and exists nowhere else.
    DisplacedOther,
    /// Nothing is written because of `why`, but for an instant the file had the new text.
    Withdrawn,
  };
  Outcome outcome = Outcome::Written;
  std::string other{};
  /// The file that came out; closed when none did. It has no name any more or, after Withdrawn, the
  /// document's name again.
  process::FileDescriptor displaced{};
  /// Unless Written at once: the file that had the new text for an instant, and the one that was
  /// put back for an instant and may have no name now. Either may be closed.
  process::FileDescriptor withdrawn{};
  process::FileDescriptor put_back{};
  FileError why{};
};

/// A text, and the file that has it.
struct FoundText {
  std::string text;
  process::FileDescriptor file;
};

class DocumentFile {
 public:
  /// Opens the document at `path`, as the user typed it; symbolic links are resolved once. The file
  /// must exist.
  static FileResult<DocumentFile> open(const std::string& path);

  /// Returns the absolute path without symbolic links.
  const std::string& path() const { return path_; }
  /// Returns the path for messages, as the user typed it.
  const std::string& shown_as() const { return shown_as_; }

  /// Returns the text of the file. Errors: see FileErrorKind.
  FileResult<std::string> read() const;
  FileResult<FoundText> find() const;

  /// Returns the text of a file that replace() displaced, with the same checks as read().
  FileResult<std::string> read_displaced(const process::FileDescriptor& displaced) const;
  /// Returns true when the document's name leads to `file`.
  bool is_named(const process::FileDescriptor& file) const;
  /// Returns the error for a file that is being written.
  FileError being_written() const;

  /// Fails when replace() would fail for lack of permission, so that the user hears of it before an
  /// agent has worked in vain.
  FileResult<void> check_writable() const;

  /// Replaces the text of the file by `text` if it is `expected`. After an error the file is
  /// unchanged and no temporary file is left.
  FileResult<Replacement> replace(std::string_view expected, std::string_view text);

  /// Replaces the system calls. `calls` must outlive this object.
  void use_for_tests(FileCalls& calls) { calls_ = &calls; }
  const FileCalls& calls() const { return *calls_; }

 private:
  DocumentFile(std::string path, std::string shown_as);

  struct Checked;
  FileResult<Replacement> exchange_if_expected(class ScratchFile& scratch,
                                               std::string_view expected, std::string_view text);
  FileResult<Replacement> exchange(class ScratchFile& scratch, Checked& checked,
                                   std::string_view expected, std::string_view text);
  FileResult<void> check_displaced(const class ScratchFile& scratch, Checked& checked,
                                   std::string_view expected, Replacement& replacement) const;
  Replacement put_back(class ScratchFile& scratch, Checked& checked, std::string_view expected,
                       std::string_view text, Replacement came_out);
  FileError error_of(int code, std::string_view doing) const;

  std::string path_;
  std::string shown_as_;
  std::string folder_;
  /// The lock that we share with the Rust program of our name; empty when it is not used here.
  std::string lock_path_;
  FileCalls* calls_;
};

}  // namespace agent_doc::file
