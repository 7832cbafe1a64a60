// Asks the kernel, by a read lease (fcntl(2), F_SETLEASE), whether anybody is writing a file. While
// the lease is held, a program that opens the file for writing waits in open(2), so it is held for
// microseconds only.
#pragma once

namespace agent_doc::file {

class ReadLease {
 public:
  enum class State {
    Held,          ///< nobody has the file open for writing
    BeingWritten,  ///< somebody has the file open for writing
    Unknown,       ///< no leases here: a file of another user, or a file system without them
  };

  /// Takes the lease. `descriptor` must be open for reading only and outlive this object.
  explicit ReadLease(int descriptor);
  ~ReadLease();
  ReadLease(const ReadLease&) = delete;
  ReadLease& operator=(const ReadLease&) = delete;

  /// Returns the current state: a granted lease turns into BeingWritten as soon as a program waits
  /// to write.
  State state() const;

 private:
  int descriptor_;
  State granted_;
};

}  // namespace agent_doc::file
