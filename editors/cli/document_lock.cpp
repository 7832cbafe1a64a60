#include "editors/cli/document_lock.hpp"

#include "server/file/sha256.hpp"
#include "server/file/user_directories.hpp"

namespace agent_doc::cli {

boost::system::result<std::optional<file::FileLock>> lock_document(const std::string& path) {
  const std::string base = file::runtime_directory();
  if (base.empty())
    return boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  const std::string folder = base + "/locks";
  if (const auto error = file::make_private_directory(folder)) return error;
  return file::FileLock::try_lock(folder + "/" + file::sha256_hex(path) + ".lock");
}

}  // namespace agent_doc::cli
