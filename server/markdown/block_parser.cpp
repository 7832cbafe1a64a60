#include "server/markdown/block_parser.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace {

constexpr std::size_t kCodeIndent = 4;
constexpr std::size_t kTabStop = 4;

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/// Letters of any script: no marker begins with a byte of a multi-byte sequence.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_space);
}

std::size_t run_length(std::string_view text, char c) {
  return std::min(text.find_first_not_of(c), text.size());
}

/// Returns the level of an ATX heading, or 0.
int heading_level(std::string_view text) {
  const std::size_t level = run_length(text, '#');
  if (level == 0 || level > 6) return 0;
  return level == text.size() || is_space(text[level]) ? static_cast<int>(level) : 0;
}

bool is_setext_underline(std::string_view text) {
  const char c = text.front();
  return (c == '=' || c == '-') && is_blank(text.substr(run_length(text, c)));
}

enum class Place { InsideParagraph, Elsewhere };

/// Returns the length of the list marker at the start of `text`, or 0. Only some markers may
/// interrupt a paragraph.
std::size_t list_marker_length(std::string_view text, Place place) {
  std::size_t length = 0;
  if (std::string_view("*+-").find(text.front()) != std::string_view::npos) {
    length = 1;
  } else {
    constexpr std::size_t kMaxDigits = 9;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > kMaxDigits || digits == text.size()) return 0;
    if (text[digits] != '.' && text[digits] != ')') return 0;
    const std::string_view number =
        text.substr(std::min(text.find_first_not_of('0'), digits), std::string_view::npos);
    const bool is_one =
        number.size() > 1 && number[0] == '1' && (number[1] == '.' || number[1] == ')');
    if (place == Place::InsideParagraph && !is_one) return 0;
    length = digits + 1;
  }
  if (length < text.size() && !is_space(text[length])) return 0;
  if (place == Place::InsideParagraph && is_blank(text.substr(length))) return 0;
  return length;
}

/// Sets `content_begin` and `content_end` of a heading line, without the closing "#"s.
void set_heading_content(Line& line, std::string_view text, std::size_t text_at) {
  std::size_t end = text.size();
  const auto trim = [&] {
    while (end > 0 && is_space(text[end - 1])) --end;
  };
  trim();
  std::size_t without_hashes = end;
  while (without_hashes > 0 && text[without_hashes - 1] == '#') --without_hashes;
  if (without_hashes < end && without_hashes > 0 && is_space(text[without_hashes - 1])) {
    end = without_hashes;
    trim();
  }
  std::size_t begin = static_cast<std::size_t>(line.level);
  while (begin < end && is_space(text[begin])) ++begin;
  line.content_begin = text_at + begin;
  line.content_end = text_at + std::max(begin, end);
}

}  // namespace

/// How much of a line has been consumed, in bytes and in columns: list items and quotes count
/// columns and may take part of a tab. Each byte is looked at a few times at most, however deeply
/// the containers are nested.
class BlockParser::Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) { find_text(); }

  std::size_t indent() const { return text_column_ - column_; }  ///< columns before the text
  std::size_t text_at() const {
    return text_at_;
  }  ///< byte offset of the first character that is no space
  bool blank() const { return text_at_ == line_.size(); }
  std::string_view text() const { return line_.substr(text_at_); }

  void skip_columns(std::size_t columns) {
    while (columns > 0 && offset_ < line_.size()) {
      const std::size_t width = line_[offset_] == '\t' ? kTabStop - column_ % kTabStop : 1;
      if (width > columns) {
        column_ += columns;  // inside a tab
        break;
      }
      column_ += width;
      columns -= width;
      ++offset_;
    }
    if (offset_ > text_at_) find_text();
  }

  void skip_indent() { skip_columns(indent()); }

  /// Returns true when the text consists of `c` and spaces.
  bool only(char c) {
    if (only_of_ == c && only_until_ >= text_at_) return only_until_ == line_.size();
    only_of_ = c;
    only_until_ = text_at_;
    while (only_until_ < line_.size() && (line_[only_until_] == c || is_space(line_[only_until_])))
      ++only_until_;
    return only_until_ == line_.size();
  }

 private:
  void find_text() {
    text_column_ = column_;
    text_at_ = offset_;
    while (text_at_ < line_.size() && is_space(line_[text_at_])) {
      text_column_ += line_[text_at_] == '\t' ? kTabStop - text_column_ % kTabStop : 1;
      ++text_at_;
    }
  }

  std::string_view line_;
  std::size_t offset_ = 0;
  std::size_t column_ = 0;
  std::size_t text_at_ = 0;
  std::size_t text_column_ = 0;
  char only_of_ = '\0';  ///< the argument of the last only(), and how far it held
  std::size_t only_until_ = 0;
};

