// What it is: several keys of the front matter set by as few edits as possible: each edit is a
// round trip to the client.
// What it is not: how one key is set (server/markdown/front_matter.hpp).
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

struct FrontMatterValue {
  std::string key;
  std::string value;
};

/// The next edit that makes `document` say `values`, or nothing when it does. All of them at once
/// when that only inserts text; else one of them. `agent` as in markdown::set_value. Costs the
/// front matter.
std::optional<text::Edit> set_front_matter(std::string_view document,
                                           const std::vector<FrontMatterValue>& values,
                                           std::string_view agent);

/// The same for those of `values` that `document` does not have yet: what somebody has typed there
/// meanwhile stays.
std::optional<text::Edit> add_front_matter(std::string_view document,
                                           std::vector<FrontMatterValue> values,
                                           std::string_view agent);

/// The next edit that makes `resume` of `document` name `session` as the session of `agent`, or
/// nothing when it does. A `resume` without a name is `other_owner`'s, when that is given: both
/// then stand in a map. Costs the front matter.
std::optional<text::Edit> set_session(std::string_view document, std::string_view agent,
                                      std::string_view session, std::string_view other_owner);

}  // namespace agent_doc::session
