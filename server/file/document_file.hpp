// What it is: one plain file as a document: reads it with every check that a person should hear about, and replaces its text as a whole
// without ever losing what another program wrote. What it is not: a text with a history (file_buffer.hpp), nor a watch (file_watch.hpp).
// Thread rule: not thread-safe; one thread. Calls block for as long as the disk takes.
//
// How replace() works, and why no byte of another program is lost:
//
// 1. The new text is written into a temporary file in the same folder and synced. Then the file is read once more: if it is not what the
// caller
//    expects, nothing is touched and the caller gets the other text (Replacement::Outcome::FoundOther).
// 2. The two names are exchanged in one step. Whatever stood under the name at that instant, also a version that was written or renamed
// there after
//    the check, now stands under the temporary name, whole: an exchange destroys nothing.
// 3. What came out is read and compared. Only if it is what the caller expected it is removed. If it is another text, the caller gets it
//    (DisplacedOther) and merges it. If it cannot be handed over (not UTF-8, too large), or a program has it open for writing and may add
//    to it after the comparison, the names are exchanged back and the caller comes again.
// 4. A program that the kernel suspends between looking the name up and opening it writes into what came out when step 3 is long over. So
//    the caller gets the file itself, too (Replacement::displaced), and looks into it for a while.
//
// "A program has it open for writing" is asked by a read lease (fcntl(2), F_SETLEASE): the kernel grants it only when nobody has the file
// open for writing, and lets nobody open it for writing while it is held, so a text read under an unbroken lease is no half of somebody's
// write. A file that belongs to another user has no leases for us: there, and where the file system has none, a program that writes in
// place could still hold the displaced file. Where names cannot be exchanged (some network and FAT file systems), the file is renamed into
// place right after the check of step 1.
//
// The mode, the owner (as far as we may), the extended attributes and with them the access list of the file stay; hard links to it do not.
#pragma once

#include "server/file/file_error.hpp"
#include "server/process/file_descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::file {

inline constexpr std::size_t kMaxDocumentBytes = 64 * 1024 * 1024;

/// The two system calls that decide in replace(); each answers 0 or errno. A seam: tests let another program write right before them, or
/// take the exchange away.
class NameCalls {
 public:
  virtual ~NameCalls() = default;
  virtual int exchange(const std::string& one, const std::string& other);
  virtual int rename(const std::string& from, const std::string& to);
};

struct Replacement {
  enum class Outcome {
    Written,         ///< the file has the new text; what it had before was as expected
    FoundOther,      ///< nothing was written: the file has `other`
    DisplacedOther,  ///< the file has the new text; `other` came out, and is nowhere but here
  };
  Outcome outcome = Outcome::Written;
  std::string other;
  /// The file that came out, without a name now; closed when nothing came out.
  process::FileDescriptor displaced{};
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

  /// What is in a file that replace() displaced, with the same checks.
  FileResult<std::string> read_displaced(const process::FileDescriptor& displaced) const;
  /// The error that reading gives then.
  FileError being_written() const;

  /// Fails when replace() would for lack of permission, so that it can be told before an agent has worked for nothing.
  FileResult<void> check_writable() const;

  /// Makes `text` the file's text if it is `expected` now. After an error the file is as it was, and no temporary file is left.
  FileResult<Replacement> replace(std::string_view expected, std::string_view text);

  /// `calls` outlives this object.
  void use_for_tests(NameCalls& calls) { calls_ = &calls; }

 private:
  DocumentFile(std::string path, std::string shown_as);

  FileResult<Replacement> exchange(class ScratchFile& scratch, std::string_view expected, std::string_view text);
  FileResult<Replacement> what_came_out(const class ScratchFile& scratch, std::string_view expected) const;
  FileResult<Replacement> put_back(class ScratchFile& scratch, std::string_view expected, std::string_view text, FileError why);
  FileError error_of(int code, std::string_view doing) const;

  std::string path_;
  std::string shown_as_;
  std::string folder_;
  std::string lock_path_;  ///< of the other agent-doc (FORMATS of ARCHITECTURE.md), empty when it does not work here
  NameCalls* calls_;
};

}  // namespace agent_doc::file
