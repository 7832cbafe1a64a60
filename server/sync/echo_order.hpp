// What it is: for changes that a client told as a whole (its full text, a block of lines, a file
// that was opened again): whether our own edit in flight is one of them, and what else changed
// then.
// What it is not: a proof. SyncEngine keeps both explanations until the client has answered.
// Thread rule: pure functions.
#pragma once

#include "server/text/edit.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

/// `edit` of `before`; an insertion or deletion of lines moved left to where a line begins if it is
/// the same change there. Whole lines come and go, not the end of one heading and the begin of the
/// next.
text::Edit from_line_start(const text::Edit& edit, std::string_view before);

/// `edit`, which replaces `removed`, as the changes around what is in both texts, if that is more
/// than chance. To be applied one after the other.
std::vector<text::Edit> around_common_text(const text::Edit& edit, std::string_view removed);

/// Edits, to be applied one after the other, that turn `before` into `after`: one where that is
/// all, else those of a diff.
std::vector<text::Edit> changes_between(std::string_view before, std::string_view after);

/// Returns whether `size` bytes in a row of `removed` are in `inserted`, too: then it is not one
/// change but several that were told as one.
bool share_bytes(std::string_view removed, std::string_view inserted, std::size_t size);

/// What the client said about the edit before it told what changed.
enum class Claim { Nothing, Applied };

/// A client that tells changes one by one hardly ever melts ours with others.
enum class Told { WholeText, Lines };

/// How a text became another one. Edits to be applied one after the other.
struct Explanations {
  std::vector<text::Edit> by_others;  ///< all of it was made by somebody else
  std::optional<std::vector<text::Edit>>
      after_our_edit;  ///< ours came first: what is left then; nothing when that explains it worse
  bool is_by_claim = false;   ///< … better only because the client says that it made ours
  bool may_be_typed = false;  ///< a few bytes that were typed may have made just our text of what
                              ///< stood around them
};

/// `ours` is an edit of `before`. It is one of the changes when less is left to explain once it has
/// been made: a diff alone does not know who changed what, and melts our text with what was typed
/// inside it. Where the client claims to have applied it, some of it may be gone again.
Explanations explain(std::string_view before, std::string_view after, const text::Edit& ours,
                     Told told, Claim claim);

/// Returns whether one of `edits` deletes something.
bool deletes(const std::vector<text::Edit>& edits);

}  // namespace agent_doc::sync
