#include "editors/cli/markdown_view.hpp"

#include "server/text/columns.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::cli {

namespace {

using markdown::LineShape;

constexpr std::size_t kCodeIndent = 4;
constexpr std::size_t kRuleColumns = 24;
constexpr std::string_view kRule = "─";
constexpr std::string_view kDoubleRule = "═";
constexpr std::string_view kBullet = "• ";
constexpr std::string_view kQuoteBar = "│";
constexpr std::size_t kMarkColumns = 2;

bool only(std::string_view text, std::string_view signs) {
  return text.find_first_not_of(signs) == std::string_view::npos;
}

/// Returns whether later text could turn a paragraph's line into another block.
bool may_become_other(std::string_view text) {
  const std::string_view first = text.substr(0, 1);
  if (first == "`" || first == "~" || first == "#") return only(text, first);
  if (std::string_view("*-_+=").find(first) != std::string_view::npos)
    return only(text, std::string(first) + " \t");
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0) return false;
  return digits == text.size() ||
         ((text[digits] == '.' || text[digits] == ')') && only(text.substr(digits + 1), " \t"));
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

/// Returns the text of a heading without its marks, including those at its end.
std::string_view heading_text(std::string_view line, int level) {
  std::string_view text = trimmed(line.substr(static_cast<std::size_t>(level)));
  const std::size_t end = text.find_last_not_of('#');
  if (end == std::string_view::npos) return {};
  if (end + 1 < text.size() && (text[end] == ' ' || text[end] == '\t'))
    text = trimmed(text.substr(0, end));
  return text;
}

std::string_view fence_info(std::string_view fence) {
  return trimmed(fence.substr(std::min(fence.find_first_not_of(fence.front()), fence.size())));
}

Style style_of_heading(int level) {
  if (level == 1) return Style::Bold | Style::Underline | Style::Heading;
  return level == 2 ? Style::Bold | Style::Heading : Style::Bold;
}

std::string repeated(std::string_view sign, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += sign;
  return all;
}

}  // namespace

MarkdownView::MarkdownView(Colour colour, std::size_t columns)
    : colour_(colour), writer_(colour, columns), inline_(writer_) {}

std::string MarkdownView::feed(std::string_view bytes) {
  bytes_ += bytes;
  const std::size_t whole = text::floor_boundary(bytes_, bytes_.size());
  for (std::size_t at = 0; at < whole;) {
    const std::size_t length = text::sequence_length(bytes_, at);
    take(std::string_view(bytes_).substr(at, length));
    at += length;
  }
  bytes_.erase(0, whole);
  return writer_.take();
}

std::string MarkdownView::finish() {
  for (const char byte : std::exchange(bytes_, {})) take(std::string_view(&byte, 1));
  if (!line_.empty() || reading_ == Reading::Verbatim) end_line();
  close_leaf();
  writer_.end_line();
  return writer_.take();
}

std::string MarkdownView::interrupt() {
  writer_.interrupt();
  return writer_.take();
}

void MarkdownView::take(std::string_view character) {
  if (character == "\n") return end_line();
  switch (reading_) {
    case Reading::Inline:
      return inline_.feed(character);
    case Reading::Verbatim:
      return writer_.add_verbatim(character, Style::Code);
    case Reading::Held:
      line_ += character;
      break;
    case Reading::Undecided:
      line_ += character;
      decide();
      break;
  }
  if (line_.size() >= kMaxHeldLine) let_go();
}

void MarkdownView::end_line() {
  switch (std::exchange(reading_, Reading::Undecided)) {
    case Reading::Inline:
      return inline_.end_line();
    case Reading::Verbatim:
      return writer_.end_line();
    case Reading::Held:
    case Reading::Undecided:
      return show(std::exchange(line_, {}), Extent::WholeLine);
  }
}

/// Asks which block the line would be if it ended here, and whether that can still change.
void MarkdownView::decide() {
  markdown::BlockParser ahead = parser_;
  ahead.parse(line_, 0);
  reading_ = line_.size() >= kMaxUndecidedLine ? Reading::Held : reading_of(line_, ahead.shape());
  if (reading_ == Reading::Inline) show(std::exchange(line_, {}), Extent::BeginOfLine);
}

MarkdownView::Reading MarkdownView::reading_of(std::string_view line,
                                               const markdown::LineShape& shape) const {
  const std::string_view text = line.substr(std::min(shape.text_at, line.size()));
  switch (shape.leaf) {
    case LineShape::Leaf::None:
    case LineShape::Leaf::Break:
    case LineShape::Leaf::Underline:
      return Reading::Undecided;
    case LineShape::Leaf::Heading:
      return only(text, "#") ? Reading::Undecided : Reading::Held;
    case LineShape::Leaf::Paragraph:
      break;
    default:
      return Reading::Held;
  }
  if (may_become_other(text)) return Reading::Undecided;
  const bool may_be_table = text.starts_with('|') || (!shape.begins && (head_ || table_));
  return may_be_table || text.starts_with('<') ? Reading::Held : Reading::Inline;
}

