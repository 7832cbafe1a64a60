// What it is: whether an agent wrote into its reply what its turn has failed for: then the text is
// an error message, and no answer.
// What it is not: it knows no agent; what kind of failure it is, is known already
// (plugins/failure_words.hpp).
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

namespace agent_doc::turn {

/// A longer text is an answer, however it begins.
inline constexpr std::size_t kMaxErrorText = 4000;

/// `text` is the last message of a turn that failed with `failure`. What only looks like an error,
/// and says more than the failure, stays.
bool is_error_text(std::string_view text, std::string_view failure);

}  // namespace agent_doc::turn
