// What it is: the text of one plain file as its client owns it: our edits go into it at once, write() brings them to the disk, and what
// other programs do to the file comes in as edits of this text. The text may be ahead of the disk (between two writes, or while the disk is
// full) and never loses anything on either side: see document_file.hpp for the disk, merge.hpp for the text. What it is not: a client of a
// server (editors/cli/file_client.hpp), and it has no timer: the owner decides when to look and when to write. Thread rule: not
// thread-safe; one thread. look() and write() block for as long as the disk takes.
//
// Why no byte is lost. At any time the text is the last text seen on the disk, with all our edits, with all edits of others that were seen.
// Each step keeps that:
// - apply() adds an edit of ours; the disk is not touched.
// - another text is found on the disk (look(), or the check of write()): what changed since the version that its author had read is moved
// over what we
//   did since that version, and applied. The disk has their text then, and we are ahead of it by ours.
// - write() succeeds: the disk has our text.
// - write() displaces another text: the disk has our text, but theirs exists only in our hands. What they changed is moved and applied
// likewise, and
//   the text is ahead of the disk by it until the next write().
// - a program opened the file before one of our writes displaced it and wrote into it only afterwards: the displaced files are looked at for
//   kStaleReadWindow, and what was written into one is merged from the text that it had.
// As long as dirty() is true the owner comes back; what it cannot write in the end it must keep elsewhere. A foreign program that never
// pauses can delay us, not make us lose: every round merges what it wrote before the next attempt.
#pragma once

#include "server/file/document_file.hpp"
#include "server/text/text_buffer.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::file {

/// How long a program may take between reading the file and writing it back without undoing our writes in between.
inline constexpr std::chrono::seconds kStaleReadWindow{2};
/// Memory for the versions that takes.
inline constexpr std::size_t kMaxEarlierBytes = 64 * 1024 * 1024;

/// By which a change of a file is seen without reading it.
struct FileMark {
  std::int64_t size = 0;
  std::int64_t modified_seconds = 0;
  std::int64_t modified_nanoseconds = 0;
  bool operator==(const FileMark&) const = default;
};

class FileBuffer {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  enum class Step {
    InStep,  ///< the disk has text()
    Ahead,   ///< text() is to be written: call write() again
    Undone,  ///< the same, and a program that had not seen our last write has put its own text over it: write before it reads the file again
    BeingWritten,  ///< another program is in the middle of writing the file: come again in a moment
    Failed,        ///< problem() says why; text() has everything
  };

  /// `text` is what file.read() gave.
  FileBuffer(DocumentFile file, std::string text);

  const DocumentFile& file() const { return file_; }
  const text::TextBuffer& text() const { return text_; }
  /// True when the disk does not have text().
  bool dirty() const { return dirty_; }

  void apply(const text::Edit& own);
  Step look(TimePoint now);
  Step write(TimePoint now);

  /// One foreign edit, in offsets and positions of the text before it.
  struct ForeignEdit {
    text::Range range;  ///< UTF-8 columns
    std::string replacement;
  };
  /// What other programs did since the last call, each against the text after the ones before.
  std::vector<ForeignEdit> take_foreign_edits();

  /// Of the last step that was BeingWritten or Failed.
  const FileError& problem() const { return problem_; }

 private:
  struct Earlier {
    std::string text;
    TimePoint replaced_at;
    process::FileDescriptor file;  ///< what had this text, without a name now; may be closed
    FileMark file_mark;
  };

  Step failed(FileError error);
  Step look_at_file(TimePoint now);
  /// False when a program is in the middle of writing into one of the displaced files.
  bool look_at_displaced(TimePoint now);
  void forget_old(TimePoint now);
  void apply_foreign(std::vector<text::Edit> edits);
  /// True when its author had not seen our last write.
  bool absorb(std::string_view theirs, TimePoint now);
  void remember(std::string text, TimePoint now, process::FileDescriptor file);

  DocumentFile file_;
  text::TextBuffer text_;
  std::string disk_;             ///< the last text that we know the file had
  std::deque<Earlier> earlier_;  ///< what the file had before our last writes, newest first
  std::vector<ForeignEdit> foreign_edits_;
  FileError problem_;
  bool dirty_ = false;
};

}  // namespace agent_doc::file
