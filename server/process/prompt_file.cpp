#include "server/process/prompt_file.hpp"

#include "server/process/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace agent_doc::process {
namespace {

std::string folder() {
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && value[0] == '/' && ::access(value, W_OK | X_OK) == 0) return value;
  }
  return "/tmp";
}

/// Returns 0 or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

boost::system::result<PromptFile> PromptFile::create(std::string_view text, std::string_view what) {
  PromptFile file;
  std::string name = folder().append("/agent-doc-").append(what).append("-XXXXXX");
  const FileDescriptor descriptor(::mkostemp(name.data(), O_CLOEXEC));  // mode 0600
  if (!descriptor.is_open())
    return boost::system::error_code(errno, boost::system::system_category());
  file.path_ = std::move(name);
  if (const int error = write_all(descriptor.get(), text); error != 0) {
    return boost::system::error_code(error, boost::system::system_category());
  }
  return file;
}

PromptFile::~PromptFile() {
  remove();
}

PromptFile::PromptFile(PromptFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

PromptFile& PromptFile::operator=(PromptFile&& other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

void PromptFile::remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace agent_doc::process
