// The children of this process, including those adopted as a subreaper. The cost is proportional to
// their number, not to the number of processes on the machine. A child's number stays its own until
// this process reaps it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace agent_doc::process {

/// Access to /proc. Tests replace it to see how much is read.
class ProcFolder {
 public:
  explicit ProcFolder(std::string root = "/proc") : root_(std::move(root)) {}
  virtual ~ProcFolder() = default;
  /// Returns the names in `folder`, relative to the root; empty when there is no such folder.
  virtual std::vector<std::string> names(const std::string& folder) const;
  /// Returns the text of `file`, relative to the root; empty when it cannot be read.
  virtual std::string read(const std::string& file) const;

 private:
  std::string root_;
};

/// Returns the children, including those that have ended and are not reaped. Falls back to looking
/// at all processes when the kernel has no /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN).
std::vector<pid_t> own_children(const ProcFolder& proc = ProcFolder());

}  // namespace agent_doc::process
