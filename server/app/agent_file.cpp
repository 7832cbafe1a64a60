#include "server/app/agent_file.hpp"

#include "server/app/new_file.hpp"
#include "server/file/scratch_file.hpp"
#include "server/lsp/uri.hpp"
#include "server/process/file_descriptor.hpp"
#include "server/text/utf8.hpp"
#include "server/turn/sanitiser.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace agent_doc::app {

namespace {

boost::system::error_code error_of(int number) {
  return {number, boost::system::system_category()};
}

/// Returns the path with all links followed. Returns an empty string and sets errno when there is
/// no such file.
std::string existing_path(const std::string& path) {
  std::array<char, PATH_MAX> resolved{};
  return ::realpath(path.c_str(), resolved.data()) == nullptr ? std::string()
                                                              : std::string(resolved.data());
}

/// Returns the path of a file that does not exist yet, in a folder that does. Returns an empty
/// string and sets errno when that is not the case.
std::string real_path_of_new(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  struct stat status {};
  // A dangling link is there, which could lead anywhere.
  if (name.empty() || name == "." || name == ".." || ::lstat(path.c_str(), &status) == 0) {
    errno = ENOENT;
    return {};
  }
  const std::string folder = existing_path(lsp::folder_of(path));
  return folder.empty() ? folder : folder + (folder == "/" ? "" : "/") + name;
}

std::string shown(const std::string& path) {
  return turn::one_line(path, 500);
}

bool is_inside(const std::string& root, const std::string& path) {
  return root == "/" ||
         (path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/');
}

}  // namespace

lsp::FilePlace file_inside(const std::string& folder, const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return {{}, "the path is empty, or is no path"};
  const std::string wanted = path.front() == '/' ? path : folder + "/" + path;
  const std::string root = existing_path(folder);
  if (root.empty())
    return {{}, "the working folder " + shown(folder) + " cannot be used: " + std::strerror(errno)};
  std::string real = existing_path(wanted);
  if (real.empty() && errno == ENOENT) real = real_path_of_new(wanted);
  if (real.empty()) return {{}, shown(path) + " cannot be used: " + std::strerror(errno)};
  if (is_inside(root, real)) return {std::move(real), {}};
  return {{},
          shown(path) + " is outside of the working folder " + shown(folder) +
              ", and agent-doc reads and writes only inside of it"};
}

std::string real_path(const std::string& path) {
  std::string real = existing_path(path);
  if (real.empty() && errno == ENOENT) real = real_path_of_new(path);
  return real.empty() ? path : real;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

session::FolderPlace folder_inside(const std::string& workspace, const std::string& path) {
  const std::string root = existing_path(workspace);
  if (root.empty())
    return {{},
            "cannot be looked for: the workspace " + shown(workspace) + " cannot be used (" +
                std::strerror(errno) + ")"};
  std::string real = existing_path(path);
  if (real.empty() && errno == ENOENT)
    return {{}, "is not there (" + shown(path) + ")", session::FolderPlace::Advice::MakeIt};
  if (real.empty())
    return {{}, "cannot be used (" + shown(path) + ": " + std::strerror(errno) + ")"};
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    return {{}, "is not a folder (" + shown(path) + ")"};
  if (real == root || is_inside(root, real)) return {std::move(real), {}};
  return {
      {},
      "is not a folder inside the workspace " + shown(workspace) + ": it leads to " + shown(real)};
}

boost::system::result<std::string> read_text_file(const std::string& path) {
  const process::FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return error_of(errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return error_of(errno);
  if (!S_ISREG(status.st_mode)) return error_of(S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  std::string text;
  std::array<char, 64 * 1024> piece{};
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return error_of(errno);
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > lsp::kMaxAgentFileBytes) return error_of(EFBIG);
  }
  if (!text::is_valid_utf8(text)) return error_of(EILSEQ);
  return text;
}

boost::system::error_code replace_file(const std::string& path, std::string_view text) {
  const boost::system::error_code created = create_file(path, text);
  if (created != boost::system::errc::file_exists) return created;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return error_of(errno);
  if (!S_ISREG(status.st_mode)) return error_of(S_ISDIR(status.st_mode) ? EISDIR : EINVAL);
  file::ScratchFile scratch;
  int error = scratch.create(lsp::folder_of(path));
  if (error == 0) error = scratch.write(text);
  if (error == 0) error = scratch.take_metadata_of(path);
  if (error == 0) error = scratch.sync();
  if (error == 0 && std::rename(scratch.path().c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) return error_of(error);
  scratch.release_name();
  return {};
}

}  // namespace agent_doc::app