/// Handles a line that is too long to be held.
void MarkdownView::let_go() {
  markdown::BlockParser ahead = parser_;
  ahead.parse(line_, 0);
  const auto leaf = ahead.shape().leaf;
  const bool is_code =
      leaf == markdown::LineShape::Leaf::Fence || leaf == markdown::LineShape::Leaf::IndentedCode;
  reading_ = is_code ? Reading::Verbatim : Reading::Inline;
  show(std::exchange(line_, {}), Extent::BeginOfLine);
}

void MarkdownView::show(std::string_view line, Extent extent) {
  parser_.parse(line, 0);
  const LineShape& shape = parser_.shape();
  const std::string_view text = line.substr(std::min(shape.text_at, line.size()));
  const bool is_code =
      shape.leaf == LineShape::Leaf::Fence || shape.leaf == LineShape::Leaf::IndentedCode;
  if (extent == Extent::BeginOfLine && !is_code && shape.leaf != LineShape::Leaf::Paragraph) {
    start_block(line);
    leaf_ = Leaf::Paragraph;
    return feed_inline(text);
  }
  switch (shape.leaf) {
    case LineShape::Leaf::None:
      if (shape.begins) {
        start_block(line);
        return writer_.end_even_empty_line();
      }
      return show_blank();
    case LineShape::Leaf::Paragraph:
      if (shape.begins || (leaf_ != Leaf::Paragraph && leaf_ != Leaf::Table)) start_block(line);
      if (leaf_ == Leaf::None) leaf_ = Leaf::Paragraph;
      return show_paragraph(text, extent);
    case LineShape::Leaf::Heading:
      start_block(line);
      return show_heading(text, shape.level);
    case LineShape::Leaf::Break:
      start_block(line);
      return show_rule(kRule, kRuleColumns);
    case LineShape::Leaf::Underline:
      start_block(line);
      return show_rule(text.starts_with('=') ? kDoubleRule : kRule, trimmed(text).size());
    case LineShape::Leaf::FenceOpen: {
      start_block(line);
      leaf_ = Leaf::Code;
      is_fence_ = true;
      fence_indent_ = shape.indent;
      const std::string_view info = fence_info(text);
      const std::string rule = repeated(kRule, 3);
      writer_.add_verbatim(info.empty() ? rule : rule + " " + std::string(info), Style::Dim);
      return writer_.end_line();
    }
    case LineShape::Leaf::FenceClose:
      write_code_blanks();
      return close_leaf();
    case LineShape::Leaf::Fence:
    case LineShape::Leaf::IndentedCode:
      if (leaf_ != Leaf::Code) {
        start_block(line);
        leaf_ = Leaf::Code;
      }
      show_code(line, is_fence_ ? fence_indent_ : kCodeIndent);
      if (extent == Extent::WholeLine) writer_.end_line();
      return;
    case LineShape::Leaf::Html:
      if (text.empty()) return show_blank();
      if (shape.begins || leaf_ != Leaf::Html) start_block(line);
      leaf_ = Leaf::Html;
      writer_.add(text, Style::Dim);
      return writer_.end_line();
  }
}

/// Handles a line of a paragraph, or of a table, which the block parser does not know.
void MarkdownView::show_paragraph(std::string_view text, Extent extent) {
  if (table_ && extent == Extent::WholeLine) return table_->add_row(text, writer_);
  if (table_) close_leaf();
  if (head_ && extent == Extent::WholeLine && is_delimiter_row(text, cells_of(*head_).size())) {
    table_.emplace(*std::exchange(head_, std::nullopt), text, colour_);
    inline_.end();
    leaf_ = Leaf::Table;
    return;
  }
  if (head_) {
    feed_inline(*std::exchange(head_, std::nullopt));
    inline_.end_line();
  }
  leaf_ = Leaf::Paragraph;
  if (text.starts_with('|') && extent == Extent::WholeLine) {
    head_ = text;
    return;
  }
  feed_inline(text);
  if (extent == Extent::WholeLine) inline_.end_line();
}

void MarkdownView::show_heading(std::string_view text, int level) {
  write_inline(writer_, heading_text(text, level), Before::Space, style_of_heading(level));
  writer_.end_line();
}

