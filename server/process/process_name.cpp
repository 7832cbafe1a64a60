#include "server/process/process_name.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <string_view>

namespace agent_doc::process {

namespace process_name_internal {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Field 22 of proc(5)'s stat. The program's name before it may hold anything, so its fields are counted from the last parenthesis on.
std::string start_of(std::string_view stat) {
  constexpr int kFieldsBetween = 20;
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(name_end);
  for (int field = 0; field < kFieldsBetween; ++field) {
    const std::size_t space = stat.find(' ');
    if (space == std::string_view::npos) return {};
    stat.remove_prefix(space + 1);
  }
  return std::string(stat.substr(0, stat.find(' ')));
}

bool is_zombie(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string_view::npos && stat.substr(name_end).starts_with(") Z");
}

std::string boot() {
  std::string id = read_file("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace process_name_internal

std::string name_of_process(pid_t pid) {
  namespace internal = process_name_internal;
  const std::string stat = internal::read_file("/proc/" + std::to_string(pid) + "/stat");
  const std::string start = internal::start_of(stat);
  if (start.empty() || internal::is_zombie(stat)) return {};
  return std::to_string(pid) + "-" + start + "-" + internal::boot();
}

bool is_running(const std::string& name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && pid > 0 && name_of_process(pid) == name;
}

}  // namespace agent_doc::process
