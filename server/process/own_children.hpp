// What it is: the processes whose parent this process is, those that came to it as a subreaper
// included. What they cost is proportional to them, not to the number of processes that the machine
// has.
// What it is not: a hold on them; but until this process reaps one, its number is its own.
// Thread rule: reads /proc; no state but the count.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace agent_doc::process {

/// Where /proc is. A seam: tests look how much of it is read.
class ProcFolder {
 public:
  explicit ProcFolder(std::string root = "/proc") : root_(std::move(root)) {}
  virtual ~ProcFolder() = default;
  /// Names of a folder below it; empty when there is none.
  virtual std::vector<std::string> names(const std::string& folder) const;
  /// The text of a file below it; empty when it cannot be read, or is empty.
  virtual std::string read(const std::string& file) const;

 private:
  std::string root_;
};

/// Also those that have ended and are not reaped. A kernel without /proc/PID/task/TID/children
/// (CONFIG_PROC_CHILDREN) is asked for all processes.
std::vector<pid_t> own_children(const ProcFolder& proc = ProcFolder());

}  // namespace agent_doc::process