/// `own_indent` is the number of columns before the code that do not belong to it.
void MarkdownView::show_code(std::string_view line, std::size_t own_indent) {
  const markdown::LineShape& shape = parser_.shape();
  const std::string_view code = line.substr(std::min(shape.text_at, line.size()));
  if (code.empty()) {
    ++code_blanks_;
    return;
  }
  write_code_blanks();
  const std::string blanks(shape.indent - std::min(shape.indent, own_indent), ' ');
  writer_.add_verbatim(blanks, Style::None);
  writer_.add_verbatim(code, Style::Code);
}

/// Writes the empty lines of code that were held back, because those after its end do not belong to
/// it.
void MarkdownView::write_code_blanks() {
  LineBegin begin = begin_of_line(false);
  while (begin.bytes.ends_with(' ')) begin.bytes.pop_back();
  for (; code_blanks_ > 0; --code_blanks_) writer_.blank_line(begin);
}

void MarkdownView::show_rule(std::string_view sign, std::size_t length) {
  writer_.add_verbatim(repeated(sign, std::min(length, writer_.room())), Style::Dim);
  writer_.end_line();
}

/// Separates two blocks by one line, however many there are.
void MarkdownView::show_blank() {
  if (leaf_ == Leaf::Code && !is_fence_ && parser_.containers().size() == containers_.size()) {
    ++code_blanks_;
    return;
  }
  close_leaf();
  close_containers(parser_.containers().size());
  std::size_t quoted = containers_.size();
  while (quoted > 0 && containers_[quoted - 1].rest.find(kQuoteBar) == std::string::npos) --quoted;
  LineBegin begin;
  for (std::size_t i = 0; i < quoted; ++i) begin.bytes += containers_[i].rest;
  while (begin.bytes.ends_with(' ')) begin.bytes.pop_back();
  if (!blank_is_due_ || begin.bytes.size() < blank_begin_.bytes.size())
    blank_begin_ = std::move(begin);
  blank_is_due_ = true;
}

/// Ends the containers to which the line does not belong, and begins new ones.
void MarkdownView::start_block(std::string_view line) {
  close_leaf();
  if (std::exchange(blank_is_due_, false) && printed_) writer_.blank_line(blank_begin_);
  printed_ = true;
  open_containers(line);
  writer_.set_begins(begin_of_line(true), begin_of_line(false));
}

void MarkdownView::close_leaf() {
  if (head_) {
    feed_inline(*std::exchange(head_, std::nullopt));
    inline_.end_line();
  }
  if (table_) table_->end(writer_);
  table_.reset();
  if (leaf_ == Leaf::Paragraph) inline_.end();
  if (std::exchange(code_blanks_, 0) > 0) {
    blank_is_due_ = true;
    blank_begin_ = {};
  }
  if (std::exchange(is_fence_, false)) {
    writer_.end_line();
    show_rule(kRule, 3);
  }
  leaf_ = Leaf::None;
}

void MarkdownView::close_containers(std::size_t kept) {
  if (kept < containers_.size()) containers_.resize(kept);
}

void MarkdownView::open_containers(std::string_view line) {
  const markdown::LineShape& shape = parser_.shape();
  const std::vector<markdown::Container>& all = parser_.containers();
  if (shape.begins) close_containers(shape.matched);
  new_containers_from_ = containers_.size();
  for (std::size_t i = containers_.size(); i < all.size(); ++i) {
    const std::string_view marker =
        line.substr(std::min(all[i].marker_begin, line.size()), all[i].marker_length);
    const bool is_quote = all[i].kind == markdown::Container::Kind::Quote;
    Shown shown;
    if (is_quote) {
      shown.rest = shown.first = styled(kQuoteBar, Style::Dim, colour_) + " ";
    } else if (!marker.empty() && marker.front() >= '0' && marker.front() <= '9') {
      shown.first = std::string(marker) + " ";
    } else {
      shown.first = kBullet;
    }
    shown.columns = is_quote || shown.first == kBullet ? kMarkColumns : shown.first.size();
    if (!is_quote) shown.rest = std::string(shown.columns, ' ');
    containers_.push_back(std::move(shown));
  }
}

/// Nesting is not shown once it would take half of the line.
LineBegin MarkdownView::begin_of_line(bool first) const {
  const std::size_t most = (writer_.width() - 1) / 2;
  LineBegin begin;
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    if (begin.columns + containers_[i].columns > most) break;
    begin.bytes += first && i >= new_containers_from_ ? containers_[i].first : containers_[i].rest;
    begin.columns += containers_[i].columns;
  }
  return begin;
}

void MarkdownView::feed_inline(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = text::sequence_length(text, at);
    inline_.feed(text.substr(at, length));
    at += length;
  }
}

}  // namespace agent_doc::cli
