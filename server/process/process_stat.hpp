// What it is: what /proc says of one process (proc(5)).
// What it is not: a hold on it: the next process may have its number by now.
// Thread rule: functions without state.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace agent_doc::process {

struct ProcessStat {
  pid_t pid = 0, parent = 0, group = 0, session = 0;
  bool ended = false;       ///< a zombie, or one that just goes
  std::uint64_t start = 0;  ///< in clock ticks since the boot
};

/// Nothing when there is no such process.
std::optional<ProcessStat> read_process_stat(pid_t pid);
/// `text`: what stands in its `stat`.
std::optional<ProcessStat> parse_process_stat(pid_t pid, const std::string& text);

/// `/proc/PID/FILE`, up to about `limit` bytes; empty when it cannot be read.
std::string read_process_file(pid_t pid, const char* file, std::size_t limit);

}  // namespace agent_doc::process
