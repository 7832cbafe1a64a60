#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace lint_columns_test {

using agent_doc::tests::File;
using agent_doc::tests::is_source;
using agent_doc::tests::project;

constexpr std::size_t kMaxColumns = 100;
/// A literal or an address of this many columns may be where the line cannot be broken.
constexpr std::size_t kMinUnbreakable = 40;
/// So many columns may follow such a piece: its quote, brackets, a comma.
constexpr std::size_t kMaxAfterUnbreakable = 8;

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

bool has_limit(const File& one) {
  const std::string_view path = one.path;
  if (path.starts_with("tests/transcripts/") && !path.ends_with(".md")) return false;
  if (path.ends_with("NOTICES.md")) return false;  // the licenses of others
  for (const char* ending :
       {".md", ".lua", ".ts", ".mjs", ".py", ".bash", ".toml", "CMakeLists.txt"}) {
    if (path.ends_with(ending)) return true;
  }
  return is_source(path) || one.text.starts_with("#!");
}

/// Returns whether a quoted piece or an address that reaches over the limit is too long to be
/// broken. What follows it, and would fit on a line of its own, does not excuse the line.
bool is_unbreakable(std::string_view line) {
  const auto is_excused = [line](std::size_t begin, std::size_t end) {
    const std::size_t after = columns_of(line.substr(end));
    return columns_of(line.substr(begin, end - begin)) > kMinUnbreakable &&
           after <= kMaxAfterUnbreakable;
  };
  for (const char* quote : {"\"", "'", "`"}) {
    for (std::size_t at = line.find(quote); at != std::string_view::npos;) {
      const std::size_t end = std::min(line.find(quote, at + 1), line.size());
      if (is_excused(at, end)) return true;
      at = end < line.size() ? line.find(quote, end + 1) : std::string_view::npos;
    }
  }
  const std::size_t address = line.find("://");
  return address != std::string_view::npos &&
         is_excused(address, std::min(line.find(' ', address), line.size()));
}

/// Follows what a line may be part of: a fenced block of markdown, a raw literal of C++.
class Surroundings {
 public:
  explicit Surroundings(const File& one)
      : is_markdown_(one.path.ends_with(".md")), is_cpp_(is_source(one.path)) {}

  /// Returns whether `line`, the next one, is text that is not ours to break.
  bool quotes(std::string_view line) {
    if (is_markdown_) return quotes_markdown(line);
    return is_cpp_ && quotes_cpp(line);
  }

 private:
  bool quotes_markdown(std::string_view line) {
    const std::string_view text = line.substr(std::min(line.find_first_not_of(" >"), line.size()));
    const bool is_fence = text.starts_with("```") || text.starts_with("~~~");
    if (is_fence) is_inside_ = !is_inside_;
    return is_inside_ || is_fence || text.starts_with('|') || text.starts_with("![") ||
           text.starts_with("[");
  }

  bool quotes_cpp(std::string_view line) {
    if (is_inside_) {
      is_inside_ = line.find(raw_end_) == std::string_view::npos;
      return true;
    }
    const std::size_t begin = line.find("R\"");
    const std::size_t open = line.find('(', std::min(begin, line.size()));
    if (open == std::string_view::npos) return false;
    raw_end_ = ")" + std::string(line.substr(begin + 2, open - begin - 2)) + "\"";
    is_inside_ = line.find(raw_end_, open) == std::string_view::npos;
    return true;
  }

  std::string raw_end_;
  bool is_markdown_;
  bool is_cpp_;
  bool is_inside_ = false;
};

std::string long_lines(const File& one) {
  if (!has_limit(one)) return {};
  Surroundings surroundings(one);
  std::string found;
  std::size_t number = 0;
  std::string_view rest = one.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (surroundings.quotes(line) || columns_of(line) <= kMaxColumns || is_unbreakable(line))
      continue;
    found += " " + std::to_string(number);
  }
  return found;
}

TEST_CASE("lint: the rule about columns knows long lines") {
  const std::string words(101, 'x');
  CHECK(long_lines({"server/a.cpp", "int x;\n" + words + "\n"}) == " 2");
  CHECK(long_lines({"server/a.cpp", words.substr(1) + "\n"}).empty());
  CHECK(long_lines({"server/a.cpp", "\"" + words + "\"\n"}).empty());
  CHECK(long_lines({"server/a.cpp", "f(\"" + words + "\", nine_more);\n"}) == " 1");
  CHECK(long_lines({"server/a.cpp", "f(R\"(\n" + words + "\n)\");\n" + words + "\n"}) == " 4");
  CHECK(long_lines({"README.md", "| " + words + " |\n```\n" + words + "\n```\n" + words}) == " 5");
  CHECK(long_lines({"scripts/a", "#!/bin/sh\n# " + words + "\n"}) == " 2");
  CHECK(long_lines({"tests/transcripts/acp/a.jsonl", words + "\n"}).empty());
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "é";
  CHECK(long_lines({"docs/a.md", wide}).empty());
}

TEST_CASE("lint: no line has more than 100 columns") {
  for (const File& one : project()) {
    const std::string lines = long_lines(one);
    if (!lines.empty()) FAIL_CHECK(std::string(one.path + ": lines over 100 columns:" + lines));
  }
}

}  // namespace lint_columns_test
