// The lines of a front matter with the places of its keys and values, for reading and editing.
// Internal to the sources of front_matter.hpp.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/markdown/yaml_scalar.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

enum class ValueShape {
  Scalar,
  FlowMap,   ///< `{a: b}`, possibly over several lines
  BlockMap,  ///< indented `a: b` lines
  Other,     ///< lists, block scalars, tags and broken values, none of which we write
};

/// One `key: value` of a map.
struct MapItem {
  std::string key;
  std::size_t begin = 0;  ///< of the key in a flow map, of the line in a block map
  /// After the value in a flow map; after the line end of the last line in a block map.
  std::size_t end = 0;
  bool has_colon = true;  ///< false for the `a` of `{a, b: c}`
  Scalar value;
};

struct EntrySyntax {
  ValueShape shape = ValueShape::Scalar;
  ScalarStyle style = ScalarStyle::Plain;
  std::size_t lines_end = 0;   ///< after the line end of the last line
  std::vector<MapItem> items;  ///< of a map
};

struct FrontMatterSyntax {
  FrontMatter front_matter;
  std::vector<EntrySyntax> entries;  ///< parallel to `front_matter.entries`
  std::string indent;                ///< before each top-level key; usually empty
  std::string_view line_end;         ///< of the opening line
};

FrontMatterSyntax parse_front_matter(std::string_view document);

/// A map between `{` and `}`.
struct FlowMap {
  std::vector<MapItem> items;
  std::size_t end = 0;  ///< after the `}`
};
std::optional<FlowMap> read_flow_map(std::string_view text, std::size_t begin, std::size_t limit);

}  // namespace agent_doc::markdown
