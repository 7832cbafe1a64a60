// What it is: a watch over one file by inotify(7) on its folder, so that also a file that is
// renamed into place, deleted and made again is seen. What it is not: the judge of what changed.
// Our own writes are events too: the owner reads the file and compares its text. Thread rule: not
// thread-safe. Never blocks; the owner waits for native_handle() to become readable and calls
// drain().
#pragma once

#include "server/process/file_descriptor.hpp"

#include <boost/system/result.hpp>

#include <string>

namespace agent_doc::file {

class FileWatch {
 public:
  /// `path` is absolute.
  static boost::system::result<FileWatch> make(const std::string& path);

  int native_handle() const { return descriptor_.get(); }
  /// Reads all events there are. True when one may concern the file.
  bool drain();

 private:
  FileWatch(process::FileDescriptor descriptor, std::string name)
      : descriptor_(std::move(descriptor)), name_(std::move(name)) {}

  process::FileDescriptor descriptor_;
  std::string name_;
};

}  // namespace agent_doc::file
