// Compares the versions that agents tell of themselves.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace agent_doc::plugins {

/// Major, minor, patch.
using VersionNumber = std::array<int, 3>;

/// Returns the version that `text` begins with ("2.1.328 (x)", "0.142"). What is missing at its end
/// counts as 0, a text that is none as lower than every version.
VersionNumber version_number(std::string_view text);

}  // namespace agent_doc::plugins
