#include "editors/cli/line_writer.hpp"

#include "server/text/columns.hpp"
#include "server/text/visible.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::cli {

namespace {

constexpr std::string_view kEndOfStyle = "\x1b[0m";
constexpr std::size_t kTabStop = 4;

/// No line begins with these …
constexpr std::u32string_view kClosing =
    U"、。，．・：；？！゛゜ヽヾーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎ」』】〉》〕）］｝";
/// … and none ends with these.
constexpr std::u32string_view kOpening = U"「『【〈《〔（［｛";

/// Returns whether the character would change the terminal, or the text around it.
bool is_control(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

/// Returns how to show a cluster: itself, or its name.
std::string visible_form(std::string_view cluster) {
  const char32_t point = text::point_at(cluster, 0);
  if (is_control(point)) return text::visible_line(cluster);
  if (point == 0xFFFD) return "\uFFFD";
  return std::string(cluster);
}

bool is_space(std::string_view cluster) {
  return cluster == " " || cluster == "\n" || cluster == "\t";
}

}  // namespace

std::string begin_of(Style style, Colour colour) {
  constexpr std::array<std::pair<Style, std::string_view>, 4> kAttributes = {
      {{Style::Bold, "1"}, {Style::Dim, "2"}, {Style::Italic, "3"}, {Style::Underline, "4"}}};
  constexpr std::array<std::pair<Style, std::string_view>, 2> kColours = {
      {{Style::Code, "36"}, {Style::Heading, "35"}}};
  std::string codes;
  const auto add = [&](const auto& table) {
    for (const auto& [one, code] : table) {
      if (has(style, one)) codes.append(codes.empty() ? "" : ";").append(code);
    }
  };
  add(kAttributes);
  if (colour == Colour::On) add(kColours);
  return codes.empty() ? codes : "\x1b[" + codes + "m";
}

std::string styled(std::string_view text, Style style, Colour colour) {
  const std::string begin = begin_of(style, colour);
  if (begin.empty()) return std::string(text);
  return std::string(begin).append(text).append(kEndOfStyle);
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (text::width_of(line) < columns) {
      result.append(line).append("\n");
      continue;
    }
    const std::size_t own_indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t rest = own_indent + indent;
    LineWriter writer(Colour::Off, columns);
    writer.set_begins({std::string(own_indent, ' '), own_indent}, {std::string(rest, ' '), rest});
    writer.add(line.substr(own_indent), Style::None);
    writer.end_line();
    result += writer.take();
  }
  return result;
}

LineWriter::LineWriter(Colour colour, std::size_t columns, LongWord long_word)
    : colour_(colour), columns_(std::max(columns, kFewestColumns)), long_word_(long_word) {}

void LineWriter::set_columns(std::size_t columns) {
  columns_ = std::max(columns, kFewestColumns);
}

void LineWriter::set_begins(LineBegin first, LineBegin rest) {
  first_ = std::move(first);
  rest_ = std::move(rest);
  first_is_used_ = false;
}

/// Leaves the last column free: on some terminals, writing it wraps the cursor.
std::size_t LineWriter::limit() const {
  return columns_ - 1;
}

std::size_t LineWriter::room() const {
  return limit() - std::min(limit(), rest_.columns);
}

void LineWriter::add(std::string_view text, Style style, Spaces spaces) {
  for (std::size_t at = 0; at < text.size();) {
    const text::Cluster cluster = text::cluster_at(text, at);
    const std::string_view bytes = text.substr(at, cluster.length);
    at += cluster.length;
    if (!is_space(bytes)) {
      if (spaces == Spaces::Break) may_break_before(bytes);
      add_cluster(bytes, cluster.columns, style);
    } else if (spaces == Spaces::Keep) {
      add_cluster(" ", 1, style);
    } else {
      complete_word();
      space_is_due_ = true;
      space_style_ = style;
    }
  }
}

