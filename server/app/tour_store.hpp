// What it is: the sessions of the tour on disk: one file each,
// `$XDG_STATE_HOME/agent-doc/tour/<id>.json`.
// What it is not: it does not know what a session says (plugins/tour_session).
// Thread rule: does blocking I/O; used by the tour's own process only.
#pragma once

#include "plugins/tour/tour_session.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <utility>

namespace agent_doc::app {

class TourStore {
 public:
  static TourStore of_this_person();
  /// `directory` empty: nothing can be kept.
  explicit TourStore(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  bool exists(const std::string& id) const;
  /// `no_such_file_or_directory` for an unknown id (also one that is no UUID), `bad_message` for a
  /// file that is no session.
  boost::system::result<plugins::tour::TourSession> load(const std::string& id) const;
  /// Replaces the file at once or not at all; makes the directory (0700) when it is missing. The
  /// file is the person's alone (0600).
  boost::system::error_code save(const plugins::tour::TourSession& session) const;

 private:
  std::string path_of(const std::string& id) const;

  std::string directory_;
};

}  // namespace agent_doc::app
