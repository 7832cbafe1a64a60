// How a text goes into a component of a document: what is appended, put above, or put in the place
// of its body, as one edit.
#pragma once

#include "server/markdown/components.hpp"
#include "server/text/edit.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace agent_doc::markdown {

enum class PatchMode { Append, Prepend, Replace };

/// Returns the mode that `word` names ("append", "prepend" or "replace"), or nullopt.
std::optional<PatchMode> patch_mode_of(std::string_view word);

/// How a component takes what is written into it.
struct ComponentSettings {
  PatchMode mode = PatchMode::Replace;
  std::size_t max_lines = 0;  ///< of its body; 0: any number
};

/// Reads the attributes `patch` (or `mode`) and `max_lines`. Without them `exchange` and `findings`
/// are appended to, and every other component is replaced.
ComponentSettings settings_of(const Component& component);

/// Returns the edit that takes the lines out of the body of the component `name` that are more than
/// `max_lines`: the first ones, or with Prepend the last ones. Nothing where there are none.
std::optional<text::Edit> surplus_lines(std::string_view document, std::string_view name,
                                        const ComponentSettings& settings);

/// Bytes [begin, end) of a document.
struct BodyExtent {
  std::size_t begin = 0;
  std::size_t end = 0;
};
/// Returns what a Replace takes the place of: the body of `component` up to its boundary marker,
/// without the line end above that.
BodyExtent replaced_extent(std::string_view document, const Component& component);

/// Why a text does not go into a component, in words for a person.
struct NotPatched {
  std::string reason;
};

/// Returns the edit that puts `text` into `component` of `document`, with the line ends of
/// `line_end`, on lines of its own. A fence or comment that `text` leaves open is closed. An append
/// goes above the component's boundary marker. Fails where markers in `text` would end the
/// component, or another one, elsewhere.
std::variant<text::Edit, NotPatched> patch_component(
    std::string_view document, std::size_t document_body, const Component& component,
    ComponentSettings settings, std::string_view text, std::string_view line_end);

}  // namespace agent_doc::markdown
