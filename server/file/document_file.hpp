// What it is: one plain file as a document: reads it with every check that a person should hear
// about, and replaces its text as a whole without ever losing what another program wrote. What it
// is not: a text with a history (file_buffer.hpp), nor a watch (file_watch.hpp).
// Thread rule: not thread-safe; one thread. Calls block for as long as the disk takes.
//
// How replace() works, and why no byte of another program is lost:
//
// 1. The new text is written into a temporary file in the same folder and synced. Then the file is
//    read once more, under a read lease that is held until step 3 is over: if it is not what the
//    caller expects, nothing is touched and the caller gets the other text
//    (Replacement::Outcome::FoundOther).
// 2. The two names are exchanged in one step. Whatever stood under the name at that instant, also a
//    version that was renamed there after the check, now stands under the temporary name, whole: an
//    exchange destroys nothing.
// 3. If the file that was checked came out, it has what the caller expected (Written): nobody could
//    write into it. If it is another file, it is read, and the caller gets its text
//    (DisplacedOther) and merges it. If that cannot be handed over (not UTF-8, too large), or a
//    program has what came out open for writing, or waits for the lease to write into it, the names
//    are exchanged back and the caller comes again. Who looked in between has read the new text, or
//    found the file that has it: so the caller is told (Withdrawn).
// 4. A program that the kernel suspends between looking the name up and opening it writes into what
//    came out when step 3 is long over. So the caller gets the file itself, too
//    (Replacement::displaced), and looks into it for a while.
//
// "A program has it open for writing" is asked by the same read lease (fcntl(2), F_SETLEASE): the
// kernel grants it only when nobody has the file open for writing, and lets nobody open it for
// writing while it is held, so a text read under an unbroken lease is no half of somebody's write.
// A file that belongs to another user has no leases for us: there, and where the file system has
// none, what came out is read and compared in step 3, and a program that writes in place could
// still hold the displaced file. Where names cannot be exchanged (some network and FAT file
// systems), the file is renamed into place right after the check of step 1.
//
// The mode, the owner (as far as we may), the extended attributes and with them the access list of
// the file stay; hard links to it do not.
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
    Written,         ///< the file has the new text; what it had before was as expected
    FoundOther,      ///< nothing was written: the file has `other`
    DisplacedOther,  ///< the file has the new text; `other` came out, and is nowhere but here
    Withdrawn,  ///< nothing is written because of `why`, but for an instant the file had the new
                ///< text
  };
  Outcome outcome = Outcome::Written;
  std::string other{};
  /// The file that came out; closed when nothing came out. It has no name now, or when Withdrawn
  /// the document's again.
  process::FileDescriptor displaced{};
  /// When it was not Written at once: the file that had the new text for an instant, and the one
  /// that was put back for an instant and may have no name now. Each may be closed.
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
  /// `path` is what the person typed; symbolic links are resolved once. The file must exist.
  static FileResult<DocumentFile> open(const std::string& path);

  /// Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  /// For messages.
  const std::string& shown_as() const { return shown_as_; }

  /// The text, or why it is none: see FileErrorKind.
  FileResult<std::string> read() const;
  FileResult<FoundText> find() const;

  /// What is in a file that replace() displaced, with the same checks.
  FileResult<std::string> read_displaced(const process::FileDescriptor& displaced) const;
  /// True when the document's name stands for this file.
  bool is_named(const process::FileDescriptor& file) const;
  /// The error that reading gives then.
  FileError being_written() const;

  /// Fails when replace() would for lack of permission, so that it can be told before an agent has
  /// worked for nothing.
  FileResult<void> check_writable() const;

  /// Makes `text` the file's text if it is `expected` now. After an error the file is as it was,
  /// and no temporary file is left.
  FileResult<Replacement> replace(std::string_view expected, std::string_view text);

  /// `calls` outlives this object.
  void use_for_tests(FileCalls& calls) { calls_ = &calls; }
  const FileCalls& calls() const { return *calls_; }

 private:
  DocumentFile(std::string path, std::string shown_as);

  struct Checked;
  FileResult<Replacement> exchange_if_expected(class ScratchFile& scratch,
                                               std::string_view expected, std::string_view text);
  FileResult<Replacement> exchange(class ScratchFile& scratch, Checked& checked,
                                   std::string_view expected, std::string_view text);
  FileResult<void> look_at_what_came_out(const class ScratchFile& scratch, Checked& checked,
                                         std::string_view expected, Replacement& replacement) const;
  Replacement put_back(class ScratchFile& scratch, Checked& checked, std::string_view expected,
                       std::string_view text, Replacement came_out);
  FileError error_of(int code, std::string_view doing) const;

  std::string path_;
  std::string shown_as_;
  std::string folder_;
  std::string lock_path_;  ///< shared with the Rust program of our name; empty: no such lock here
  FileCalls* calls_;
};

}  // namespace agent_doc::file
