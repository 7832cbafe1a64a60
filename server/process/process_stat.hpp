// The fields of /proc/PID/stat that we use (proc(5)). By the time they are read the number may
// belong to another process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace agent_doc::process {

struct ProcessStat {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  bool ended = false;       ///< a zombie, or about to become one
  std::uint64_t start = 0;  ///< clock ticks since boot
};

/// Returns nullopt when there is no such process.
std::optional<ProcessStat> read_process_stat(pid_t pid);
/// Parses the text of a `stat` file.
std::optional<ProcessStat> parse_process_stat(pid_t pid, const std::string& text);

/// Returns the contents of `/proc/PID/FILE`, up to about `limit` bytes; empty when it cannot be
/// read.
std::string read_process_file(pid_t pid, const char* file, std::size_t limit);

}  // namespace agent_doc::process
