// What it is: the folders that the client has open, and which of them a document belongs to: the
// folder that its agent works in.
// What it is not: a list of files; nothing is read here, so a folder need not be there
// (work_folder.hpp).
// Thread rule: the server's thread only.
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
  /// `workspace/didChangeWorkspaceFolders`.
  void bind(protocol::Endpoint& endpoint);

  void add(const std::vector<protocol::WorkspaceFolder>& folders);
  void remove(const std::vector<protocol::WorkspaceFolder>& folders);

  using Counts = std::function<bool(const std::string& folder)>;
  static bool every(const std::string&) { return true; }
  /// The innermost folder that counts and holds the file `path`, else the file's own folder.
  std::string folder_for(std::string_view path, const Counts& counts = every) const;
  /// The first folder that counts: for a document without a file.
  std::optional<std::string> first_folder(const Counts& counts = every) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace agent_doc::lsp