/// The state of parsing one line.
struct BlockParser::Progress {
  Cursor cursor;
  std::size_t matched = 0;    ///< number of containers that the line continues
  bool opened = false;        ///< a block began in this line
  bool in_paragraph = false;  ///< the line continues all containers of an open paragraph
  /// No block has begun since an open paragraph, so the line may continue it, even from outside its
  /// containers ("lazily").
  bool after_paragraph = false;
  std::size_t line_begin = 0;
};

BlockParser::Fence BlockParser::opening_fence(std::string_view text) {
  const char c = text.front();
  if (c != '`' && c != '~') return {};
  const std::size_t length = run_length(text, c);
  if (length < 3) return {};
  if (c == '`' && text.find('`', length) != std::string_view::npos) return {};
  return {c, length};
}

bool BlockParser::closes(const Fence& fence, std::string_view text) {
  const std::size_t length = run_length(text, fence.character);
  return length >= fence.length && is_blank(text.substr(length));
}

bool BlockParser::is_thematic_break(Cursor& cursor) {
  constexpr std::ptrdiff_t kFewest = 3;
  const std::string_view text = cursor.text();
  const char c = text.front();
  if (c != '*' && c != '-' && c != '_') return false;
  return cursor.only(c) && std::count(text.begin(), text.end(), c) >= kFewest;
}

/// Returns whether a blank line continues all containers. Cached, because many blank lines may
/// follow each other inside many containers.
bool BlockParser::blank_line_continues_all() {
  if (!blank_line_continues_all_) {
    blank_line_continues_all_ =
        std::all_of(containers_.begin(), containers_.end(), [](const Container& container) {
          return container.kind == Container::Kind::Item && container.has_content;
        });
  }
  return *blank_line_continues_all_;
}

std::size_t BlockParser::match_containers(Cursor& cursor) {
  if (cursor.blank() && blank_line_continues_all()) return containers_.size();
  std::size_t matched = 0;
  for (const Container& container : containers_) {
    if (container.kind == Container::Kind::Quote) {
      if (cursor.indent() >= kCodeIndent || !cursor.text().starts_with('>')) break;
      cursor.skip_indent();
      cursor.skip_columns(1);
      if (cursor.indent() > 0) cursor.skip_columns(1);
    } else if (cursor.indent() >= container.content_indent) {
      cursor.skip_columns(container.content_indent);
    } else if (cursor.blank() && container.has_content) {
      cursor.skip_indent();
    } else {
      break;
    }
    ++matched;
  }
  return matched;
}

