// What it is: a prompt in a file of its own, for agents that take it from there: only this person can read it, and it goes with its owner.
// What it is not: it does not outlive its agent; nothing else is ever put into it.
// Thread rule: a plain owner.
#pragma once

#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::process {

class PromptFile {
 public:
  /// In XDG_RUNTIME_DIR (which is the person's own), else TMPDIR, else /tmp. An error leaves nothing behind.
  static boost::system::result<PromptFile> create(std::string_view text);

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
