#include "server/file/user_directories.hpp"

#include <cerrno>
#include <cstdlib>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent_doc::file {

namespace {

constexpr const char* kFolder = "/agent-doc";

/// XDG: a relative path counts as unset.
std::string absolute_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? value : std::string();
}

std::string home_directory() {
  std::string variable = absolute_variable("HOME");
  if (!variable.empty()) return variable;
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : std::string();
}

/// Returns where our folder ends in `path`: it and everything in it is private to us.
std::size_t end_of_our_folder(const std::string& path) {
  const std::string folder = kFolder;
  if (path.ends_with(folder)) return path.size();
  const std::size_t at = path.rfind(folder + "/");
  return at == std::string::npos ? std::string::npos : at + folder.size();
}

/// Returns true for a folder of this user, or this user's link to one.
bool is_folder_of_this_user(const std::string& path) {
  struct stat named {};
  struct stat status {};
  return ::lstat(path.c_str(), &named) == 0 && ::stat(path.c_str(), &status) == 0 &&
         named.st_uid == ::geteuid() && status.st_uid == ::geteuid() && S_ISDIR(status.st_mode);
}

}  // namespace

std::string state_directory() {
  const std::string state = absolute_variable("XDG_STATE_HOME");
  if (!state.empty()) return state + kFolder;
  const std::string home = home_directory();
  return home.empty() ? home : home + "/.local/state" + kFolder;
}

std::string runtime_directory() {
  const std::string runtime = absolute_variable("XDG_RUNTIME_DIR");
  return runtime.empty() ? state_directory() : runtime + kFolder;
}

boost::system::error_code make_private_directory(const std::string& path) {
  const std::size_t ours = end_of_our_folder(path);
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return {errno, boost::system::system_category()};
    if (part.size() >= ours && !is_folder_of_this_user(part))
      return boost::system::errc::make_error_code(boost::system::errc::operation_not_permitted);
    if (slash == std::string::npos) return {};
  }
}

}  // namespace agent_doc::file
