// What it is: the tour's look at the folder in which it works: counts files, reads the beginning of
// the README, finds agents on PATH.
// What it is not: what it says of that (plugins/tour_folder).
// Thread rule: any thread.
#pragma once

#include "plugins/tour/tour_folder.hpp"

#include <cstddef>
#include <filesystem>

namespace agent_doc::app {

/// What is beyond is not looked at, and the sight says that it is only the beginning.
inline constexpr std::size_t kMaxSeenEntries = 20'000;
inline constexpr int kMaxSeenDepth = 12;
inline constexpr std::size_t kMaxReadmeBytes = 16 * 1024;

/// Follows no links; hidden files and folders, and those that tools fill (node_modules, build,
/// target), are not looked into. What cannot be read is as if it were empty.
plugins::tour::FolderSight look_at_folder(const std::filesystem::path& folder);

}  // namespace agent_doc::app
