#include "editors/cli/self.hpp"

#include <filesystem>
#include <system_error>

namespace agent_doc::cli {

std::string path_of_this_program() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string("/proc/self/exe") : path.string();
}

}  // namespace agent_doc::cli