void LineWriter::add_cluster(std::string_view cluster, std::size_t columns, Style style) {
  const std::string shown = visible_form(cluster);
  if (shown != cluster) columns = text::width_of(shown);
  if (long_word_ == LongWord::Cut && word_columns_ + columns > room() && !word_.empty())
    complete_word();
  append_styled(shown, style);
  word_columns_ += columns;
  last_point_ = text::point_at(cluster, 0);
  if (word_.size() < kMaxWordBytes) return;
  close_style();
  write_word();
  is_glued_ = true;
}

/// Ends the word before `cluster` if a line may break there: Chinese and similar scripts need no
/// space.
void LineWriter::may_break_before(std::string_view cluster) {
  if (last_point_ == 0) return;
  const char32_t point = text::point_at(cluster, 0);
  if (!text::is_ideographic(point) && !text::is_ideographic(last_point_)) return;
  if (kClosing.find(point) != std::u32string_view::npos ||
      kOpening.find(last_point_) != std::u32string_view::npos)
    return;
  complete_word();
}

void LineWriter::append_styled(std::string_view text, Style style) {
  if (style != word_style_) {
    close_style();
    word_ += begin_of(style, colour_);
    word_style_ = style;
  }
  word_ += text;
}

void LineWriter::close_style() {
  if (!begin_of(word_style_, colour_).empty()) word_ += kEndOfStyle;
  word_style_ = Style::None;
}

void LineWriter::complete_word() {
  close_style();
  write_word();
  is_glued_ = false;
  last_point_ = 0;
}

void LineWriter::write_word() {
  if (word_.empty()) return;
  if (!is_glued_) make_place(word_columns_);
  if (!line_is_open_) open_line();
  out_ += word_;
  column_ += word_columns_;
  word_.clear();
  word_columns_ = 0;
}

void LineWriter::open_line() {
  const LineBegin& begin = first_is_used_ ? rest_ : first_;
  out_ += begin.bytes;
  column_ = begin.columns;
  first_is_used_ = true;
  line_is_open_ = true;
  space_is_due_ = false;
}

void LineWriter::make_place(std::size_t columns) {
  if (line_is_open_ && column_ + (space_is_due_ ? 1 : 0) + columns > limit() &&
      column_ > rest_.columns)
    break_line();
  if (!line_is_open_) return open_line();
  if (!std::exchange(space_is_due_, false)) return;
  out_ += has(space_style_, Style::Underline) ? styled(" ", space_style_, colour_) : " ";
  ++column_;
}

void LineWriter::add_verbatim(std::string_view text, Style style) {
  complete_word();
  if (!line_is_open_) open_line();
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const text::Cluster cluster = text::cluster_at(text, at);
    const std::string_view bytes = text.substr(at, cluster.length);
    at += cluster.length;
    if (bytes == "\t") {
      const std::size_t blanks = kTabStop - (column_ - std::min(column_, rest_.columns)) % kTabStop;
      shown.append(blanks, ' ');
      column_ += blanks;
    } else {
      const std::string one = visible_form(bytes);
      shown += one;
      column_ += one == bytes ? cluster.columns : text::width_of(one);
    }
  }
  if (!shown.empty()) out_ += styled(shown, style, colour_);
}

void LineWriter::add_line(std::string_view styled_line) {
  end_line();
  open_line();
  out_ += styled_line;
  break_line();
}

void LineWriter::end_line() {
  complete_word();
  break_line();
}

void LineWriter::break_line() {
  if (!std::exchange(line_is_open_, false)) return;
  out_ += '\n';
  space_is_due_ = false;
}

void LineWriter::end_even_empty_line() {
  complete_word();
  if (!line_is_open_) open_line();
  break_line();
}

void LineWriter::blank_line(const LineBegin& begin) {
  end_line();
  out_ += begin.bytes + "\n";
}

void LineWriter::interrupt() {
  break_line();
}

std::string LineWriter::take() {
  return std::exchange(out_, {});
}

}  // namespace agent_doc::cli
