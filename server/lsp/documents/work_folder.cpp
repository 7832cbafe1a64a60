#include "server/lsp/documents/work_folder.hpp"

#include "server/lsp/uri.hpp"

#include <optional>
#include <string>

namespace agent_doc::lsp {

namespace {

session::WorkFolder none_for(const DocumentPlace& place, const Workspace& workspace) {
  const std::string name = name_of_document(place.uri);
  if (place.has_file) {
    return {{},
            name + " has no folder for an agent to work in: " + place.workspace +
                " does not exist. Make that folder, or open one that is there, and run again."};
  }
  if (const auto missing = workspace.first_folder()) {
    return {
        {},
        name + " has no file, and the folder that is open, " + *missing +
            ", does not exist: make it, open another folder or save the document, and run again."};
  }
  return {{},
          name +
              " has no file and no folder is open, so the agent has no place to work in: save the "
              "document, or open a folder, and run again."};
}

}  // namespace

session::WorkFolder work_folder(const DocumentPlace& place, const Workspace& workspace,
                                const Environment& environment) {
  const auto is_there = [&environment](const std::string& folder) {
    return environment.is_folder(folder);
  };
  if (!place.workspace.empty() && is_there(place.workspace)) return {place.workspace, {}};
  std::optional<std::string> folder;
  if (place.has_file) folder = workspace.folder_for(place.path, is_there);
  if (!folder || !is_there(*folder)) folder = workspace.first_folder(is_there);
  if (!folder) return none_for(place, workspace);
  if (place.workspace.empty()) return {*folder, {}};
  return {*folder, "The folder " + place.workspace + " does not exist, so the agent of " +
                       name_of_document(place.uri) + " works in " + *folder + "."};
}

}  // namespace agent_doc::lsp
