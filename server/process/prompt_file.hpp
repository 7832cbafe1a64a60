// What it is: a text in a file of its own that only this person can read, and that goes with its
// owner: a prompt, for agents that take it from there; a permission question that an editor shows
// whole.
// What it is not: it does not outlive what it is for; nothing else is ever put into it.
// Thread rule: a plain owner.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::process {

class PromptFile {
 public:
  /// In XDG_RUNTIME_DIR (which is the person's own), else TMPDIR, else /tmp. An error leaves
  /// nothing behind. `what` is a part of its name.
  static boost::system::result<PromptFile> create(std::string_view text,
                                                  std::string_view what = "prompt");

  PromptFile() = default;  ///< none
  ~PromptFile();
  PromptFile(PromptFile&& other) noexcept;
  PromptFile& operator=(PromptFile&& other) noexcept;

  /// Empty for none.
  const std::string& path() const { return path_; }
  void remove();

 private:
  std::string path_;
};

}  // namespace agent_doc::process
