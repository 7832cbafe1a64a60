// What it is: the project's own files as text, and as much of C++ as the rules of lint_test.cpp
// need: code without comments and literals, includes.
// What it is not: a parser, nor a rule.
// Thread rule: one thread.
#pragma once

#include "tests/unit/temporary_folder.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::tests {

// --- the project ---

struct File {
  std::string path;  ///< from the project's root on
  std::string text;
};

inline bool is_header(std::string_view path) {
  return path.ends_with(".hpp");
}
inline bool is_cpp(std::string_view path) {
  return path.ends_with(".cpp");
}
inline bool is_source(std::string_view path) {
  return is_header(path) || is_cpp(path);
}
/// A file of the library or the program, not of the tests.
inline bool is_product(std::string_view path) {
  return is_source(path) && !path.starts_with("tests/");
}

/// Everything that belongs to the project: not what a build or git makes.
inline std::vector<File> read_project() {
  const std::filesystem::path root = AGENT_DOC_SOURCE_DIR;
  const std::set<std::string> left_out{".git", ".cache", "bin",         "build",
                                       "out",  "dist",   "node_modules"};
  std::vector<File> files;
  for (auto entry = std::filesystem::recursive_directory_iterator(root);
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && left_out.contains(entry->path().filename()))
      entry.disable_recursion_pending();
    const bool is_picture =
        entry->path().extension() == ".png";  // its bytes may look like any word
    const bool is_link_to_git = entry->path().filename() == ".git";
    if (entry->is_regular_file() && !is_picture && !is_link_to_git)
      files.push_back({entry->path().lexically_relative(root), read_file(entry->path())});
  }
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return files;
}

inline const std::vector<File>& project() {
  static const std::vector<File> files = read_project();
  return files;
}

// --- C++ text ---

inline bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

inline std::size_t end_of_raw_string(std::string_view text, std::size_t quote) {
  const std::size_t open = std::min(text.find('(', quote), text.size());
  const std::string close = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

inline std::size_t end_of_literal(std::string_view text, std::size_t quote) {
  std::size_t at = quote + 1;
  while (at < text.size() && text[at] != text[quote]) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// Where the comment or literal that begins at `at` ends; `at` when none does.
inline std::size_t end_of_no_code(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return std::min(text.find("*/", at), text.size() - 2) + 2;
  const char before = at == 0 ? ' ' : text[at - 1];
  if (text[at] == '"')
    return before == 'R' ? end_of_raw_string(text, at) : end_of_literal(text, at);
  // A digit separator is no character literal.
  if (text[at] == '\'' && !is_name_character(before)) return end_of_literal(text, at);
  return at;
}

/// `text` with comments and literals blanked out.
inline std::string code_of(std::string_view text) {
  std::string code;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_no_code(text, at);
    if (end == at) {
      code += text[at++];
    } else {
      for (; at < end; ++at) code += text[at] == '\n' ? '\n' : ' ';
    }
  }
  return code;
}

inline std::size_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

struct Include {
  std::string path;
  bool of_system = false;
};

/// Directives, not what stands in a raw string.
inline std::vector<Include> includes_of(std::string_view text) {
  constexpr std::string_view kDirective = "#include ";
  const std::string code = code_of(text);
  std::vector<Include> includes;
  for (std::size_t at = code.find(kDirective); at != std::string::npos;
       at = code.find(kDirective, at + 1)) {
    const std::size_t open = at + kDirective.size();
    const std::size_t close = text.find_first_of(">\"\n", open + 1);
    includes.push_back({std::string(text.substr(open + 1, close - open - 1)), text[open] == '<'});
  }
  return includes;
}

}  // namespace agent_doc::tests
