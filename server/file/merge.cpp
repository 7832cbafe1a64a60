#include "server/file/merge.hpp"

#include "server/text/diff.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <unordered_map>

namespace agent_doc::file {

namespace {

using Edits = std::vector<text::Edit>;

/// Encodes a text with one line for each word and each space, and one character for its content.
/// diff(), which compares lines, then compares words as units.
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

  /// Encodes the words without the spaces, so that a comparison cannot match a space and misalign
  /// the words around it.
  std::string encode_words(std::string_view text) {
    std::string code;
    for (const std::string_view piece : pieces(text)) {
      if (piece.find_first_of(" \r\n") == std::string_view::npos)
        append_word(code, numbers_.emplace(piece, numbers_.size()).first->second);
    }
    return code;
  }

  /// Returns the words and spaces of `text`, which are all of it.
  static std::vector<std::string_view> pieces(std::string_view text) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
      const std::size_t length =
          std::max<std::size_t>(1, std::min(text.find_first_of(" \r\n"), text.size()));
      pieces.push_back(text.substr(0, length));
      text.remove_prefix(length);
    }
    return pieces;
  }

  static bool begins_word(char byte) { return (byte & '\xf8') == '\xf0'; }
  static bool begins_space(char byte) { return (byte & '\xf0') == '\xe0'; }
  /// Returns the number of pieces that begin in `code`.
  static std::size_t count(std::string_view code) {
    return static_cast<std::size_t>(std::count_if(code.begin(), code.end(), [](char byte) {
      return begins_word(byte) || begins_space(byte);
    }));
  }

 private:
  /// Appends a supplementary character, always four bytes of UTF-8. There are fewer of them than
  /// words in the largest text; further words share theirs, which makes a comparison coarser but
  /// not wrong.
  static void append_word(std::string& code, std::size_t number) {
    constexpr std::size_t kFirst = 0x10000;
    constexpr std::size_t kCount = 0x100000;
    const std::size_t character = kFirst + number % kCount;
    code.push_back(static_cast<char>(0xf0 | character >> 18));
    for (const int shift : {12, 6, 0})
      code.push_back(static_cast<char>(0x80 | (character >> shift & 0x3f)));
    code.push_back('\n');
  }

  std::unordered_map<std::string_view, std::size_t> numbers_;
};

/// Returns how many pieces `edits` of `before`, a code, delete and insert.
std::size_t size_of(const Edits& edits, std::string_view before) {
  std::size_t size = 0;
  for (const text::Edit& edit : edits) {
    size += WordCode::count(edit.replacement) +
            WordCode::count(before.substr(edit.begin, edit.end - edit.begin));
  }
  return size;
}

bool deletes_around(const Edits& edits, std::size_t place) {
  return std::any_of(edits.begin(), edits.end(), [place](const text::Edit& edit) {
    return edit.begin < place && place < edit.end;
  });
}

/// Bytes by which a version may exceed twice the distance of another one before it counts as far.
/// The measure is rough: two changes in one line count with everything between them.
constexpr std::size_t kFar = 1024;

std::size_t changed_bytes(std::string_view before, std::string_view after) {
  std::size_t bytes = 0;
  for (const text::Edit& edit : text::diff(before, after))
    bytes += edit.end - edit.begin + edit.replacement.size();
  return bytes;
}

/// How much two texts differ. Words count first, because other changes between two words are often
/// the same space again.
struct Distance {
  std::size_t words = 0;
  std::size_t pieces = 0;
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

/// Measures how far a text is from each version that its author may have read.
class VersionComparison {
 public:
  VersionComparison(std::string_view theirs, std::string_view current)
      : their_words_(code_.encode_words(theirs)),
        their_pieces_(code_.encode(theirs)),
        current_words_(code_.encode_words(current)),
        from_current_(distance_from(current_words_, code_.encode(current))) {}

  Distance from_current() const { return from_current_; }

  /// Returns nullopt when `earlier` cannot be the version that was read.
  std::optional<Distance> from_earlier(std::string_view earlier) {
    const std::string words = code_.encode_words(earlier);
    const Edits between = text::diff(words, current_words_);
    const Edits changes = text::diff(words, their_words_);
    const bool as_in_it = from_current_.words >= size_of(changes, words) + size_of(between, words);
    const bool left_alone = std::none_of(
        between.begin(), between.end(),
        [&changes](const text::Edit& edit) { return deletes_around(changes, edit.begin); });
    if (!as_in_it || !left_alone) return std::nullopt;
    return distance_from(words, code_.encode(earlier));
  }

 private:
  Distance distance_from(const std::string& words, const std::string& pieces) const {
    return {size_of(text::diff(words, their_words_), words),
            size_of(text::diff(pieces, their_pieces_), pieces)};
  }

