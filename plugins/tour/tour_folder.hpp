// What it is: what the tour saw of the folder in which it works, and how it tells of it.
// What it is not: it reads no folder; server/app/tour_look does.
// Thread rule: plain values, pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// The kinds of files that are told, the most frequent ones.
inline constexpr std::size_t kMaxToldKinds = 6;
/// Of the README's first paragraph.
inline constexpr std::size_t kMaxOpeningBytes = 400;

enum class FolderExtent { Whole, OnlyTheBeginning };

struct FolderSight {
  struct Kind {
    std::string name;  ///< ".cpp", or a file's whole name when it has no dot
    std::size_t files = 0;
  };
  std::string name;  ///< of the folder, without the folders above it
  std::size_t files = 0;
  std::size_t folders = 0;
  FolderExtent extent = FolderExtent::Whole;
  std::vector<Kind> kinds;          ///< in any order
  std::string readme_name;          ///< empty: there is none
  std::string readme;               ///< its beginning, valid UTF-8
  std::vector<std::string> agents;  ///< the real ones whose programs are installed, the best first
};

/// The first paragraph of a markdown text, its lines joined: no heading, picture, HTML, front
/// matter or fence. Empty when there is none.
std::string opening_of(std::string_view markdown);

/// Markdown, below the tour's greeting. Names come from the disk, so they are shown as code, and
/// without control characters.
std::string description_of(const FolderSight& sight);

}  // namespace agent_doc::plugins::tour
