#include "server/app/person_store.hpp"

#include "server/file/session_leases.hpp"
#include "server/file/user_directories.hpp"
#include "server/process/process_name.hpp"
#include "server/store/sqlite_journal.hpp"

#include <utility>
#include <variant>

#include <unistd.h>

namespace agent_doc::app {

namespace {

class LockedSession final : public session::SessionLease {
 public:
  explicit LockedSession(file::SessionLeaseFile file) : file_(std::move(file)) {}
  std::uint64_t uses() const override { return file_.uses; }

 private:
  file::SessionLeaseFile file_;
};

}  // namespace

std::string path_of_store() {
  const std::string state = file::state_directory();
  return state.empty() ? state : state + "/state.db";
}

std::unique_ptr<store::Journal> make_journal() {
  const std::string path = path_of_store();
  if (path.empty()) return store::make_no_journal();
  return store::make_sqlite_journal(
      {path, process::name_of_process(::getpid()), process::is_running});
}

session::LeaseOutcome lease_agent_session(const std::string& agent, const std::string& session_id,
                                          const std::string& path,
                                          boost::system::error_code& problem) {
  const std::string base = file::runtime_directory();
  if (base.empty()) {
    problem = boost::system::errc::make_error_code(boost::system::errc::no_such_file_or_directory);
    return {};
  }
  auto leased = file::lease_session(base + "/leases", agent + " " + session_id, path);
  if (leased.has_error()) {
    problem = leased.error();
    return {};
  }
  if (auto* holder = std::get_if<file::SessionLeaseHolder>(&*leased))
    return session::SessionHolder{holder->pid, std::move(holder->path)};
  return std::make_unique<LockedSession>(std::move(std::get<file::SessionLeaseFile>(*leased)));
}

}  // namespace agent_doc::app
