#include "editors/cli/inline_text.hpp"

#include "server/text/columns.hpp"
#include "server/text/utf8.hpp"

#include <cmark.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace agent_doc::cli {

namespace {

constexpr std::string_view kSpecial = "\\`*_[]<>&!\n";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_ascii_punctuation(char c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

bool is_punctuation(char32_t point) {
  if (point < 0x80) return is_ascii_punctuation(static_cast<char>(point));
  return (point >= 0x2010 && point <= 0x205E) || (point >= 0x3001 && point <= 0x3003) ||
         (point >= 0x3008 && point <= 0x3011) || (point >= 0xFF01 && point <= 0xFF0F) ||
         (point >= 0xFF1A && point <= 0xFF20);
}

Before class_of(char32_t point) {
  if (point < 0x80 && is_space(static_cast<char>(point))) return Before::Space;
  return is_punctuation(point) ? Before::Punctuation : Before::Letter;
}

std::size_t begin_of_last_point(std::string_view text) {
  return text.empty() ? 0 : text::floor_boundary(text, text.size() - 1);
}

Before class_of_end(std::string_view text, Before before) {
  return text.empty() ? before : class_of(text::point_at(text, begin_of_last_point(text)));
}

using Document = std::unique_ptr<cmark_node, void (*)(cmark_node*)>;

Document parsed(const std::string& text) {
  return {cmark_parse_document(text.data(), text.size(), CMARK_OPT_DEFAULT), cmark_node_free};
}

/// Scans a piece to find out whether a construct is open. When in doubt, it says so.
class OpenConstructs {
 public:
  OpenConstructs(std::string_view piece, Before before) : piece_(piece), before_(before) {}

  bool any() {
    while (at_ < piece_.size()) {
      if (!step()) return true;
    }
    return !brackets_.empty() || !openers_.empty();
  }

 private:
  struct Run {
    char character;
    bool opens_and_closes;
    std::size_t length;
    std::size_t left;  ///< how many of its characters are not closed
  };

  /// Returns false if the construct that begins here is open.
  bool step() {
    switch (const char c = piece_[at_]) {
      case '\\':
        at_ = std::min(at_ + 2, piece_.size());
        return true;
      case '`':
        return code();
      case '<':
        return tag();
      case '[':
        brackets_.push_back(openers_.size());
        ++at_;
        return true;
      case ']':
        return bracket();
      case '*':
      case '_':
        delimiters(c);
        return true;
      default:
        ++at_;
        return true;
    }
  }

  bool code() {
    const std::size_t length = length_of_run(at_);
    for (std::size_t next = piece_.find('`', at_ + length); next != std::string_view::npos;
         next = piece_.find('`', next)) {
      const std::size_t closing = length_of_run(next);
      next += closing;
      if (closing != length) continue;
      at_ = next;
      return true;
    }
    return false;
  }

  /// Handles HTML, or an address in angle brackets.
  bool tag() {
    const std::size_t name = std::min(piece_.find_first_not_of("/!?", at_ + 1), piece_.size());
    const bool begins = name > at_ + 1 || (name < piece_.size() && is_letter(piece_[name]));
    const std::size_t end = begins ? piece_.find('>', at_) : at_;
    if (end == std::string_view::npos) return false;
    const bool is_tag = begins && is_node(std::string(piece_.substr(at_, end + 1 - at_)),
                                          {CMARK_NODE_HTML_INLINE, CMARK_NODE_LINK});
    at_ = is_tag ? end + 1 : at_ + 1;
    return true;
  }

  /// Handles the end of a link's text; its target must be complete, too.
  bool bracket() {
    const std::size_t target = ++at_;
    if (brackets_.empty()) return true;
    const std::size_t openers = brackets_.back();
    brackets_.pop_back();
    if (target == piece_.size() || piece_[target] != '(') return true;
    std::size_t depth = 0;
    for (std::size_t end = target; end < piece_.size(); ++end) {
      if (piece_[end] == '\\') {
        ++end;
      } else if (piece_[end] == '(') {
        ++depth;
      } else if (piece_[end] == ')' && --depth == 0) {
        const std::string link = "[x]" + std::string(piece_.substr(target, end + 1 - target));
        if (!is_node(link, {CMARK_NODE_LINK, CMARK_NODE_LINK})) return true;
        if (openers_.size() > openers) openers_.resize(openers);
        at_ = end + 1;
        return true;
      }
    }
    return false;
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  /// Returns whether the whole `text` is a node of one of the two types.
  static bool is_node(const std::string& text, std::array<cmark_node_type, 2> types) {
    const Document root = parsed("x" + text);
    cmark_node* stand_in = cmark_node_first_child(cmark_node_first_child(root.get()));
    cmark_node* node = stand_in == nullptr ? nullptr : cmark_node_next(stand_in);
    if (node == nullptr || cmark_node_next(node) != nullptr ||
        std::string_view("x") != cmark_node_get_literal(stand_in))
      return false;
    return cmark_node_get_type(node) == types[0] || cmark_node_get_type(node) == types[1];
  }

  void delimiters(char c) {
    const std::size_t length = length_of_run(at_);
    const Before left = class_of_end(piece_.substr(0, at_), before_);
    const std::size_t end = at_ + length;
    const Before right =
        end == piece_.size() ? Before::Space : class_of(text::point_at(piece_, end));
    const bool opens =
        right != Before::Space && (right != Before::Punctuation || left != Before::Letter);
    const bool closes =
        left != Before::Space && (left != Before::Punctuation || right != Before::Letter);
    const bool may_open = c == '*' ? opens : opens && (!closes || left == Before::Punctuation);
    const bool may_close = c == '*' ? closes : closes && (!opens || right == Before::Punctuation);
    Run run{c, may_open && may_close, length, length};
    if (may_close) close(run);
    if (may_open && run.left > 0) openers_.push_back(run);
    at_ = end;
  }

  /// Closes openers with `closer`. Openers inside the closed construct are text.
  void close(Run& closer) {
    while (closer.left > 0) {
      const auto opener = std::find_if(openers_.rbegin(), openers_.rend(),
                                       [&](const Run& one) { return match(one, closer); });
      if (opener == openers_.rend()) return;
      openers_.erase(opener.base(), openers_.end());
      Run& last = openers_.back();
      const std::size_t closed = std::min(last.left, closer.left);
      closer.left -= closed;
      last.left -= closed;
      if (last.left == 0) openers_.pop_back();
    }
  }

  /// CommonMark's rule of three: `*a**b*` has no `**`.
  static bool match(const Run& opener, const Run& closer) {
    if (opener.character != closer.character) return false;
    if (!opener.opens_and_closes && !closer.opens_and_closes) return true;
    return (opener.length + closer.length) % 3 != 0 ||
           (opener.length % 3 == 0 && closer.length % 3 == 0);
  }

  std::size_t length_of_run(std::size_t at) const {
    return std::min(piece_.find_first_not_of(piece_[at], at), piece_.size()) - at;
  }

  std::string_view piece_;
  Before before_;
  std::size_t at_ = 0;
  std::vector<std::size_t> brackets_;  ///< the number of openers before each
  std::vector<Run> openers_;
};

/// Writes the nodes that cmark found in a piece.
class InlineWriter {
 public:
  /// `skipped` bytes at the beginning do not belong to the piece.
  InlineWriter(LineWriter& writer, Style style, std::size_t skipped)
      : writer_(writer), styles_{style}, skipped_(skipped) {}

  void write(cmark_node* root) {
    const std::unique_ptr<cmark_iter, void (*)(cmark_iter*)> nodes(cmark_iter_new(root),
                                                                   cmark_iter_free);
    for (cmark_event_type event = cmark_iter_next(nodes.get()); event != CMARK_EVENT_DONE;
         event = cmark_iter_next(nodes.get())) {
      cmark_node* node = cmark_iter_get_node(nodes.get());
      if (event == CMARK_EVENT_ENTER) {
        enter(node);
      } else {
        leave(node);
      }
    }
  }

 private:
  void enter(cmark_node* node) {
    switch (cmark_node_get_type(node)) {
      case CMARK_NODE_EMPH:
        return push(Style::Italic);
      case CMARK_NODE_STRONG:
        return push(Style::Bold);
      case CMARK_NODE_LINK:
      case CMARK_NODE_IMAGE:
        link_text_.emplace();
        return push(Style::Underline);
      case CMARK_NODE_CODE:
        return code(literal(node));
      case CMARK_NODE_HTML_INLINE:
        return writer_.add(literal(node), styles_.back() | Style::Dim);
      case CMARK_NODE_SOFTBREAK:
      case CMARK_NODE_LINEBREAK:
        return writer_.end_line();
      default:
        return text(literal(node));
    }
  }

  void leave(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    const bool is_link = type == CMARK_NODE_LINK || type == CMARK_NODE_IMAGE;
    if (!is_link && type != CMARK_NODE_EMPH && type != CMARK_NODE_STRONG) return;
    styles_.pop_back();
    if (is_link) target(cmark_node_get_url(node));
  }

  void push(Style style) { styles_.push_back(styles_.back() | style); }

  void text(std::string_view text) {
    const std::size_t skipped = std::min(skipped_, text.size());
    skipped_ -= skipped;
    text.remove_prefix(skipped);
    if (link_text_) link_text_->append(text);
    writer_.add(text, styles_.back());
  }

  /// Does not break a command, so that it can be copied, unless it is longer than a line.
  void code(std::string_view code) {
    if (link_text_) link_text_->append(code);
    const Spaces spaces = text::width_of(code) + 2 > writer_.room() ? Spaces::Break : Spaces::Keep;
    const std::string_view mark = writer_.colour() == Colour::On ? "" : "`";
    writer_.add(mark, styles_.back(), Spaces::Keep);
    writer_.add(code, styles_.back() | Style::Code, spaces);
    writer_.add(mark, styles_.back(), Spaces::Keep);
  }

  /// Shows the target of a link: its text can say anything.
  void target(const char* url) {
    const std::string where = url == nullptr ? "" : url;
    const std::string said = std::exchange(link_text_, std::nullopt).value_or("");
    if (where.empty() || where == said || where == "mailto:" + said) return;
    writer_.add(said.empty() ? "" : " ", styles_.back());
    writer_.add("(" + where + ")", styles_.back() | Style::Dim, Spaces::Keep);
  }

  static std::string_view literal(cmark_node* node) {
    const char* text = cmark_node_get_literal(node);
    return text == nullptr ? std::string_view() : std::string_view(text);
  }

  LineWriter& writer_;
  std::vector<Style> styles_;
  std::size_t skipped_;
  std::optional<std::string> link_text_;
};

/// Returns a prefix that makes cmark parse a piece as the middle of a paragraph.
std::string_view stand_in_for(Before before) {
  switch (before) {
    case Before::Space:
      return "x ";
    case Before::Letter:
      return "x";
    case Before::Punctuation:
      return ")";
  }
  return "x ";
}

}  // namespace

void write_inline(LineWriter& writer, std::string_view piece, Before before, Style style) {
  if (piece.find_first_of(kSpecial) == std::string_view::npos) return writer.add(piece, style);
  const std::string_view stand_in = stand_in_for(before);
  const Document root = parsed(std::string(stand_in).append(piece));
  InlineWriter(writer, style, stand_in.size()).write(root.get());
}

bool has_open_construct(std::string_view piece, Before before) {
  if (piece.find_first_of(kSpecial) == std::string_view::npos) return false;
  return OpenConstructs(piece, before).any();
}

void InlineText::feed(std::string_view character) {
  if (character == " " || character == "\t") {
    if (spaces_++ > 0) return;
    write_if_closed();
    if (!piece_.empty()) return;
    writer_.add(" ", Style::None);
    before_ = Before::Space;
    return;
  }
  if (!piece_.empty()) piece_.append(spaces_, ' ');
  if (spaces_ == 0 && !piece_.empty() && text::is_ideographic(text::point_at(character, 0))) {
    const std::size_t last = begin_of_last_point(piece_);
    if (text::is_ideographic(text::point_at(piece_, last))) write_if_closed();
  }
  spaces_ = 0;
  piece_ += character;
  if (piece_.size() < kMaxHeldInline) return;
  if (literal_run_ == 0) literal_run_ = open_run();
  write_all();
}

void InlineText::write_if_closed() {
  escape_closing_run();
  if (!has_open_construct(piece_, before_)) write_all();
}

void InlineText::write_all() {
  if (piece_.empty()) return;
  write_inline(writer_, piece_, before_, Style::None);
  before_ = class_of_end(piece_, before_);
  piece_.clear();
}

/// Returns the length of the open run of backticks, or 0.
std::size_t InlineText::open_run() const {
  for (std::size_t at = 0; (at = piece_.find('`', at)) != std::string::npos;) {
    const std::size_t length = std::min(piece_.find_first_not_of('`', at), piece_.size()) - at;
    const std::string_view rest = std::string_view(piece_).substr(at);
    if (has_open_construct(rest, Before::Space)) return length;
    at += length;
  }
  return 0;
}

/// Escapes the end of code that was too long to be held. Its beginning was written as text, so its
/// end is text, too, and must not begin code.
void InlineText::escape_closing_run() {
  if (literal_run_ == 0) return;
  const std::size_t at = piece_.find(std::string(literal_run_, '`'));
  if (at == std::string::npos) return;
  std::string escaped;
  for (std::size_t i = 0; i < literal_run_; ++i) escaped += "\\`";
  piece_.replace(at, literal_run_, escaped);
  literal_run_ = 0;
}

void InlineText::end_line() {
  spaces_ = 0;
  escape_closing_run();
  if (has_open_construct(piece_, before_)) {
    piece_ += "\n    ";  // with an indent that only a paragraph can have
    return;
  }
  const std::size_t backslashes =
      piece_.size() - std::min(piece_.find_last_not_of('\\') + 1, piece_.size());
  if (backslashes % 2 == 1) piece_.pop_back();  // a hard line break, which is a line end anyway
  write_all();
  writer_.end_line();
  before_ = Before::Space;
}

void InlineText::end() {
  escape_closing_run();
  write_all();
  writer_.end_line();
  before_ = Before::Space;
  spaces_ = 0;
  literal_run_ = 0;
}

}  // namespace agent_doc::cli
