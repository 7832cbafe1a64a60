// Walking UTF-8: validity, repair, lengths in other encodings, and safe places to cut.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::text {

/// Returns true when `bytes` is well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no
/// surrogates, at most U+10FFFF).
bool is_valid_utf8(std::string_view bytes);

/// Returns the byte offset of the first ill-formed sequence, or `bytes.size()`.
std::size_t first_invalid_utf8(std::string_view bytes);

struct RepairedText {
  std::string text;
  std::size_t replaced = 0;  ///< number of ill-formed sequences that became U+FFFD
};

/// Replaces every maximal ill-formed sequence by U+FFFD, as the WHATWG encoding standard does.
RepairedText repair_utf8(std::string_view bytes);

/// Returns the length in bytes of the sequence that starts at `bytes[at]`. It is 1 for an
/// ill-formed one, so that a walk always ends.
std::size_t sequence_length(std::string_view bytes, std::size_t at);

/// Returns the number of UTF-16 code units of well-formed `bytes`.
std::size_t utf16_length(std::string_view bytes);

/// Returns the number of code points of well-formed `bytes`.
std::size_t utf32_length(std::string_view bytes);

/// Returns the largest offset <= `at` that does not cut a UTF-8 sequence.
std::size_t floor_boundary(std::string_view bytes, std::size_t at);

/// Returns the smallest offset >= `at` that does not cut a UTF-8 sequence.
std::size_t ceil_boundary(std::string_view bytes, std::size_t at);

/// Returns where the last extended grapheme cluster (UAX 29) of `bytes` begins, or 0. "\r\n" is one
/// cluster. Costs O(bytes), so pass only a tail.
std::size_t last_grapheme(std::string_view bytes);

}  // namespace agent_doc::text