bool BlockParser::continues_leaf(const Progress& progress, Line& line) {
  const Cursor& cursor = progress.cursor;
  switch (leaf_) {
    case Leaf::Fence:
      line.kind = LineKind::Code;
      shape_.leaf = LineShape::Leaf::Fence;
      if (cursor.indent() < kCodeIndent && closes(fence_, cursor.text())) {
        line.kind = LineKind::FenceClose;
        shape_.leaf = LineShape::Leaf::FenceClose;
        leaf_ = Leaf::None;
      }
      return true;
    case Leaf::IndentedCode:
      line.kind = cursor.blank() ? LineKind::Blank : LineKind::Code;
      shape_.leaf = cursor.blank() ? LineShape::Leaf::None : LineShape::Leaf::IndentedCode;
      return cursor.blank() || cursor.indent() >= kCodeIndent;
    case Leaf::Html:
      line.kind = LineKind::Html;
      shape_.leaf = LineShape::Leaf::Html;
      if (html_.closing.empty()) return !cursor.blank();
      if (html_block_ends(html_.kind, cursor.text())) leaf_ = Leaf::None;
      return true;
    case Leaf::None:
    case Leaf::Paragraph:
      return false;
  }
  return false;
}

void BlockParser::close_unmatched(Progress& progress) {
  if (progress.opened) return;
  if (containers_.size() != progress.matched) {
    containers_.resize(progress.matched);
    blank_line_continues_all_.reset();
  }
  leaf_ = Leaf::None;
}

/// Begins the next block of the line: closes what the line does not continue.
void BlockParser::begin_block(Progress& progress) {
  close_unmatched(progress);
  blank_line_continues_all_.reset();
  progress.opened = true;
  progress.in_paragraph = false;
  progress.after_paragraph = false;
  if (!containers_.empty()) containers_.back().has_content = true;
  leaf_begin_ = progress.line_begin;
}

void BlockParser::push(const Container& container) {
  containers_.push_back(container);
  blank_line_continues_all_.reset();
}

void BlockParser::open_item(Progress& progress, std::size_t marker_length) {
  Cursor& cursor = progress.cursor;
  const std::size_t marker_indent = cursor.indent();
  cursor.skip_indent();
  const std::size_t marker_begin = cursor.text_at();
  cursor.skip_columns(marker_length);
  const bool ordinary = !cursor.blank() && cursor.indent() >= 1 && cursor.indent() <= kCodeIndent;
  const std::size_t padding = ordinary ? cursor.indent() : 1;
  cursor.skip_columns(padding);
  push({Container::Kind::Item, marker_indent + marker_length + padding, false, marker_begin,
        marker_length});
}

bool BlockParser::opens_container(Progress& progress) {
  if (progress.matched == kMaxContainers) return false;
  Cursor& cursor = progress.cursor;
  if (cursor.text().front() == '>') {
    begin_block(progress);
    cursor.skip_indent();
    cursor.skip_columns(1);
    if (cursor.indent() > 0) cursor.skip_columns(1);
    push({Container::Kind::Quote});
    ++progress.matched;
    return true;
  }
  const std::size_t marker = list_marker_length(
      cursor.text(), progress.in_paragraph ? Place::InsideParagraph : Place::Elsewhere);
  if (marker == 0) return false;
  begin_block(progress);
  open_item(progress, marker);
  ++progress.matched;
  return true;
}

/// Opens a block that is no container, or takes a line that is a block of its own.
bool BlockParser::opens_leaf(Progress& progress, Line& line) {
  const std::string_view text = progress.cursor.text();
  if (const int level = heading_level(text); level > 0) {
    begin_block(progress);
    shape_.leaf = LineShape::Leaf::Heading;
    shape_.level = level;
    if (containers_.empty()) {
      line.kind = LineKind::Heading;
      line.level = level;
      set_heading_content(line, text, progress.cursor.text_at());
    }
    return true;
  }
  if (const Fence fence = opening_fence(text); fence.length > 0) {
    begin_block(progress);
    leaf_ = Leaf::Fence;
    fence_ = fence;
    line.kind = LineKind::FenceOpen;
    shape_.leaf = LineShape::Leaf::FenceOpen;
    return true;
  }
  const HtmlBlockStart html = html_block_start(text);
  if (html.kind != HtmlBlockKind::None &&
      !(html.kind == HtmlBlockKind::AnyTag && progress.after_paragraph)) {
    begin_block(progress);
    leaf_ = html_block_ends(html.kind, text) ? Leaf::None : Leaf::Html;
    html_ = html;
    shape_.leaf = LineShape::Leaf::Html;
    line.kind = html.kind == HtmlBlockKind::Comment ? LineKind::HtmlComment : LineKind::Html;
    return true;
  }
  const bool underlines = progress.in_paragraph && is_setext_underline(text);
  if (underlines || is_thematic_break(progress.cursor)) {
    begin_block(progress);
    shape_.leaf = underlines ? LineShape::Leaf::Underline : LineShape::Leaf::Break;
    return true;
  }
  return false;
}

