// The folders that the client has open, and which of them contains a document: its agent works
// there. Nothing is read, so a folder may not exist (work_folder.hpp).
#pragma once

#include "protocol/endpoint.hpp"
#include "protocol/lsp.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

class Workspace {
 public:
  /// Handles `workspace/didChangeWorkspaceFolders`.
  void bind(protocol::Endpoint& endpoint);

  void add(const std::vector<protocol::WorkspaceFolder>& folders);
  void remove(const std::vector<protocol::WorkspaceFolder>& folders);

  using Counts = std::function<bool(const std::string& folder)>;
  static bool every(const std::string&) { return true; }
  /// Returns the innermost folder that contains the file `path` and for which `counts` holds, else
  /// the file's own folder.
  std::string folder_for(std::string_view path, const Counts& counts = every) const;
  /// Returns the first folder for which `counts` holds; for a document without a file.
  std::optional<std::string> first_folder(const Counts& counts = every) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace agent_doc::lsp
