#include "server/markdown/front_matter_help.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kSpaces = " \t";

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

/// Returns the end of a value on its line, before spaces and a comment.
std::size_t value_end(std::string_view document, std::size_t begin, std::size_t line_end) {
  const std::string_view rest = document.substr(begin, line_end - begin);
  const std::size_t comment = rest.starts_with('#') ? 0 : rest.find(" #");
  const std::string_view value = rest.substr(0, comment);
  const std::size_t last = value.find_last_not_of(kSpaces);
  return begin + (last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

std::optional<CompletionPlace> completion_place(std::string_view document,
                                                const FrontMatter& front_matter, std::size_t at) {
  if (!front_matter.present || at <= front_matter.begin || at > front_matter.close_begin)
    return std::nullopt;
  const std::size_t before = document.substr(0, at).find_last_of("\r\n");
  const std::size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  if (line_begin <= front_matter.begin || line_begin >= front_matter.close_begin)
    return std::nullopt;
  const std::size_t line_end = std::min(document.find_first_of("\r\n", at), document.size());

  std::size_t key_end = line_begin;
  while (key_end < line_end && is_key_character(document[key_end])) ++key_end;
  CompletionPlace place;
  if (at <= key_end) {
    place.begin = line_begin;
    place.end = key_end;
    place.lacks_colon = key_end == line_end || document[key_end] != ':';
    return place;
  }
  if (key_end == line_begin || document[key_end] != ':') return std::nullopt;
  place.key = std::string(document.substr(line_begin, key_end - line_begin));
  place.begin = std::min(document.find_first_not_of(kSpaces, key_end + 1), line_end);
  if (place.begin > at) place.begin = at;
  place.end = value_end(document, place.begin, line_end);
  if (at > std::max(place.end, place.begin)) return std::nullopt;
  place.lacks_space = place.begin == key_end + 1;
  return place;
}

}  // namespace agent_doc::markdown
