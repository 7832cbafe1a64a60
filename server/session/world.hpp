// What it is: what a conversation needs of the world: the clock, agents and their processes, the
// journal, leases, folders. One for all documents of a server.
// What it is not: what it needs of its client (document_client.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "server/process/child.hpp"
#include "server/session/agent_directory.hpp"
#include "server/session/edit_pacer.hpp"
#include "server/session/session_lease.hpp"
#include "server/store/journal.hpp"

#include <string>

namespace agent_doc::session {

/// A folder of the disk, or why it cannot be used, as the end of a sentence about it.
struct FolderPlace {
  enum class Advice { NameAnother, MakeIt };

  std::string path;  ///< empty when there is a problem
  std::string problem;
  Advice advice = Advice::NameAnother;
};

class World {
 public:
  virtual ~World() = default;
  virtual TimePoint now() const = 0;
  /// Returns a new random UUID.
  virtual std::string make_uuid() = 0;
  virtual process::ChildLauncher& launcher() = 0;
  virtual const AgentDirectory& agents() const = 0;
  /// Keeps what agents say.
  virtual store::Journal& journal() = 0;
  /// Takes `agent`'s session for a turn in the document at `path`.
  virtual LeaseOutcome lease_session(const std::string& agent, const std::string& session_id,
                                     const std::string& path) = 0;
  /// Returns where the folder `path` really is, all links followed, if not outside of `workspace`.
  virtual FolderPlace folder_inside(const std::string& workspace,
                                    const std::string& path) const = 0;
};

}  // namespace agent_doc::session
