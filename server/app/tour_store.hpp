// The sessions of the tour on disk, one file each: `$XDG_STATE_HOME/agent-doc/tour/<id>.json`. Used
// by the tour's own process; calls block on the disk.
#pragma once

#include "plugins/tour/tour_session.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <utility>

namespace agent_doc::app {

class TourStore {
 public:
  static TourStore of_this_person();
  /// With an empty `directory` nothing can be saved.
  explicit TourStore(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  bool exists(const std::string& id) const;
  /// Loads a session. Fails with `no_such_file_or_directory` for an unknown id or one that is no
  /// UUID, and with `bad_message` for a file that is no session.
  boost::system::result<plugins::tour::TourSession> load(const std::string& id) const;
  /// Replaces the file atomically, creating the directory (0700) when it is missing. The file is
  /// private to the user (0600).
  boost::system::error_code save(const plugins::tour::TourSession& session) const;

 private:
  std::string path_of(const std::string& id) const;

  std::string directory_;
};

}  // namespace agent_doc::app
