// What it is: the text of one plain file as its client owns it: our edits go into it at once,
// write() brings them to the disk, and what other programs do to the file comes in as edits of this
// text. The text may be ahead of the disk (between two writes, or while the disk is full) and never
// loses anything on either side: see document_file.hpp for the disk, merge.hpp for the text.
// What it is not: a client of a server (editors/cli/file_client.hpp), and it has no timer: the
// owner decides when to look and when to write.
// Thread rule: not thread-safe; one thread. look() and write() block for as long as the disk takes.
//
// Why no byte is lost. At any time the text is the last text seen on the disk, with all our edits,
// with all edits of others that were seen. Each step keeps that:
// - apply() adds an edit of ours; the disk is not touched.
// - another text is found on the disk (look(), or the check of write()): what changed since the
//   version that its author had read is moved over what we did since that version, and applied. The
//   disk has their text then, and we are ahead of it by ours.
// - write() succeeds: the disk has our text.
// - write() displaces another text: the disk has our text, but theirs exists only in our hands.
//   What they changed is moved and applied likewise, and the text is ahead of the disk by it until
//   the next write().
// - write() had to put a text back that it had displaced, because a program was in the middle of
//   writing it: somebody may have read our text meanwhile, so it is a version that an author may
//   have read, though the disk never kept it.
// - a program opened the file before one of our writes displaced it and wrote into it only
//   afterwards, or displaced what we had just put back: the files that came out are looked at for
//   kStaleReadWindow, and what was written into one is merged like a text under the name. As long
//   as dirty() is true the owner comes back; what it cannot write in the end it must keep
//   elsewhere. A foreign program that never pauses can delay us, not make us lose: every round
//   merges what it wrote before the next attempt.
#pragma once

#include "server/file/document_file.hpp"
#include "server/file/earlier_versions.hpp"
#include "server/text/text_buffer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace agent_doc::file {

class FileBuffer {
 public:
  using TimePoint = EarlierVersions::TimePoint;

  enum class Step {
    InStep,  ///< the disk has text()
    Ahead,   ///< text() is to be written: call write() again
    Undone,  ///< the same, and a program that had not seen our last write has put its own text over
             ///< it: write before it reads the file again
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
  /// `now` is when it begins. However long the disk takes: what came out of the exchange counts
  /// from its end.
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
  Step failed(FileError error);
  Step look_at_file(TimePoint now);
  /// False when a program is in the middle of writing into one of the displaced files.
  bool look_at_displaced(TimePoint now);
  enum class Author { HadSeenIt, HadNotSeenIt };
  /// Merges `theirs`, which stands where `before` stood. The answer tells whether its author had
  /// seen `before`.
  Author absorb(std::string_view before, std::string_view theirs);
  void apply_foreign(std::vector<text::Edit> edits);

  DocumentFile file_;
  text::TextBuffer text_;
  std::string disk_;  ///< the last text that we know the file had
  EarlierVersions earlier_;
  std::vector<ForeignEdit> foreign_edits_;
  FileError problem_;
  bool dirty_ = false;
};

}  // namespace agent_doc::file
