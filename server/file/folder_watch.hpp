// Watches folders by inotify(7): which files in them were saved, in whatever way (written in place,
// renamed into place, linked), and which folders came and went. It does not look into the files.
// Never blocks; the owner waits for native_handle() to become readable and calls drain().
#pragma once

#include "server/process/file_descriptor.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::file {

class FolderWatch {
 public:
  static boost::system::result<FolderWatch> make();

  /// Starts watching the files and folders just inside `folder`, which is absolute and no link.
  /// Fails with `no_space_on_device` when the system's limit of watches is reached.
  boost::system::error_code add(const std::string& folder);

  struct Event {
    enum class Kind {
      FileSaved,
      FolderMade,  ///< or moved here: it is not watched yet
      FolderGone,  ///< a watched one: it and what is in it are not watched any more
      EventsLost,  ///< too many came at once: anything may have happened; `path` is empty
    };
    Kind kind = Kind::FileSaved;
    std::string path;
  };
  /// Reads all pending events.
  std::vector<Event> drain();

  std::size_t size() const { return folders_.size(); }
  int native_handle() const { return descriptor_.get(); }

 private:
  explicit FolderWatch(process::FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  void take(int watch, unsigned mask, const std::string& name, std::vector<Event>& events);
  void forget_below(const std::string& folder);

  process::FileDescriptor descriptor_;
  std::map<int, std::string> folders_;  ///< by the number of their watch
};

/// Returns a sentence for a person who hit `error` when watching `path`: what the limit is called
/// and how it is raised.
std::string why_not_watched(const std::string& path, const boost::system::error_code& error);

}  // namespace agent_doc::file
