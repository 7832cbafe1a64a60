// The texts that a file had a moment ago, which another program may have read and not yet written
// back, and the files that had them, into which a program may still write although no name leads
// there. merge.hpp and file_buffer.hpp merge what they become.
#pragma once

#include "server/file/document_file.hpp"
#include "server/file/file_mark.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::file {

/// How long a program may take between reading the file and writing it back without undoing our
/// writes in between.
inline constexpr std::chrono::seconds kStaleReadWindow{2};
/// Limits for the memory and the descriptors of the kept versions.
inline constexpr std::size_t kMaxEarlierBytes = 64 * 1024 * 1024;
inline constexpr std::size_t kMaxEarlierVersions = 128;

class EarlierVersions {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// Adds a version. `file` is the file that has the text; it may be closed.
  void remember(std::string text, TimePoint now, process::FileDescriptor file);
  void forget_old(TimePoint now);

  /// Returns the texts, newest first. They are valid until the next call of another function.
  std::vector<std::string_view> texts() const;

  /// Records that `file`, which has the document's name, has `text`.
  void record_text(const process::FileDescriptor& file, std::string_view text);

  struct Change {
    std::string before;
    std::string after;
  };
  struct Look {
    std::optional<Change> change;
    bool being_written = false;  ///< a program is writing into one of the files right now
  };
  /// Returns the next change in a file that no longer has the name of `document`, or no change when
  /// all were looked at. Blocks on the disk.
  Look next_change(const DocumentFile& document);

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Version {
    Text text;
    TimePoint replaced_at;
  };
  struct File {
    process::FileDescriptor descriptor;
    Text text;
    TimePoint replaced_at;
    FileMark mark;  ///< as of the last look
  };

  std::deque<Version> versions_;  ///< newest first
  std::deque<File> files_;        ///< newest first
};

}  // namespace agent_doc::file
