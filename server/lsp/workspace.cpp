#include "server/lsp/workspace.hpp"

#include "server/lsp/uri.hpp"

#include <algorithm>

namespace agent_doc::lsp {

namespace {

bool holds(std::string_view folder, std::string_view path) {
  if (folder == "/") return true;
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

void Workspace::bind(protocol::Endpoint& endpoint) {
  endpoint.on_notification(
      "workspace/didChangeWorkspaceFolders", [this](const boost::json::value& params) {
        const auto change = protocol::decode_did_change_workspace_folders(params);
        remove(change.removed);
        add(change.added);
      });
}

void Workspace::add(const std::vector<protocol::WorkspaceFolder>& folders) {
  for (const auto& folder : folders) {
    const auto path = path_of(folder.uri);
    if (path && std::find(folders_.begin(), folders_.end(), *path) == folders_.end())
      folders_.push_back(*path);
  }
}

void Workspace::remove(const std::vector<protocol::WorkspaceFolder>& folders) {
  for (const auto& folder : folders) {
    if (const auto path = path_of(folder.uri)) std::erase(folders_, *path);
  }
}

std::string Workspace::folder_for(std::string_view path, const Counts& counts) const {
  const std::string* innermost = nullptr;
  for (const std::string& folder : folders_) {
    if (!holds(folder, path) || !counts(folder)) continue;
    if (innermost == nullptr || folder.size() > innermost->size()) innermost = &folder;
  }
  return innermost != nullptr ? *innermost : folder_of(path);
}

std::optional<std::string> Workspace::first_folder(const Counts& counts) const {
  const auto found = std::find_if(folders_.begin(), folders_.end(), counts);
  if (found == folders_.end()) return std::nullopt;
  return *found;
}

}  // namespace agent_doc::lsp
