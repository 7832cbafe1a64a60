// Tells without reading whether a file was written since, and whether two descriptors are of the
// same file.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <chrono>
#include <cstdint>

namespace agent_doc::file {

/// A file written more recently than this can be written again with the same time: the kernel's
/// clock for files ticks every 1 to 10 ms.
inline constexpr std::chrono::milliseconds kFileClockTick{20};

class FileMark {
 public:
  /// Equals no mark, like the mark of a closed descriptor or of a file that was just written.
  FileMark() = default;
  static FileMark of(const process::FileDescriptor& file);

  /// Returns true only when the file was certainly not written between the two marks.
  friend bool operator==(const FileMark& one, const FileMark& other) {
    return one.settled_ && other.settled_ && one.size_ == other.size_ &&
           one.modified_ == other.modified_;
  }

 private:
  bool settled_ = false;
  std::int64_t size_ = 0;
  std::chrono::nanoseconds modified_{};
};

/// Returns false when either is closed.
bool is_same_file(const process::FileDescriptor& one, const process::FileDescriptor& other);

}  // namespace agent_doc::file
