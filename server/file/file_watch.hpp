// Watches a file by inotify(7) on its folder, so that renaming a file into place, deleting it and
// creating it again are seen, too. Our own writes are events as well: the owner reads the file and
// compares. Never blocks; the owner waits for native_handle() to become readable and calls drain().
#pragma once

#include "server/process/file_descriptor.hpp"

#include <boost/system/result.hpp>

#include <string>

namespace agent_doc::file {

class FileWatch {
 public:
  /// Starts watching `path`, which must be absolute.
  static boost::system::result<FileWatch> make(const std::string& path);

  int native_handle() const { return descriptor_.get(); }
  /// Reads all pending events. Returns true when one may concern the file.
  bool drain();

 private:
  FileWatch(process::FileDescriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  process::FileDescriptor descriptor_;
  std::string name_;
};

}  // namespace agent_doc::file
