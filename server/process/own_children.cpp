#include "server/process/own_children.hpp"

#include "server/process/process_stat.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace agent_doc::process {

namespace {

std::vector<pid_t> by_looking_at_all(const ProcFolder& proc) {
  std::vector<pid_t> children;
  for (const std::string& name : proc.names("")) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    const std::optional<ProcessStat> stat = parse_process_stat(pid, proc.read(name + "/stat"));
    if (stat && stat->parent == ::getpid()) children.push_back(pid);
  }
  return children;
}

}  // namespace

std::vector<std::string> ProcFolder::names(const std::string& folder) const {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(root_ + "/" + folder, error), end;
       !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

std::string ProcFolder::read(const std::string& file) const {
  std::ifstream stream(root_ + "/" + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::vector<pid_t> own_children(const ProcFolder& proc) {
  std::vector<pid_t> children;
  bool known = false;
  // A child belongs to the thread that started it, an orphan to any.
  for (const std::string& thread : proc.names("self/task")) {
    const std::vector<std::string> files = proc.names("self/task/" + thread);
    if (std::find(files.begin(), files.end(), "children") == files.end()) continue;
    known = true;
    std::istringstream numbers(proc.read("self/task/" + thread + "/children"));
    children.insert(children.end(), std::istream_iterator<pid_t>(numbers),
                    std::istream_iterator<pid_t>());
  }
  return known ? children : by_looking_at_all(proc);
}

}  // namespace agent_doc::process
