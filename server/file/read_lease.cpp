#include "server/file/read_lease.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>

namespace agent_doc::file {

ReadLease::ReadLease(int descriptor) : descriptor_(descriptor), granted_(State::Held) {
  // By default the kernel announces a waiting writer by SIGIO, which ends a process; SIGURG is
  // ignored by default.
  if (::fcntl(descriptor, F_SETSIG, SIGURG) == 0 && ::fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0)
    return;
  granted_ = errno == EAGAIN ? State::BeingWritten : State::Unknown;
}

ReadLease::~ReadLease() {
  if (granted_ == State::Held) ::fcntl(descriptor_, F_SETLEASE, F_UNLCK);
}

ReadLease::State ReadLease::state() const {
  if (granted_ != State::Held) return granted_;
  return ::fcntl(descriptor_, F_GETLEASE) == F_RDLCK ? State::Held : State::BeingWritten;
}

}  // namespace agent_doc::file
