// What it is: what tells without reading that a file was not written since, and whether two
// descriptors are of one file.
// What it is not: a comparison of texts.
// Thread rule: plain values.
#pragma once

#include "server/process/file_descriptor.hpp"

#include <chrono>
#include <cstdint>

namespace agent_doc::file {

/// A file written more lately than this may be written once more with the same time: the kernel's
/// clock for files ticks every 1 to 10 ms.
inline constexpr std::chrono::milliseconds kFileClockTick{20};

class FileMark {
 public:
  /// Equal to none, like that of a closed descriptor and of a file that was written a tick ago.
  FileMark() = default;
  static FileMark of(const process::FileDescriptor& file);

  /// True only when the file was surely not written between the two marks.
  friend bool operator==(const FileMark& one, const FileMark& other) {
    return one.settled_ && other.settled_ && one.size_ == other.size_ &&
           one.modified_ == other.modified_;
  }

 private:
  bool settled_ = false;
  std::int64_t size_ = 0;
  std::chrono::nanoseconds modified_{};
};

/// False when one of them is closed.
bool is_same_file(const process::FileDescriptor& one, const process::FileDescriptor& other);

}  // namespace agent_doc::file
