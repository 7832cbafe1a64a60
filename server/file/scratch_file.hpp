// What it is: the temporary file of one replacement: made beside the document, given its mode,
// owner and attributes, and removed on every path. What it is not: the exchange
// (document_file.hpp). Thread rule: a plain owner.
#pragma once

#include "server/file/file_calls.hpp"
#include "server/process/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace agent_doc::file {

class ScratchFile {
 public:
  /// `calls` outlives it.
  explicit ScratchFile(FileCalls& calls = FileCalls::of_the_system()) : calls_(&calls) {}
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  /// These answer 0 or errno.
  int create(const std::string& folder);
  int write(std::string_view text);
  int take_metadata_of(const std::string& path);
  /// The last of them: after it the file cannot be written any more.
  int sync();

  const std::string& path() const { return path_; }
  /// False when the name stands for another file than the one that was made here.
  bool name_is_own() const;
  /// The name stands for a file that must stay.
  void give_up_name() { path_.clear(); }

 private:
  void copy_attributes(int from);

  FileCalls* calls_;
  std::string path_;
  process::FileDescriptor descriptor_;
};

}  // namespace agent_doc::file
