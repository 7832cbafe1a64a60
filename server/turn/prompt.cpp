#include "server/turn/prompt.hpp"

#include "server/markdown/scanner.hpp"

#include <map>
#include <utility>
#include <vector>

namespace agent_doc::turn {
namespace {

constexpr std::string_view kCommentOpen = "<!--";
constexpr std::string_view kCommentClose = "-->";
constexpr std::string_view kCommentLine = "[//]:";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == kNone) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::string_view without_blank_lines_around(std::string_view text) {
  const std::string_view core = trimmed(text);
  if (core.empty()) return {};
  const auto begin = static_cast<std::size_t>(core.data() - text.data());
  const std::size_t line = text.substr(0, begin).find_last_of("\r\n");
  return text.substr(line == kNone ? 0 : line + 1,
                     begin + core.size() - (line == kNone ? 0 : line + 1));
}

/// `<!-- agent:… -->`, `<!-- patch:… -->`, `<!-- replace:… -->` and their ends are structure, not
/// comments.
bool is_component_marker(std::string_view comment) {
  std::string_view name = trimmed(comment.substr(
      kCommentOpen.size(), comment.size() - kCommentOpen.size() - kCommentClose.size()));
  if (name.starts_with('/')) name.remove_prefix(1);
  return name.starts_with("agent:") || name.starts_with("patch:") || name.starts_with("replace:");
}

/// A link reference definition that is used as a comment: `[//]: # (…)`.
bool is_comment_line(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with(kCommentLine) &&
         trimmed(text.substr(kCommentLine.size())).starts_with('#');
}

bool is_code(markdown::LineKind kind) {
  return kind == markdown::LineKind::Code || kind == markdown::LineKind::FenceOpen ||
         kind == markdown::LineKind::FenceClose;
}

std::size_t run_of_backticks(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of('`', at);
  return (end == kNone ? text.size() : end) - at;
}

/// The code spans of a paragraph. It knows where runs of each length stand last, so that a run that
/// nothing closes costs no search to the end.
class CodeSpans {
 public:
  explicit CodeSpans(std::string_view paragraph) : paragraph_(paragraph) {}

  /// Behind the code span that begins at `at`, or behind the backticks when none does.
  std::size_t behind(std::size_t at) {
    if (last_.empty()) find_last();
    const std::size_t length = run_of_backticks(paragraph_, at);
    if (last_.at(length) == at) return at + length;
    std::size_t next = at + length;
    while (true) {
      next = paragraph_.find('`', next);
      const std::size_t found = run_of_backticks(paragraph_, next);
      next += found;
      if (found == length) return next;
    }
  }

 private:
  void find_last() {
    for (std::size_t at = paragraph_.find('`'); at != kNone;) {
      const std::size_t length = run_of_backticks(paragraph_, at);
      last_[length] = at;
      at = paragraph_.find('`', at + length);
    }
  }

  std::string_view paragraph_;
  std::map<std::size_t, std::size_t> last_;  ///< by the length of a run
};

/// Where the next '`' or '<' stands.
std::size_t next_mark(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != '`' && text[from] != '<') ++from;
  return from;
}

class CommentRemover {
 public:
  explicit CommentRemover(std::string_view text) : text_(text), lines_(markdown::scan(text, 0)) {}

  std::string run() {
    while (line_ < lines_.size()) {
      const markdown::LineKind kind = lines_[line_].kind;
      if (kind == markdown::LineKind::HtmlComment) {
        comment_block();
      } else if (is_comment_line(content(line_)) && kind == markdown::LineKind::Text) {
        ++line_;
      } else if (is_code(kind) || kind == markdown::LineKind::Blank) {
        keep(lines_[line_].begin, next_begin(line_));
        ++line_;
      } else {
        inline_text();
      }
    }
    return std::move(kept_);
  }

 private:
  std::size_t next_begin(std::size_t line) const {
    return line + 1 < lines_.size() ? lines_[line + 1].begin : text_.size();
  }
  std::string_view content(std::size_t line) const {
    return text_.substr(lines_[line].begin, lines_[line].end - lines_[line].begin);
  }
  void keep(std::size_t begin, std::size_t end) { kept_.append(text_.substr(begin, end - begin)); }

