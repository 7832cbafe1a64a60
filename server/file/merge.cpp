#include "server/file/merge.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <unordered_map>

namespace agent_doc::file {

namespace merge_internal {

using Edits = std::vector<text::Edit>;

/// Writes texts with one line for every word and every space, and one character for all that is in it: so `diff`, which knows lines,
/// compares words, and takes each as a whole.
class WordCode {
 public:
  std::string encode(std::string_view text) {
    std::string code;
    for (const std::string_view piece : pieces(text)) {
      if (piece == " ") {
        code += "\u2420\n";
      } else if (piece == "\n") {
        code += "\u240a\n";
      } else if (piece == "\r") {
        code += "\u240d\n";
      } else {
        append_word(code, numbers_.emplace(piece, numbers_.size()).first->second);
      }
    }
    return code;
  }

  /// The words and spaces of `text`, which are all of it.
  static std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
      const std::size_t length = std::max<std::size_t>(1, std::min(text.find_first_of(" \r\n"), text.size()));
      pieces.push_back(text.substr(0, length));
      text.remove_prefix(length);
    }
    return pieces;
  }

  static bool begins_word(char byte) { return (byte & '\xf8') == '\xf0'; }
  static bool begins_space(char byte) { return (byte & '\xf0') == '\xe0'; }
  /// Pieces that begin in `code`.
  static std::size_t count(std::string_view code) {
    return static_cast<std::size_t>(
        std::count_if(code.begin(), code.end(), [](char byte) { return begins_word(byte) || begins_space(byte); }));
  }

 private:
  /// A supplementary character, always four bytes of UTF-8. There are fewer of them than there may be words in the largest text; those
  /// beyond share theirs with others, which makes a comparison coarser, not wrong.
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

/// Offsets of the pieces of `text`, and its size.
std::vector<std::size_t> piece_offsets(std::string_view text) {
  std::vector<std::size_t> offsets{0};
  for (const std::string_view piece : WordCode::pieces(text)) offsets.push_back(offsets.back() + piece.size());
  return offsets;
}

/// Splits `edit` of `before` into edits of whole words, each cut down to what differs. Without it two words that were typed in one line
/// would be one edit that replaces all between them, also what we wrote there meanwhile.
void split_into_words(const text::Edit& edit, std::string_view before, Edits& out) {
  const std::string_view replaced = before.substr(edit.begin, edit.end - edit.begin);
  WordCode words;
  const std::string replaced_code = words.encode(replaced);
  const std::string replacement_code = words.encode(edit.replacement);
  const std::vector<std::size_t> replaced_at = piece_offsets(replaced);
  const std::vector<std::size_t> replacement_at = piece_offsets(edit.replacement);
  std::size_t counted = 0;  // bytes of replaced_code
  std::size_t end = 0;      // pieces in them
  std::size_t shift = 0;    // pieces that the replacement is ahead; may wrap
  for (const text::Edit& change : text::diff(replaced_code, replacement_code)) {
    const std::size_t begin = end + WordCode::count(std::string_view(replaced_code).substr(counted, change.begin - counted));
    end = begin + WordCode::count(std::string_view(replaced_code).substr(change.begin, change.end - change.begin));
    counted = change.end;
    const std::size_t inserted = WordCode::count(change.replacement);
    const std::size_t from = replacement_at[begin + shift];
    const std::size_t to = replacement_at[begin + shift + inserted];
    shift += inserted - (end - begin);
    out.push_back(text::minimise({edit.begin + replaced_at[begin], edit.begin + replaced_at[end], edit.replacement.substr(from, to - from)},
                                 replaced.substr(replaced_at[begin], replaced_at[end] - replaced_at[begin])));
  }
}

/// Like text::diff(), in edits of words where lines were changed. Ascending, and not overlapping.
Edits word_diff(std::string_view before, std::string_view after) {
  Edits edits;
  for (text::Edit& edit : text::diff(before, after)) {
    if (edit.begin == edit.end || edit.replacement.empty()) {
      edits.push_back(std::move(edit));
    } else {
      split_into_words(edit, before, edits);
    }
  }
  return edits;
}

}  // namespace merge_internal

std::vector<text::Edit> merge(std::string_view base, std::string_view theirs, std::string_view ours) {
  merge_internal::Edits moved = merge_internal::word_diff(base, theirs);
  if (base == ours) return moved;
  const merge_internal::Edits own = merge_internal::word_diff(base, ours);
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
    const bool left_alone = std::none_of(
        ours.begin(), ours.end(), [&changes](const text::Edit& edit) { return merge_internal::deletes_around(changes, edit.begin); });
    if (!all_missing || !left_alone || from_earlier >= from_best) continue;
    best = i;
    from_best = from_earlier;
  }
  return best;
}

}  // namespace agent_doc::file
