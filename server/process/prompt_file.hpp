// A text in a file of its own that only the user can read, and that is deleted with its owner: a
// prompt for agents that read it from a file, or a permission question that an editor shows in
// full.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::process {

class PromptFile {
 public:
  /// Creates the file in XDG_RUNTIME_DIR, which is private to the user, else TMPDIR, else /tmp.
  /// `what` becomes a part of its name. Leaves no file after an error.
  static boost::system::result<PromptFile> create(std::string_view text,
                                                  std::string_view what = "prompt");

  PromptFile() = default;  ///< no file
  ~PromptFile();
  PromptFile(PromptFile&& other) noexcept;
  PromptFile& operator=(PromptFile&& other) noexcept;

  /// Returns an empty string when there is no file.
  const std::string& path() const { return path_; }
  void remove();

 private:
  std::string path_;
};

}  // namespace agent_doc::process
