#include "server/app/tour_look.hpp"

#include "plugins/registry.hpp"
#include "server/process/child.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace agent_doc::app {

namespace {

namespace fs = std::filesystem;
using plugins::tour::FolderExtent;
using plugins::tour::FolderSight;

bool is_left_out(std::string_view name) {
  constexpr std::array<std::string_view, 4> kFilledByTools{"node_modules", "build", "target",
                                                           "__pycache__"};
  return name.starts_with('.') ||
         std::find(kFilledByTools.begin(), kFilledByTools.end(), name) != kFilledByTools.end();
}

std::string kind_of(const fs::path& file) {
  const std::string extension = text::repair_utf8(file.extension().string()).text;
  return extension.size() > 1 ? extension : text::repair_utf8(file.filename().string()).text;
}

void count_files(const fs::path& folder, FolderSight& sight) {
  std::map<std::string, std::size_t> kinds;
  std::error_code error;
  std::size_t entries = 0;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++entries > kMaxSeenEntries) {
      sight.extent = FolderExtent::OnlyTheBeginning;
      break;
    }
    std::error_code unknown;
    const fs::file_status status = at->symlink_status(unknown);
    if (is_left_out(at->path().filename().string())) {
      at.disable_recursion_pending();
    } else if (fs::is_directory(status)) {
      ++sight.folders;
      if (at.depth() < kMaxSeenDepth) continue;
      at.disable_recursion_pending();
      sight.extent = FolderExtent::OnlyTheBeginning;
    } else if (fs::is_regular_file(status)) {
      ++sight.files;
      ++kinds[kind_of(at->path())];
    }
  }
  if (error) sight.extent = FolderExtent::OnlyTheBeginning;
  for (const auto& [name, files] : kinds) sight.kinds.push_back({name, files});
}

void read_readme(const fs::path& folder, FolderSight& sight) {
  for (const char* name : {"README.md", "readme.md", "README", "README.txt", "README.rst"}) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(folder / name, error))) continue;
    std::ifstream file(folder / name, std::ios::binary);
    std::string beginning(kMaxReadmeBytes, '\0');
    file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(file.gcount()));
    sight.readme_name = name;
    sight.readme = text::repair_utf8(beginning).text;
    return;
  }
}

std::vector<std::string> installed_agents() {
  const char* path = std::getenv("PATH");
  std::vector<std::string> names;
  std::set<std::string_view> programs{"", "agent-doc"};
  for (const plugins::Dialect& dialect : plugins::dialects()) {
    if (!programs.insert(dialect.command).second) continue;  // another way to use the same program
    if (!process::find_executable(dialect.command, path == nullptr ? "" : path).empty())
      names.emplace_back(dialect.name);
  }
  return names;
}

}  // namespace

plugins::tour::FolderSight look_at_folder(const std::filesystem::path& folder) {
  plugins::tour::FolderSight sight;
  sight.name = text::repair_utf8(folder.filename().string()).text;
  count_files(folder, sight);
  read_readme(folder, sight);
  sight.agents = installed_agents();
  return sight;
}

}  // namespace agent_doc::app
