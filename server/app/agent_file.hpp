// What it is: the disk as an agent reaches it through us: only inside one folder, with all links
// followed, and only text; and where paths really lead.
// What it is not: which files an agent may reach by its own tools; nor documents that are open
// (server/lsp/documents/agent_files.hpp).
// Thread rule: pure functions over the disk; they block for as long as it takes.
#pragma once

#include "server/lsp/environment.hpp"

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>

namespace agent_doc::app {

/// These are lsp::Environment's functions of the same names.
lsp::FilePlace file_inside(const std::string& folder, const std::string& path);
std::string real_path(const std::string& path);
bool is_folder(const std::string& path);
session::FolderPlace folder_inside(const std::string& workspace, const std::string& path);
boost::system::result<std::string> read_text_file(const std::string& path);
boost::system::error_code replace_file(const std::string& path, std::string_view text);

}  // namespace agent_doc::app
