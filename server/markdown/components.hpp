// The components of a template document: named parts between `<!-- agent:NAME attributes -->` and
// `<!-- /agent:NAME -->`, outside code, nested or not. A marker is in one line and not behind a
// backslash. Markers that have no partner are problems and text. Offsets are bytes of the document.
#pragma once

#include "server/markdown/front_matter.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::markdown {

struct Line;

/// Of one document; what follows is text, with a problem that says so.
inline constexpr std::size_t kMaxComponents = 1000;
/// Components inside each other; deeper ones are text, with a problem that says so.
inline constexpr std::size_t kMaxComponentDepth = 20;
inline constexpr std::size_t kMaxComponentName = 100;  ///< in bytes; a longer one is no marker

struct ComponentAttribute {
  std::string key;
  std::string value;  ///< without quotes; empty for a key alone
};

enum class MarkerKind { None, Opening, Closing, Boundary };

/// What an HTML comment is for components. Views into the comment.
struct ComponentMarker {
  MarkerKind kind = MarkerKind::None;
  std::string_view name;
  std::string_view attributes;
};
/// `comment`: with its delimiters.
ComponentMarker component_marker_of(std::string_view comment);

struct Component {
  std::string name;
  std::vector<ComponentAttribute> attributes;  ///< as written, also those that mean nothing to us
  std::size_t opening_begin = 0;
  std::size_t opening_end = 0;
  /// After the line end that follows the opening marker, or opening_end where text follows it.
  std::size_t body_begin = 0;
  std::size_t closing_begin = 0;  ///< the end of the body
  std::size_t closing_end = 0;
  std::optional<std::size_t> parent;  ///< an index of Components::found
  /// Of the first `<!-- agent:boundary:ID -->` directly in it: replies end here.
  std::optional<std::size_t> boundary;

  /// Returns the value of `key`, or an empty text.
  std::string_view attribute(std::string_view key) const;
};

struct Components {
  std::vector<Component> found;   ///< in the order of their opening markers
  std::vector<std::string> open;  ///< not closed at the end, outermost first
  std::vector<Problem> problems;  ///< in the order of the document

  /// Returns the first component of that name, or null.
  const Component* find(std::string_view name) const;
  /// Returns the innermost component that `place` is in, or null.
  const Component* around(std::size_t place) const;
};

/// Returns the components of `document` from `body_begin` on. Costs O(document).
Components find_components(std::string_view document, std::size_t body_begin);
/// The same for a document whose scan() is `lines`. Costs little where it has no marker.
Components find_components(std::string_view document, const std::vector<Line>& lines);

/// Returns whether `name` can be a component's: letters and digits of ASCII, and "-" after the
/// first.
bool is_component_name(std::string_view name);

}  // namespace agent_doc::markdown
