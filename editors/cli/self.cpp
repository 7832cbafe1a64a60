#include "editors/cli/self.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace agent_doc::cli {

std::string path_of_this_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string("/proc/self/exe") : path.string();
}

std::vector<std::string> guard_command() {
  return {path_of_this_program(), "guard"};
}

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? std::string() : path;
}

}  // namespace agent_doc::cli
