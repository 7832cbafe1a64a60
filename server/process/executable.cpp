// Implements find_executable() of child.hpp. Relative entries of PATH, the empty one included, are
// skipped: the server's working folder is often a workspace, and a workspace must not choose what
// runs.
#include "server/process/child.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace agent_doc::process {

namespace {

bool is_executable_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

std::string checked(const std::string& path) {
  if (!is_executable_file(path)) return {};
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? std::string() : absolute.string();
}

}  // namespace

std::string find_executable(std::string_view command, std::string_view path) {
  if (command.empty() || command.find('\0') != std::string_view::npos) return {};
  if (command.find('/') != std::string_view::npos) return checked(std::string(command));
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    if (!folder.starts_with('/')) continue;
    std::string found = checked(std::string(folder) + '/' + std::string(command));
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace agent_doc::process
