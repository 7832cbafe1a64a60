// The text of a plain file as its client owns it. Our edits are applied at once, write() brings
// them to the disk, and what other programs do to the file arrives as edits of this text. The text
// may be ahead of the disk, between two writes or while the disk is full, and never loses anything
// on either side: see document_file.hpp for the disk and merge.hpp for the text. There is no timer:
// the owner decides when to call look() and write(), which block on the disk.
//
// Why no byte is lost: at any time the text consists of the last text seen on the disk, all our
// edits, and all edits of others that were seen. Each step preserves that:
// - apply() adds an edit of ours; the disk is not touched.
// - Another text is found on the disk, by look() or by the check of write(): its changes since the
//   version that its author had read are mapped over our changes since that version, and applied.
//   The disk then has their text, and we are ahead of it by ours.
// - write() succeeds: the disk has our text.
// - write() displaces another text: the disk has our text, but theirs exists only in memory. Its
//   changes are mapped and applied in the same way, and we are ahead of the disk by them until the
//   next write().
// - write() has to put a displaced text back, because a program was writing it: somebody may have
//   read our text meanwhile, so it counts as a version that an author may have read, although the
//   disk never kept it.
// - A program opened the file before one of our writes displaced it and wrote into it only
//   afterwards, or displaced what we had just put back: the displaced files are looked at for
//   kStaleReadWindow, and what was written into one is merged like a text under the name.
//
// The owner comes back as long as dirty() is true; what it cannot write in the end it must keep
// elsewhere. A program that writes without pause can delay us, but nothing is lost: every round
// merges what it wrote before the next attempt.
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
    Ahead,   ///< text() must be written: call write() again
    /// Like Ahead, and a program that had not seen our last write has put its own text over it:
    /// write again before it reads the file.
    Undone,
    BeingWritten,  ///< another program is writing the file: try again in a moment
    Failed,        ///< problem() gives the reason; text() has everything
  };

  /// `text` is the result of file.read().
  FileBuffer(DocumentFile file, std::string text);

  const DocumentFile& file() const { return file_; }
  const text::TextBuffer& text() const { return text_; }
  /// Returns true when the disk does not have text().
  bool dirty() const { return dirty_; }

  void apply(const text::Edit& own);
  Step look(TimePoint now);
  /// Writes text() to the file. `now` is the time at which the call begins; however long the disk
  /// takes, the displaced file is watched from the end of the exchange.
  Step write(TimePoint now);

  /// An edit by another program, with positions in the text before it.
  struct ForeignEdit {
    text::Range range;  ///< columns in UTF-8
    std::string replacement;
  };
  /// Returns the edits by other programs since the last call, each relative to the text after the
  /// earlier ones.
  std::vector<ForeignEdit> take_foreign_edits();

  /// Returns the problem of the last step that was BeingWritten or Failed.
  const FileError& problem() const { return problem_; }

 private:
  Step failed(FileError error);
  Step look_at_file(TimePoint now);
  /// Returns false when a program is writing into one of the displaced files.
  bool look_at_displaced(TimePoint now);
  enum class Author { HadSeenIt, HadNotSeenIt };
  /// Merges `theirs`, which took the place of `before`. Returns whether its author had seen
  /// `before`.
  Author absorb(std::string_view before, std::string_view theirs);
  void apply_foreign(std::vector<text::Edit> edits);

  DocumentFile file_;
  text::TextBuffer text_;
  std::string disk_;  ///< the last text known to be in the file
  EarlierVersions earlier_;
  std::vector<ForeignEdit> foreign_edits_;
  FileError problem_;
  bool dirty_ = false;
};

}  // namespace agent_doc::file
