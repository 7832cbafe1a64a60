// What the tour found in the folder in which it works, and the text about it.
// server/app/tour_look.hpp reads the folder.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// How many kinds of files are named, the most frequent ones first.
inline constexpr std::size_t kMaxNamedKinds = 6;
/// Limit for the README's first paragraph.
inline constexpr std::size_t kMaxOpeningBytes = 400;

enum class FolderExtent { Whole, OnlyTheBeginning };

struct FolderSight {
  struct Kind {
    std::string name;  ///< ".cpp", or a file's whole name when it has no dot
    std::size_t files = 0;
  };
  std::string name;  ///< the last component of the path
  std::size_t files = 0;
  std::size_t folders = 0;
  FolderExtent extent = FolderExtent::Whole;
  std::vector<Kind> kinds;          ///< in any order
  std::string readme_name;          ///< empty: there is none
  std::string readme;               ///< the beginning, valid UTF-8
  std::vector<std::string> agents;  ///< installed real agents, in order of preference
};

/// Returns the first paragraph of a markdown text, its lines joined: no heading, picture, HTML,
/// front matter or fence. Empty when there is none.
std::string opening_of(std::string_view markdown);

/// Returns the markdown below the tour's greeting. Names come from the disk, so they are shown as
/// code and without control characters.
std::string description_of(const FolderSight& sight);

}  // namespace agent_doc::plugins::tour
