#include "server/turn/comments.hpp"

#include "server/markdown/code_spans.hpp"
#include "server/markdown/scanner.hpp"
#include "server/text/lines.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace agent_doc::turn {
namespace {

constexpr std::string_view kCommentOpen = "<!--";
constexpr std::string_view kCommentClose = "-->";
constexpr std::string_view kCommentLine = "[//]:";
constexpr std::string_view kCommentSpace = " \t\r\n";
constexpr std::size_t kNotFound = std::string_view::npos;

std::string_view without_space_around(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kCommentSpace);
  if (begin == kNotFound) return {};
  return text.substr(begin, text.find_last_not_of(kCommentSpace) + 1 - begin);
}

/// `<!-- agent:… -->`, `<!-- patch:… -->`, `<!-- replace:… -->` and their ends are structure, not
/// comments.
bool is_component_marker(std::string_view comment) {
  std::string_view name = without_space_around(comment.substr(
      kCommentOpen.size(), comment.size() - kCommentOpen.size() - kCommentClose.size()));
  if (name.starts_with('/')) name.remove_prefix(1);
  return name.starts_with("agent:") || name.starts_with("patch:") || name.starts_with("replace:");
}

/// A link reference definition that is used as a comment: `[//]: # (…)`.
bool is_comment_line(std::string_view line) {
  const std::string_view text = without_space_around(line);
  return text.starts_with(kCommentLine) &&
         without_space_around(text.substr(kCommentLine.size())).starts_with('#');
}

bool is_space(char byte) {
  return byte == ' ' || byte == '\t';
}

bool is_code(markdown::LineKind kind) {
  return kind == markdown::LineKind::Code || kind == markdown::LineKind::FenceOpen ||
         kind == markdown::LineKind::FenceClose;
}

/// Where the next '`' or '<' stands.
std::size_t next_mark(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] != '`' && text[from] != '<') ++from;
  return from;
}

class CommentRemover {
 public:
  CommentRemover(std::string_view text, CommentGaps gaps)
      : text_(text), gaps_(gaps), lines_(markdown::scan(text, 0)) {}

  WithoutComments run() {
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
    return {std::move(kept_), std::move(sources_)};
  }

 private:
  /// A comment was taken out of a paragraph.
  struct Gap {
    std::size_t at = 0;      ///< in the paragraph without it
    std::size_t source = 0;  ///< of text_: what follows it
  };

  std::size_t next_begin(std::size_t line) const {
    return line + 1 < lines_.size() ? lines_[line + 1].begin : text_.size();
  }
  std::string_view content(std::size_t line) const {
    return text_.substr(lines_[line].begin, lines_[line].end - lines_[line].begin);
  }
  void keep(std::size_t begin, std::size_t end) {
    if (begin == end) return;
    const bool goes_on =
        !sources_.empty() && begin - sources_.back().source == kept_.size() - sources_.back().at;
    if (!goes_on) sources_.push_back({kept_.size(), begin});
    kept_.append(text_.substr(begin, end - begin));
  }

