// What it is: the texts that a document had lately, kept as the edits that lead back to them, and
// the one that was saved last; with each, where the regions stood in it. A client that tells what a
// text became, not what was done to it (an undo told as the whole text, a reload, a document that
// is closed without saving and opened again), often comes back to one of them. Then it is known
// where everything stands, which a diff can only guess.
// What it is not: an undo of our own: it changes no text.
// Thread rule: not thread-safe; a value.
#pragma once

#include "server/sync/marks.hpp"
#include "server/sync/region.hpp"
#include "server/text/edit.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::sync {

inline constexpr std::size_t kMaxRecentTexts = 256;
/// Of all that was replaced, and put in its place, since the oldest of them.
inline constexpr std::size_t kMaxRecentBytes = 1 << 20;

/// A region, as it stood in an earlier text.
struct RegionThen {
  RegionId id{};
  RegionMarks marks;
  std::optional<RegionMarks> marks_if_echo;  ///< if the edit in flight had been part of that text
  std::size_t landed = 0;  ///< so many bytes of the reply were in that text, or had been
};
using RegionsThen = std::vector<RegionThen>;

/// Returns the marks of a region that stands `now` where its text has become what it was `then`
/// (null: it was not opened yet), and of whose reply so many bytes had landed since. What is
/// missing of them the person took back.
RegionMarks as_then(const RegionThen* then, const RegionMarks& now, std::size_t landed);

class RecentTexts {
 public:
  /// Remembers the text as it is, before the next changed().
  void remember(RegionsThen regions, std::size_t size);
  /// Notes an edit of the text; `removed` is what it replaces.
  void changed(const text::Edit& edit, std::string_view removed);
  /// Remembers the text beside the recent ones.
  void saved(std::string text, RegionsThen regions);
  void clear() { *this = RecentTexts(); }

  /// Returns what stood where in the newest remembered text that was the same as `text`, the text
  /// of now; null when there was none. The last one counts only when several edits led from it back
  /// to it.
  const RegionsThen* find(std::string_view text) const;
  /// The same for the saved text.
  const RegionsThen* find_saved(std::string_view text) const;

  /// The edit in flight was part of all texts that have a second set of marks, with so many bytes
  /// of a reply.
  void landed(RegionId region, std::size_t bytes);
  /// It was part of none.
  void dropped();
  /// The reply's bytes from `offset` on are no longer wanted; this is its replacement of that
  /// number.
  void replaced_from(RegionId region, std::size_t offset, std::uint32_t replacement);
  /// Some that were no longer wanted are wanted again.
  void wanted_again(RegionId region, const SaidAgain& said);
  /// What was no longer wanted has been deleted. When it is there again, a person wants it.
  void cleaned(RegionId region);
  /// What was undone so far was undone for good.
  void resumed(RegionId region);

 private:
  struct Step {
    std::size_t begin = 0;
    std::string before;
    std::string after;
  };
  struct Text {
    RegionsThen regions;
    std::size_t size = 0;
    std::vector<Step> steps;  ///< from this text to the next one
    std::size_t bytes = 0;    ///< of all that they replaced and put there
  };

  template <class Change>
  void for_each(RegionId region, Change change);
  /// Notes what some of these have.
  void note(const RegionsThen& regions);

  std::deque<Text> texts_;  ///< the newest at the back
  std::size_t bytes_ = 0;
  std::optional<std::string> saved_text_;
  RegionsThen saved_;
  // So that an edit that lands does not look through all of them.
  bool some_have_echo_ = false;
  bool some_have_stale_ = false;
};

}  // namespace agent_doc::sync