/// Handles most lines of most documents: outside lists, quotes and HTML, and either empty or
/// beginning with a letter.
bool BlockParser::is_plain(std::string_view text, Line& line) {
  if (!containers_.empty() || leaf_ == Leaf::Html || leaf_ == Leaf::IndentedCode) return false;
  if (leaf_ == Leaf::Fence) {
    line.kind = LineKind::Code;
    shape_.leaf = LineShape::Leaf::Fence;
    return text.empty() || (text.front() != fence_.character && !is_space(text.front()));
  }
  if (!text.empty() && !is_letter(text.front())) return false;
  if (!text.empty()) shape_ = {LineShape::Leaf::Paragraph, leaf_ != Leaf::Paragraph};
  leaf_ = text.empty() ? Leaf::None : Leaf::Paragraph;
  line.kind = text.empty() ? LineKind::Blank : LineKind::Text;
  return true;
}

Line BlockParser::parse(std::string_view text, std::size_t line_begin) {
  Line line;
  shape_ = {};
  if (is_plain(text, line)) return line;
  Progress progress{Cursor(text), 0, false, false, false, line_begin};
  line = parse_in_containers(progress);
  shape_.begins = progress.opened;
  shape_.text_at = progress.cursor.text_at();
  shape_.indent = progress.cursor.indent();
  return line;
}

Line BlockParser::parse_in_containers(Progress& progress) {
  Line line;
  Cursor& cursor = progress.cursor;
  const bool blank_line = cursor.blank();
  progress.matched = match_containers(cursor);
  shape_.matched = progress.matched;
  const bool all_matched = progress.matched == containers_.size();
  if (all_matched && continues_leaf(progress, line)) return line;

  shape_.leaf = LineShape::Leaf::None;
  line.kind = blank_line ? LineKind::Blank : LineKind::Text;
  progress.after_paragraph = leaf_ == Leaf::Paragraph;
  progress.in_paragraph = all_matched && progress.after_paragraph;
  while (!cursor.blank()) {
    if (cursor.indent() >= kCodeIndent) {
      if (progress.after_paragraph) break;
      begin_block(progress);
      leaf_ = Leaf::IndentedCode;
      shape_.leaf = LineShape::Leaf::IndentedCode;
      line.kind = LineKind::Code;
      return line;
    }
    if (opens_leaf(progress, line)) return line;
    if (!opens_container(progress)) break;
  }

  if (cursor.blank()) {
    close_unmatched(progress);
  } else {
    shape_.leaf = LineShape::Leaf::Paragraph;
    if (!progress.after_paragraph) {
      begin_block(progress);
      leaf_ = Leaf::Paragraph;
    }
  }
  return line;
}

std::optional<OpenBlock> BlockParser::open_block() const {
  if (!containers_.empty()) return std::nullopt;
  if (leaf_ == Leaf::Fence)
    return OpenBlock{OpenBlock::Kind::Fence, leaf_begin_,
                     std::string(fence_.length, fence_.character)};
  if (leaf_ == Leaf::Html && !html_.closing.empty())
    return OpenBlock{OpenBlock::Kind::Html, leaf_begin_, std::string(html_.closing)};
  return std::nullopt;
}

}  // namespace agent_doc::markdown