  /// A comment that is a block of its own goes with the line that ends it; without an end it
  /// reaches to the end of the text.
  void comment_block() {
    const std::size_t open = text_.find(kCommentOpen, lines_[line_].begin);
    const std::size_t close = text_.find(kCommentClose, open + kCommentOpen.size());
    if (close == kNotFound) {
      line_ = lines_.size();
      return;
    }
    const std::size_t end = close + kCommentClose.size();
    std::size_t last = line_;
    while (next_begin(last) < end) ++last;
    const std::string_view rest = text_.substr(end, next_begin(last) - end);
    if (is_component_marker(text_.substr(open, end - open))) {
      keep(lines_[line_].begin, next_begin(last));
    } else if (gaps_ == CommentGaps::Closed) {
      without_inline_comments(
          text_.substr(lines_[line_].begin, next_begin(last) - lines_[line_].begin));
    } else if (!without_space_around(rest).empty()) {
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
    markdown::CodeSpans spans(paragraph);
    const auto source = static_cast<std::size_t>(paragraph.data() - text_.data());
    std::string text;
    std::vector<Gap> gaps;
    std::size_t from = 0;
    bool comments_end = true;  // a comment that is not closed is text, and so is every later one
    for (std::size_t at = next_mark(paragraph, 0); at < paragraph.size();
         at = next_mark(paragraph, at)) {
      if (paragraph[at] == '`') {
        at = spans.end_of(at);
        continue;
      }
      std::size_t close = kNotFound;
      if (comments_end && paragraph.substr(at).starts_with(kCommentOpen)) {
        close = paragraph.find(kCommentClose, at + kCommentOpen.size());
        comments_end = close != kNotFound;
      }
      if (close == kNotFound) {
        ++at;
        continue;
      }
      const std::size_t end = close + kCommentClose.size();
      if (!is_component_marker(paragraph.substr(at, end - at))) {
        text.append(paragraph.substr(from, at - from));
        from = end;
        gaps.push_back({text.size(), source + from});
      }
      at = end;
    }
    text.append(paragraph.substr(from));
    if (gaps_ == CommentGaps::Closed) {
      append_closed(text, source, gaps);
    } else {
      kept_.append(text);
    }
  }

  /// `gaps`: where comments were taken out of `text`, which begins at `source`; ascending.
  void append_closed(std::string_view text, std::size_t source, const std::vector<Gap>& gaps) {
    auto gap = gaps.begin();
    std::size_t in_source = source;  // of `at`
    std::size_t at = 0;
    const auto append_up_to = [&](std::size_t end) {
      const std::size_t size = end - at;
      keep(in_source, in_source + size);
      at = end;
      in_source += size;
    };
    text::LineWalker lines(text);
    for (std::optional<text::LineSpan> line = lines.next(); line; line = lines.next()) {
      const bool had_comment = gap != gaps.end() && gap->at <= line->end;
      const std::size_t kept = kept_.size();
      const std::size_t known_sources = sources_.size();
      for (; gap != gaps.end() && gap->at <= line->end; ++gap) {
        append_up_to(gap->at);
        in_source = gap->source;
        if (gap + 1 != gaps.end() && (gap + 1)->at == at) continue;  // they have one gap
        const bool is_behind_space = kept_.size() == kept || is_space(kept_.back());
        if (is_behind_space && at < line->end && is_space(text[at])) {
          ++at;
          ++in_source;
        }
      }
      append_up_to(line->next);
      if (had_comment && without_space_around(std::string_view(kept_).substr(kept)).empty()) {
        kept_.resize(kept);
        sources_.resize(known_sources);
      }
    }
  }

  std::string_view text_;
  CommentGaps gaps_;
  std::vector<markdown::Line> lines_;
  std::size_t line_ = 0;
  std::string kept_;
  std::vector<KeptText> sources_;  ///< of kept_, while gaps are closed
};

bool may_have_comments(std::string_view markdown) {
  return markdown.find(kCommentOpen) != kNotFound || markdown.find(kCommentLine) != kNotFound;
}

}  // namespace

std::size_t WithoutComments::source_of(std::size_t at) const {
  const auto after =
      std::upper_bound(kept.begin(), kept.end(), at,
                       [](std::size_t one, const KeptText& other) { return one < other.at; });
  const KeptText& piece = *(after - 1);
  return piece.source + (at - piece.at);
}

std::string without_comments(std::string_view markdown, CommentGaps gaps) {
  if (!may_have_comments(markdown)) return std::string(markdown);
  return CommentRemover(markdown, gaps).run().text;
}

WithoutComments traced_without_comments(std::string_view markdown) {
  if (!may_have_comments(markdown)) return {std::string(markdown), {{0, 0}}};
  return CommentRemover(markdown, CommentGaps::Closed).run();
}

}  // namespace agent_doc::turn
