// The temporary file of one replacement: created next to the document, given its mode, owner and
// attributes, and removed on every path. document_file.hpp exchanges the two.
#pragma once

#include "server/file/file_calls.hpp"
#include "server/process/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace agent_doc::file {

class ScratchFile {
 public:
  /// `calls` must outlive this object.
  explicit ScratchFile(FileCalls& calls = FileCalls::of_the_system()) : calls_(&calls) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// Return 0 or errno.
  int create(const std::string& folder);
  int write(std::string_view text);
  int take_metadata_of(const std::string& path);
  /// The last step: afterwards the file cannot be written any more.
  int sync();

  const std::string& path() const { return path_; }
  /// Returns false when the name leads to another file than the one created here.
  bool name_is_own() const;
  /// Keeps the file at path(), because it must stay.
  void release_name() { path_.clear(); }

 private:
  void copy_attributes(int from);

  FileCalls* calls_;
  std::string path_;
  process::FileDescriptor descriptor_;
};

}  // namespace agent_doc::file
