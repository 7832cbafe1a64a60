// What it is: the right to use an agent's session: one turn at a time has it, over all documents
// and all processes of a person.
// What it is not: how that is kept (server/file/session_leases.hpp).
// Thread rule: plain owner.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

namespace agent_doc::session {

class SessionLease {
 public:
  /// Gives the session back.
  virtual ~SessionLease() = default;
  /// How many turns have had it until now, this one included: two that follow each other with
  /// nothing between them differ by one. 0 when that is not known.
  virtual std::uint64_t uses() const = 0;
};

/// Who has it now.
struct SessionHolder {
  int pid = 0;       ///< 0 when it is not known
  std::string path;  ///< of its document; empty when it is not known
};

/// Null when leases cannot be kept: then everybody may.
using LeaseOutcome = std::variant<std::unique_ptr<SessionLease>, SessionHolder>;

}  // namespace agent_doc::session
