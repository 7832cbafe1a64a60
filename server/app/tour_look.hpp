// The tour's view of the folder in which it works: counts files, reads the beginning of the README,
// finds agents on PATH. plugins/tour/tour_folder.hpp turns it into text.
#pragma once

#include "plugins/tour/tour_folder.hpp"

#include <cstddef>
#include <filesystem>

namespace agent_doc::app {

/// Whatever exceeds these limits is not looked at, and the result says that it is partial.
inline constexpr std::size_t kMaxSeenEntries = 20'000;
inline constexpr int kMaxSeenDepth = 12;
inline constexpr std::size_t kMaxReadmeBytes = 16 * 1024;

/// Looks at `folder`. Follows no links and does not enter hidden folders or those that tools fill
/// (node_modules, build, target). What cannot be read counts as empty.
plugins::tour::FolderSight look_at_folder(const std::filesystem::path& folder);

}  // namespace agent_doc::app
