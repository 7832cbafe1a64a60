// What it is: the lines of a front matter with the places of its keys and values: what reading
// shows and line surgery cuts.
// What it is not: the interface of the front matter (front_matter.hpp); only its two sources
// include this.
// Thread rule: pure functions.
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
  FlowMap,   ///< `{a: b}`, also over several lines
  BlockMap,  ///< indented `a: b` lines
  Other,     ///< lists, block scalars, tags, and what is broken: never what we wrote
};

/// One `key: value` of a map.
struct MapItem {
  std::string key;
  std::size_t begin = 0;  ///< of the key in a flow map, of the line in a block map
  std::size_t end =
      0;  ///< behind the value in a flow map, behind the line end of the last line in a block map
  bool has_colon = true;  ///< false for the `a` of `{a, b: c}`
  Scalar value;
};

struct EntrySyntax {
  ValueShape shape = ValueShape::Scalar;
  ScalarStyle style = ScalarStyle::Plain;
  std::size_t lines_end = 0;   ///< behind the line end of the entry's last line
  std::vector<MapItem> items;  ///< of a map
};

struct FrontMatterSyntax {
  FrontMatter front_matter;
  std::vector<EntrySyntax> entries;  ///< one for each entry of `front_matter`
  std::string indent;                ///< before each top-level key: usually none
  std::string_view line_end;         ///< of the opening line
};

FrontMatterSyntax parse_front_matter(std::string_view document);

/// The map that begins with `{` at `begin`; nothing when it is broken or not closed before `limit`.
struct FlowMap {
  std::vector<MapItem> items;
  std::size_t end = 0;  ///< behind `}`
};
std::optional<FlowMap> read_flow_map(std::string_view text, std::size_t begin, std::size_t limit);

}  // namespace agent_doc::markdown
