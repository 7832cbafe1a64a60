#include "editors/cli/question.hpp"

#include "server/markdown/front_matter.hpp"
#include "server/markdown/turns.hpp"
#include "server/text/line_ends.hpp"
#include "server/turn/turn_headings.hpp"

#include <algorithm>
#include <array>

namespace agent_doc::cli {

namespace {

constexpr std::array<std::string_view, 8> kMarkdownEndings = {
    ".md", ".markdown", ".mdown", ".mkdn", ".mkd", ".mdx", ".qmd", ".rmd"};
constexpr std::string_view kBlanks = " \t\n\r";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view ending_of(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos || dot <= name ? std::string_view() : path.substr(dot);
}

bool is_markdown_ending(std::string_view ending) {
  return std::find(kMarkdownEndings.begin(), kMarkdownEndings.end(), lower(ending)) !=
         kMarkdownEndings.end();
}

std::string_view without_blanks_at_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Adds an open prompt to a document that has none.
std::string with_new_prompt(std::string_view document, const std::string& question,
                            std::string_view line_end) {
  const markdown::FrontMatter front_matter = markdown::read_front_matter(document);
  const markdown::InlineTurns turns = markdown::find_turns(document, front_matter.body_begin);
  const std::size_t end = turns.turns.back().body_end;  // before what is below its component
  const std::string_view above = without_blanks_at_end(document.substr(0, end));
  const bool is_assistants = turns.turns.back().speaker == markdown::Speaker::Assistant;
  std::string text(above);
  std::string added = text.empty() ? "" : "\n\n";
  if (is_assistants) added += "## User\n\n";
  return text + text::with_line_ends(added + question + "\n", line_end) +
         std::string(document.substr(end));
}

}  // namespace

bool has_markdown_name(std::string_view path) {
  const std::string_view ending = ending_of(path);
  return ending.empty() || is_markdown_ending(ending);
}

RunTargets run_targets(const std::vector<std::string>& arguments,
                       const std::function<bool(const std::string&)>& is_there) {
  RunTargets targets;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool is_file = argument != "-" &&
                         (i == 0 || is_there(argument) || is_markdown_ending(ending_of(argument)));
    if (is_file && !targets.question) {
      targets.files.push_back(argument);
    } else if (!targets.question && i > 0) {
      targets.question = argument;
    } else {
      targets.problem = i == 0 ? "a file comes first: agent-doc run FILE -"
                               : "a question is one argument: put quotes around it.";
    }
  }
  if (targets.question && targets.files.size() > 1)
    targets.problem =
        "a question is for one file, and here are " + std::to_string(targets.files.size()) + ".";
  return targets;
}

std::string cleaned_question(std::string_view question) {
  std::string lines;
  for (std::size_t at = 0; at < question.size(); ++at) {
    const bool is_pair =
        question[at] == '\r' && at + 1 < question.size() && question[at + 1] == '\n';
    if (!is_pair) lines += question[at] == '\r' ? '\n' : question[at];
  }
  const std::string_view text = without_blanks_at_end(lines);
  std::string clean;
  turn::TurnHeadings headings;
  headings.feed(text.substr(std::min(text.find_first_not_of("\n"), text.size())), clean);
  headings.finish(clean);
  return clean;
}

std::string open_prompt_of(std::string_view document) {
  const auto open = markdown::find_open_prompt(document, markdown::read_front_matter(document));
  return open ? std::string(document.substr(open->begin, open->end - open->begin)) : std::string();
}

WithQuestion with_question(std::string_view document, std::string_view question,
                           OpenPromptIs open_prompt) {
  const std::string_view line_end = text::most_frequent_line_end(document);
  const std::string clean = text::with_line_ends(cleaned_question(question), line_end);
  if (clean.find_first_not_of(kBlanks) == std::string::npos) return {{}, "the question is empty."};
  const auto open = markdown::find_open_prompt(document, markdown::read_front_matter(document));
  std::string text(document);
  if (!open) {
    text = with_new_prompt(document, clean, line_end);
  } else if (open_prompt == OpenPromptIs::Replaced) {
    text.replace(open->begin, open->end - open->begin, clean);
  } else if (open_prompt_of(document) != clean) {
    text.insert(open->end, text::with_line_ends("\n\n", line_end) + clean);
  }
  if (!open_prompt_of(text).ends_with(clean)) {
    return {{},
            "the question cannot be put at the end: a code fence or a comment above is not closed. "
            "Close it, and run again."};
  }
  return {std::move(text), {}};
}

}  // namespace agent_doc::cli
