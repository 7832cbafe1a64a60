// What it is: what went wrong with the store, as a kind for the program and a sentence for a
// person.
// What it is not: a reason to stop anything: documents never depend on the store.
// Thread rule: plain values.
#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace agent_doc::store {

enum class StoreErrorKind {
  Missing,  ///< there is no store yet
  Newer,    ///< written by a later version of this program
  Damaged,  ///< no store, or not readable any more
  Busy,     ///< another process holds it for too long
  Failed,   ///< anything else: the disk, permissions
};

struct StoreError {
  StoreErrorKind kind = StoreErrorKind::Failed;
  std::string message;  ///< names the file
};

template <class T>
using StoreResult = boost::system::result<T, StoreError>;

}  // namespace agent_doc::store
