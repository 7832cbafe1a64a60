// What it is: the question "is anybody in the middle of writing this file?", asked of the kernel by
// a read lease (fcntl(2), F_SETLEASE).
// What it is not: a lock that others must know of. While it is held a program that opens the file
// for writing waits in open(2), so it is held for microseconds only. Thread rule: a plain owner.
// The descriptor outlives it.
#pragma once

namespace agent_doc::file {

class ReadLease {
 public:
  enum class State {
    Held,          ///< nobody has the file open for writing
    BeingWritten,  ///< somebody has
    Unknown,       ///< no leases here: a file of another user, or a file system without them
  };

  /// `descriptor` is open for reading only.
  explicit ReadLease(int descriptor);
  ~ReadLease();
  ReadLease(const ReadLease&) = delete;
  ReadLease& operator=(const ReadLease&) = delete;

  /// What is so now. A lease that was granted turns into BeingWritten as soon as a program waits to
  /// write.
  State state() const;

 private:
  int descriptor_;
  State granted_;
};

}  // namespace agent_doc::file
