// The disk as an agent may use it through us: inside one folder, with all links followed, and text
// only. Files that an agent reaches with its own tools, and open documents, are not handled here
// (server/lsp/documents/agent_files.hpp). Calls block on the disk.
#pragma once

#include "server/lsp/environment.hpp"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::app {

/// These implement the functions of lsp::Environment with the same names.
lsp::FilePlace file_inside(const std::string& folder, const std::string& path);
std::string real_path(const std::string& path);
bool is_folder(const std::string& path);
session::FolderPlace folder_inside(const std::string& workspace, const std::string& path);
boost::system::result<std::string> read_text_file(const std::string& path);
boost::system::error_code replace_file(const std::string& path, std::string_view text);

}  // namespace agent_doc::app
