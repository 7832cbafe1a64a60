#include "editors/cli/document_lock.hpp"

#include "server/app/person_store.hpp"
#include "server/file/sha256.hpp"
#include "server/file/user_directories.hpp"

#include <utility>
#include <variant>

namespace agent_doc::cli {

boost::system::result<std::optional<file::FileLock>> lock_document(const std::string& path) {
  const std::string base = file::runtime_directory();
  if (base.empty())
    return boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
  const std::string folder = base + "/locks";
  if (const auto error = file::make_private_directory(folder)) return error;
  return file::FileLock::try_lock(folder + "/" + file::sha256_hex(path) + ".lock");
}

std::optional<HeldDocument> hold_document(const std::string& path) {
  HeldDocument held;
  auto lock = lock_document(path);
  if (lock.has_value()) {
    if (!lock->has_value()) return std::nullopt;
    held.lock = std::move(*lock);
  }
  boost::system::error_code ignored;
  session::LeaseOutcome lease = app::lease_agent_session("document", path, path, ignored);
  if (std::holds_alternative<session::SessionHolder>(lease)) return std::nullopt;
  held.lease = std::move(std::get<std::unique_ptr<session::SessionLease>>(lease));
  return held;
}

}  // namespace agent_doc::cli
