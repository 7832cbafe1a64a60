// What it is: a folder of its own for one test, removed at its end, with the few things that tests
// of files do in it.
// What it is not: for the product.
// Thread rule: one thread.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::tests {

class TemporaryFolder {
 public:
  enum class Place {
    Disk,
    Memory,  ///< where there is such a place: fsync costs nothing there
  };
  explicit TemporaryFolder(Place place = Place::Disk) {
    const std::filesystem::path memory = "/dev/shm";
    const bool in_memory = place == Place::Memory && std::filesystem::is_directory(memory);
    std::string name =
        ((in_memory ? memory : std::filesystem::temp_directory_path()) / "agent-doc-test-XXXXXX")
            .string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = std::filesystem::canonical(name);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string operator/(std::string_view name) const { return (path_ / name).string(); }

  /// All names, also hidden ones, sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// In place: the file is truncated and written, as most programs do.
inline void write_file(const std::string& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// By another file that is renamed into place, as most editors do.
inline void rename_into(const std::string& path, std::string_view text) {
  write_file(path + ".new", text);
  std::filesystem::rename(path + ".new", path);
}

}  // namespace agent_doc::tests