  /// A comment that is a block of its own goes with the line that ends it; without an end it
  /// reaches to the end of the text.
  void comment_block() {
    const std::size_t open = text_.find(kCommentOpen, lines_[line_].begin);
    const std::size_t close = text_.find(kCommentClose, open + kCommentOpen.size());
    if (close == kNone) {
      line_ = lines_.size();
      return;
    }
    const std::size_t end = close + kCommentClose.size();
    std::size_t last = line_;
    while (next_begin(last) < end) ++last;
    const std::string_view rest = text_.substr(end, next_begin(last) - end);
    if (is_component_marker(text_.substr(open, end - open))) {
      keep(lines_[line_].begin, next_begin(last));
    } else if (!trimmed(rest).empty()) {
      without_inline_comments(rest);
    }
    line_ = last + 1;
  }

  /// A paragraph, a heading or the lines of an HTML block.
  void inline_text() {
    const std::size_t first = line_;
    const markdown::LineKind kind = lines_[first].kind;
    do {
      ++line_;
    } while (line_ < lines_.size() && kind != markdown::LineKind::Heading &&
             lines_[line_].kind == kind && !is_comment_line(content(line_)));
    const std::size_t end = next_begin(line_ - 1);
    without_inline_comments(text_.substr(lines_[first].begin, end - lines_[first].begin));
  }

  void without_inline_comments(std::string_view paragraph) {
    CodeSpans spans(paragraph);
    std::size_t from = 0;
    bool comments_end = true;  // a comment that is not closed is text, and so is every later one
    for (std::size_t at = next_mark(paragraph, 0); at < paragraph.size();
         at = next_mark(paragraph, at)) {
      if (paragraph[at] == '`') {
        at = spans.behind(at);
        continue;
      }
      std::size_t close = kNone;
      if (comments_end && paragraph.substr(at).starts_with(kCommentOpen)) {
        close = paragraph.find(kCommentClose, at + kCommentOpen.size());
        comments_end = close != kNone;
      }
      if (close == kNone) {
        ++at;
        continue;
      }
      const std::size_t end = close + kCommentClose.size();
      if (!is_component_marker(paragraph.substr(at, end - at))) {
        kept_.append(paragraph.substr(from, at - from));
        from = end;
      }
      at = end;
    }
    kept_.append(paragraph.substr(from));
  }

  std::string_view text_;
  std::vector<markdown::Line> lines_;
  std::size_t line_ = 0;
  std::string kept_;
};

/// `text` without a heading at its end that has nothing under it.
std::string_view without_dangling_heading(std::string_view text) {
  const std::size_t line = text.find_last_of("\r\n");
  const std::string_view last = line == kNone ? text : text.substr(line + 1);
  if (!last.starts_with("## ")) return text;
  return line == kNone ? std::string_view() : without_blank_lines_around(text.substr(0, line));
}

}  // namespace

std::string without_comments(std::string_view markdown) {
  const bool has_any = markdown.find(kCommentOpen) != kNone || markdown.find(kCommentLine) != kNone;
  if (!has_any) return std::string(markdown);
  return CommentRemover(markdown).run();
}

std::string asked_in(std::string_view prompt) {
  const std::string text = without_comments(prompt);
  return std::string(without_blank_lines_around(text));
}

namespace {

/// What a session reads that knows nothing: the document around [begin, end), and behind it what is
/// asked.
std::string with_document(std::string_view body, std::size_t begin, std::size_t end,
                          const std::string& asked) {
  std::string earlier = without_comments(body.substr(0, begin));
  const std::string later = without_comments(body.substr(end));
  if (!trimmed(later).empty()) earlier.append("\n").append(later);
  const std::string_view document = without_dangling_heading(without_blank_lines_around(earlier));
  if (document.empty()) return asked;
  std::string text =
      "This is the markdown document that we write together, up to now:\n\n<document>\n";
  text.append(document)
      .append("\n</document>\n\nThis is the open prompt in it. Answer only this:\n\n")
      .append(asked);
  return text;
}

}  // namespace

std::string build_prompt(std::string_view body, std::size_t prompt_begin, std::size_t prompt_end,
                         SessionKnows knows) {
  std::string asked = asked_in(body.substr(prompt_begin, prompt_end - prompt_begin));
  if (asked.empty() || knows == SessionKnows::EarlierTurns) return asked;
  return with_document(body, prompt_begin, prompt_end, asked);
}

PromptSource::PromptSource(std::string body, std::size_t prompt_begin, std::size_t prompt_end)
    : body_(std::move(body)),
      begin_(prompt_begin),
      end_(prompt_end),
      asked_(asked_in(std::string_view(body_).substr(prompt_begin, prompt_end - prompt_begin))) {}

std::string PromptSource::text(SessionKnows knows) const {
  if (asked_.empty() || knows == SessionKnows::EarlierTurns) return asked_;
  return with_document(body_, begin_, end_, asked_);
}

}  // namespace agent_doc::turn