  WordCode code_;
  std::string their_words_;
  std::string their_pieces_;
  std::string current_words_;
  Distance from_current_;
};

/// Returns the offsets of the pieces of `text`, and its size.
std::vector<std::size_t> piece_offsets(std::string_view text) {
  std::vector<std::size_t> offsets{0};
  for (const std::string_view piece : WordCode::pieces(text))
    offsets.push_back(offsets.back() + piece.size());
  return offsets;
}

/// Extends `edit` to whole words: text put before "<2>" may show up as "1> <" after the "<", and
/// two insertions there would get mixed up.
text::Edit with_whole_words(text::Edit edit, std::string_view before) {
  constexpr std::string_view kSpaces = " \r\n";
  const std::size_t space_before = before.substr(0, edit.begin).find_last_of(kSpaces);
  const std::size_t begin = space_before == std::string_view::npos ? 0 : space_before + 1;
  const std::size_t end = std::min(before.find_first_of(kSpaces, edit.end), before.size());
  edit.replacement.insert(0, before.substr(begin, edit.begin - begin));
  edit.replacement.append(before.substr(edit.end, end - edit.end));
  return {begin, end, std::move(edit.replacement)};
}

/// Splits `edit` of `before` into edits of whole words, each reduced to what differs. Otherwise two
/// words typed in one line would be one edit that replaces everything between them, including what
/// we wrote there meanwhile.
void split_into_words(const text::Edit& edit, std::string_view before, Edits& out) {
  const std::string_view replaced = before.substr(edit.begin, edit.end - edit.begin);
  WordCode words;
  const std::string replaced_code = words.encode(replaced);
  const std::string replacement_code = words.encode(edit.replacement);
  const std::vector<std::size_t> replaced_at = piece_offsets(replaced);
  const std::vector<std::size_t> replacement_at = piece_offsets(edit.replacement);
  std::size_t counted = 0;  // bytes of replaced_code
  std::size_t end = 0;      // pieces in them
  std::size_t shift = 0;    // pieces by which the replacement is ahead; may wrap
  for (const text::Edit& change : text::diff(replaced_code, replacement_code)) {
    const std::size_t begin =
        end +
        WordCode::count(std::string_view(replaced_code).substr(counted, change.begin - counted));
    end = begin +
          WordCode::count(
              std::string_view(replaced_code).substr(change.begin, change.end - change.begin));
    counted = change.end;
    const std::size_t inserted = WordCode::count(change.replacement);
    const std::size_t from = replacement_at[begin + shift];
    const std::size_t to = replacement_at[begin + shift + inserted];
    shift += inserted - (end - begin);
    out.push_back(
        text::minimise({edit.begin + replaced_at[begin], edit.begin + replaced_at[end],
                        edit.replacement.substr(from, to - from)},
                       replaced.substr(replaced_at[begin], replaced_at[end] - replaced_at[begin])));
  }
}

/// Returns true when no line with text lies between two places, and none begins or ends there.
bool is_blank_between(std::string_view between) {
  const std::size_t line_end = between.find('\n');
  if (line_end == std::string_view::npos) return true;
  const std::size_t last_line_end = between.rfind('\n');
  return between.substr(line_end, last_line_end - line_end).find_first_not_of(" \t\r\n") ==
         std::string_view::npos;
}

/// Joins edits in lines that have only blank lines between them: which of several blank lines was
/// added or removed cannot be told line by line, only together with the words around them.
Edits joined_over_blank_lines(Edits edits, std::string_view before) {
  Edits joined;
  for (text::Edit& edit : edits) {
    if (joined.empty() ||
        !is_blank_between(before.substr(joined.back().end, edit.begin - joined.back().end))) {
      joined.push_back(std::move(edit));
      continue;
    }
    text::Edit& last = joined.back();
    last.replacement.append(before, last.end, edit.begin - last.end).append(edit.replacement);
    last.end = edit.end;
  }
  return joined;
}

/// Returns a diff like text::diff(), with edits of words in changed lines. Ascending, not
/// overlapping.
Edits word_diff(std::string_view before, std::string_view after) {
  Edits edits;
  for (text::Edit& edit : joined_over_blank_lines(text::diff(before, after), before)) {
    split_into_words(with_whole_words(std::move(edit), before), before, edits);
  }
  return edits;
}

}  // namespace

std::vector<text::Edit> merge(std::string_view base, std::string_view theirs,
                              std::string_view ours) {
  Edits moved = word_diff(base, theirs);
  if (base == ours) return moved;
  const Edits own = word_diff(base, ours);
  // From the last edit on, so that each of our edits still has offsets of the base.
  for (auto edit = own.rbegin(); edit != own.rend(); ++edit) {
    Edits next;
    for (const text::Edit& theirs_edit : moved) {
      for (text::Edit& piece : text::rebase(theirs_edit, *edit)) next.push_back(std::move(piece));
    }
    moved = std::move(next);
  }
  return moved;
}

std::optional<std::size_t> version_read(std::string_view theirs, std::string_view current,
                                        const std::vector<std::string_view>& earlier) {
  if (earlier.empty()) return std::nullopt;
  const std::size_t changed = changed_bytes(current, theirs);
  std::optional<VersionComparison> comparison;
  std::optional<std::size_t> best;
  Distance from_best;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    // Most versions are far off, and comparing words costs ten times as much as comparing lines.
    if (earlier[i] == current || changed_bytes(earlier[i], theirs) > kFar + 2 * changed) continue;
    if (!comparison) from_best = comparison.emplace(theirs, current).from_current();
    const std::optional<Distance> from_earlier = comparison->from_earlier(earlier[i]);
    if (!from_earlier || *from_earlier >= from_best) continue;
    best = i;
    from_best = *from_earlier;
  }
  return best;
}

}  // namespace agent_doc::file
