#include "editors/cli/question_text.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>

namespace agent_doc::cli {

namespace {

constexpr std::string_view kChangeBar = "  | ";

/// The fewest usable columns.
constexpr int kMinColumns = 20;

/// Counts a character that may be wide as two columns.
std::size_t row_end(std::string_view line, std::size_t at, std::size_t columns) {
  std::size_t used = 0;
  while (at < line.size()) {
    const std::size_t length = text::sequence_length(line, at);
    used += line[at] == '\t' ? 8 : length <= 2 ? 1 : 2;
    if (used > columns) break;
    at += length;
  }
  return at;
}

std::vector<std::string_view> rows_of(std::string_view text, int columns) {
  const std::size_t width =
      static_cast<std::size_t>(std::max(columns, kMinColumns)) - kChangeBar.size() - 1;
  std::vector<std::string_view> rows;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    for (std::size_t begin = 0; begin < line.size() || begin == 0;) {
      const std::size_t stop = row_end(line, begin, width);
      rows.push_back(line.substr(begin, stop - begin));
      if (stop == line.size()) break;
      begin = stop;
    }
    at = end + 1;
  }
  return rows;
}

/// Returns the index of the first option of `kind`, or the number of options if there is none.
std::size_t first_of(const std::vector<AskedOption>& options, std::string_view kind) {
  const auto found =
      std::find_if(options.begin(), options.end(),
                   [kind](const AskedOption& option) { return option.kind == kind; });
  return static_cast<std::size_t>(found - options.begin());
}

void append_rows(std::string& text, const std::vector<std::string_view>& rows, std::size_t begin,
                 std::size_t end) {
  for (std::size_t row = begin; row < end; ++row)
    text.append(kChangeBar).append(rows[row]).append("\n");
}

bool widens(const AskedOption& option) {
  return option.kind != "allow_once" && option.kind != "allow_always" && option.kind != "deny";
}

}  // namespace

std::vector<std::string> keys_of(const std::vector<AskedOption>& options) {
  std::vector<std::string> keys;
  for (std::size_t option = 0; option < options.size(); ++option)
    keys.push_back(std::to_string(option + 1));
  const auto name = [&](std::string_view kind, const char* letter) {
    if (const std::size_t first = first_of(options, kind); first < keys.size())
      keys[first] = letter;
  };
  name("allow_once", "y");
  name("allow_always", "a");
  name("deny", "n");
  return keys;
}

std::string question_text(const AskedQuestion& question, int columns) {
  std::string text =
      "The agent wants to use " + question.tool + (question.detail.empty() ? ".\n" : ":\n");
  const auto rows = rows_of(question.detail, columns);
  const bool is_long = rows.size() > kShownBegin + kShownEnd;
  if (!question.detail.empty()) append_rows(text, rows, 0, is_long ? kShownBegin : rows.size());
  if (is_long) {
    text += "  … " + std::to_string(rows.size() - kShownBegin - kShownEnd) +
            " lines are not shown here: v shows all\n";
    append_rows(text, rows, rows.size() - kShownEnd, rows.size());
  }
  const std::vector<std::string> keys = keys_of(question.options);
  std::string choice;
  for (std::size_t option = 0; option < keys.size(); ++option) {
    const AskedOption& one = question.options[option];
    text += "  [" + keys[option] + "] " + one.label +
            (widens(one) ? "  (you will be asked once more)\n" : "\n");
    if (keys[option] != "n") choice += keys[option] + ", ";
  }
  if (std::find(keys.begin(), keys.end(), "n") == keys.end()) text += "  [n] No\n";
  return text + "Allow? " + choice + "N (no)" + (is_long ? ", v (view all of it): " : ": ");
}

std::string whole_question_text(const AskedQuestion& question, int columns) {
  std::string text = "\n";
  const auto rows = rows_of(question.detail, columns);
  append_rows(text, rows, 0, rows.size());
  return text;
}

TypedAnswer read_answer(std::string_view line, const std::vector<AskedOption>& options) {
  std::string word;
  for (const char c : line) {
    if (c != ' ' && c != '\t' && c != '\r')
      word.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
  }
  if (word == "yes" || word == "always" || word == "view") word.resize(1);
  if (word == "v") return {TypedAnswer::Kind::View, 0};
  const std::vector<std::string> keys = keys_of(options);
  auto key = std::find(keys.begin(), keys.end(), word);
  if (key == keys.end()) key = std::find(keys.begin(), keys.end(), "n");
  if (key == keys.end()) return {};
  return {TypedAnswer::Kind::Option, static_cast<std::size_t>(key - keys.begin())};
}

}  // namespace agent_doc::cli
