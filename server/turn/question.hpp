// What it is: an agent's permission question as a person may be shown it: everything that is
// allowed by it is in it, and can be seen.
// What it is not: the answer (session/permission_broker.hpp), or a screen.
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// Of all that a question shows, in bytes. Of what is longer, its middle is left out, and counted.
inline constexpr std::size_t kMaxQuestionBytes = 256 * 1024;
/// Of the name of a tool, and of the words of an option.
inline constexpr std::size_t kMaxQuestionName = 500;

/// All texts are visible (text/visible.hpp). A line end in `detail` that no "⏎" stands before is
/// ours.
struct Permission {
  std::string id;
  std::string tool;
  std::string detail;
  std::vector<plugins::PermissionOption> options;
};

/// Returns the question as it is shown: `detail`, and below it a line for each of `more`.
Permission shown(const plugins::PermissionAsked& asked);

/// Returns `text`, or its begin and its end with a word about how much is missing between them, in
/// `limit` bytes and a few.
std::string without_middle(std::string_view text, std::size_t limit);

}  // namespace agent_doc::turn
