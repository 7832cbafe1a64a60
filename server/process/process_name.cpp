#include "server/process/process_name.hpp"

#include "server/process/process_stat.hpp"

#include <charconv>
#include <fstream>
#include <optional>

namespace agent_doc::process {

namespace {

std::string boot() {
  std::string id;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
  return id;
}

}  // namespace

std::string name_of_process(pid_t pid) {
  const std::optional<ProcessStat> stat = read_process_stat(pid);
  if (!stat || stat->ended) return {};
  return std::to_string(pid) + "-" + std::to_string(stat->start) + "-" + boot();
}

bool is_running(const std::string& name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && pid > 0 && name_of_process(pid) == name;
}

}  // namespace agent_doc::process
