#include "server/file/merge.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <unordered_map>

namespace agent_doc::file {

namespace merge_internal {

using Edits = std::vector<text::Edit>;

/// Writes texts with one line for every word and every space, and one character for all that is in it: so `diff`, which knows lines, compares words,
/// and takes each as a whole.
class WordCode {
 public:
  std::string encode(std::string_view text) {
    std::string code;
    while (!text.empty()) {
      const std::size_t length = std::min(text.find_first_of(kSpaces), text.size());
      if (length == 0) {
        code += text.front() == ' ' ? "\u2420\n" : text.front() == '\n' ? "\u240a\n" : "\u240d\n";
        text.remove_prefix(1);
      } else {
        append_word(code, numbers_.emplace(text.substr(0, length), numbers_.size()).first->second);
        text.remove_prefix(length);
      }
    }
    return code;
  }

  static bool begins_word(char byte) { return (byte & '\xf8') == '\xf0'; }
  static bool begins_space(char byte) { return (byte & '\xf0') == '\xe0'; }

 private:
  static constexpr std::string_view kSpaces = " \r\n";

  /// A supplementary character, always four bytes of UTF-8. There are fewer of them than there may be words in the largest text; those beyond share
  /// theirs with others, which makes a comparison coarser, not wrong.
  static void append_word(std::string& code, std::size_t number) {
    constexpr std::size_t kFirst = 0x10000;
    constexpr std::size_t kCount = 0x100000;
    const std::size_t character = kFirst + number % kCount;
    code.push_back(static_cast<char>(0xf0 | character >> 18));
    for (const int shift : {12, 6, 0}) code.push_back(static_cast<char>(0x80 | (character >> shift & 0x3f)));
    code.push_back('\n');
  }

  std::unordered_map<std::string_view, std::size_t> numbers_;
};

/// How much differs. Words count first: what else changed between two words is often the same space as before.
struct Distance {
  std::size_t words = 0;
  std::size_t spaces = 0;

  void add(std::string_view code) {
    words += static_cast<std::size_t>(std::count_if(code.begin(), code.end(), WordCode::begins_word));
    spaces += static_cast<std::size_t>(std::count_if(code.begin(), code.end(), WordCode::begins_space));
  }
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance inserted(const Edits& edits) {
  Distance distance;
  for (const text::Edit& edit : edits) distance.add(edit.replacement);
  return distance;
}

/// What `edits` of `before` delete and insert.
Distance distance_of(const Edits& edits, std::string_view before) {
  Distance distance = inserted(edits);
  for (const text::Edit& edit : edits) distance.add(before.substr(edit.begin, edit.end - edit.begin));
  return distance;
}

bool deletes(const Edits& edits) {
  return std::any_of(edits.begin(), edits.end(), [](const text::Edit& edit) { return edit.begin < edit.end; });
}

bool deletes_around(const Edits& edits, std::size_t place) {
  return std::any_of(edits.begin(), edits.end(), [place](const text::Edit& edit) { return edit.begin < place && place < edit.end; });
}

}  // namespace merge_internal

std::vector<text::Edit> merge(std::string_view base, std::string_view theirs, std::string_view ours) {
  merge_internal::Edits moved = text::diff(base, theirs);
  if (base == ours) return moved;
  const merge_internal::Edits own = text::diff(base, ours);
  // From the last one on: so each of our edits still has the offsets of the base when it is its turn.
  for (auto edit = own.rbegin(); edit != own.rend(); ++edit) {
    merge_internal::Edits next;
    for (const text::Edit& theirs_edit : moved) {
      for (text::Edit& piece : text::rebase(theirs_edit, *edit)) next.push_back(std::move(piece));
    }
    moved = std::move(next);
  }
  return moved;
}

std::optional<std::size_t> stale_base(std::string_view theirs, std::string_view current, const std::vector<std::string_view>& earlier) {
  if (earlier.empty() || !merge_internal::deletes(text::diff(current, theirs))) return std::nullopt;
  merge_internal::WordCode code;
  const std::string their_words = code.encode(theirs);
  const std::string current_words = code.encode(current);
  const merge_internal::Distance from_current = merge_internal::distance_of(text::diff(current_words, their_words), current_words);

  std::optional<std::size_t> best;
  merge_internal::Distance from_best = from_current;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const std::string words = code.encode(earlier[i]);
    const merge_internal::Edits ours = text::diff(words, current_words);
    const merge_internal::Edits changes = text::diff(words, their_words);
    const merge_internal::Distance from_earlier = merge_internal::distance_of(changes, words);
    const bool all_missing = from_current.words >= from_earlier.words + merge_internal::inserted(ours).words;
    const bool left_alone = std::none_of(ours.begin(), ours.end(),
                                         [&changes](const text::Edit& edit) { return merge_internal::deletes_around(changes, edit.begin); });
    if (!all_missing || !left_alone || from_earlier >= from_best) continue;
    best = i;
    from_best = from_earlier;
  }
  return best;
}

}  // namespace agent_doc::file
