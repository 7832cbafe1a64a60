// What it is: seeded random texts and edits for property tests: few different pieces, so that
// coincidences are frequent.
// What it is not: a fuzzer; the same seed always gives the same texts.
// Thread rule: one object per test.
#pragma once

#include "server/text/edit.hpp"
#include "server/text/utf8.hpp"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::test {

class RandomText {
 public:
  explicit RandomText(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) {
    return bound == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::string_view pick(const std::vector<std::string_view>& choices) {
    return choices[below(choices.size())];
  }

  /// Well-formed UTF-8 of up to `max_pieces` letters, CJK, emoji, combining marks and line ends of
  /// every kind, "\r" beside "\n" included.
  std::string text(std::size_t max_pieces) {
    static const std::vector<std::string_view> kPieces = {
        "a", "b", "a",  " ",      "\n",     "\r\n",   "\r",         "\n",
        "-", "é", "中", "\u0301", "\u200D", "\u20AC", "\U0001F600", "\U0001F468"};
    std::string text;
    for (std::size_t left = below(max_pieces + 1); left > 0; --left) text += pick(kPieces);
    return text;
  }

  /// A code point boundary of `text`.
  std::size_t boundary(std::string_view text) {
    return text::floor_boundary(text, below(text.size() + 1));
  }

  /// Replaces a short range by a short text.
  text::Edit edit(std::string_view text) {
    const std::size_t begin = boundary(text);
    const std::size_t end = one_in(3) ? begin : begin + boundary(text.substr(begin, below(12)));
    return {begin, end, one_in(4) ? std::string() : this->text(5)};
  }

 private:
  std::mt19937 engine_;
};

/// `text` with `edit` applied, the plain way.
inline std::string applied(std::string text, const text::Edit& edit) {
  return text.replace(edit.begin, edit.end - edit.begin, edit.replacement);
}

}  // namespace agent_doc::test
