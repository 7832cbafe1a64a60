// What it is: several keys of the front matter set by as few edits as possible: each edit is a round trip to the client.
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

/// The next edit that makes `document` say `values`, or nothing when it does. All of them at once when that only inserts text; else one of them. `agent` as in
/// markdown::set_value. Costs the front matter.
std::optional<text::Edit> set_front_matter(std::string_view document, const std::vector<FrontMatterValue>& values, std::string_view agent);

}  // namespace agent_doc::session
