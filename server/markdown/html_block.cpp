#include "server/markdown/html_block.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_doc::markdown {

namespace {

struct RawTextElement {
  std::string_view name;
  std::string_view closing;
};
constexpr RawTextElement kRawTextElements[] = {
    {"pre", "</pre>"}, {"script", "</script>"}, {"style", "</style>"}, {"textarea", "</textarea>"}};

// Sorted. CommonMark 0.30, start condition 6.
constexpr std::string_view kBlockElements[] = {
    "address",  "article",  "aside",    "base",       "basefont", "blockquote", "body",   "caption",
    "center",   "col",      "colgroup", "dd",         "details",  "dialog",     "dir",    "div",
    "dl",       "dt",       "fieldset", "figcaption", "figure",   "footer",     "form",   "frame",
    "frameset", "h1",       "h2",       "h3",         "h4",       "h5",         "h6",     "head",
    "header",   "hr",       "html",     "iframe",     "legend",   "li",         "link",   "main",
    "menu",     "menuitem", "nav",      "noframes",   "ol",       "optgroup",   "option", "p",
    "param",    "section",  "source",   "summary",    "table",    "tbody",      "td",     "tfoot",
    "th",       "thead",    "title",    "tr",         "track",    "ul"};
constexpr std::size_t kLongestElementName = 10;

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_html_space(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char x, char y) { return lower(x) == lower(y); }) != text.end();
}

/// Reads a tag from left to right. Each step returns whether its part was there.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view take_while(auto&& accepts) {
    const std::size_t begin = at_;
    while (!at_end() && accepts(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool take_spaces() { return !take_while(is_html_space).empty(); }
  std::string_view take_name() {
    if (at_end() || !is_ascii_letter(text_[at_])) return {};
    return take_while([](char c) { return is_ascii_letter(c) || is_digit(c) || c == '-'; });
  }

  /// Reads the rest of an open tag after its name, ">" included.
  bool take_attributes() {
    while (true) {
      const bool spaced = take_spaces();
      if (take('>')) return true;
      if (take('/')) return take('>');
      if (!spaced || !take_attribute()) return false;
    }
  }

 private:
  bool take_attribute() {
    if (at_end() || !(is_ascii_letter(text_[at_]) || text_[at_] == '_' || text_[at_] == ':'))
      return false;
    take_while([](char c) {
      return is_ascii_letter(c) || is_digit(c) || c == '_' || c == ':' || c == '.' || c == '-';
    });
    const std::size_t after_name = at_;
    take_spaces();
    if (!take('=')) {
      at_ = after_name;
      return true;
    }
    take_spaces();
    return take_value();
  }

  bool take_value() {
    for (const char quote : {'"', '\''}) {
      if (!take(quote)) continue;
      take_while([quote](char c) { return c != quote; });
      return take(quote);
    }
    return !take_while([](char c) {
              return !is_html_space(c) &&
                     std::string_view("\"'=<>`").find(c) == std::string_view::npos;
            }).empty();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_block_element(std::string_view name) {
  if (name.size() > kLongestElementName) return false;
  char lowered[kLongestElementName];
  std::transform(name.begin(), name.end(), lowered, lower);
  return std::binary_search(std::begin(kBlockElements), std::end(kBlockElements),
                            std::string_view(lowered, name.size()));
}

/// Start condition 7: a complete tag alone on its line.
bool is_lone_tag(std::string_view line) {
  TagReader reader(line.substr(1));
  const bool closing = reader.take('/');
  if (reader.take_name().empty()) return false;
  if (closing) {
    reader.take_spaces();
    if (!reader.take('>')) return false;
  } else if (!reader.take_attributes()) {
    return false;
  }
  reader.take_while([](char c) { return c == ' ' || c == '\t' || c == '\f'; });
  return reader.at_end();
}

HtmlBlockStart tag_start(std::string_view line) {
  TagReader reader(line.substr(1));
  const bool closing = reader.take('/');
  const std::string_view name = reader.take_name();
  const bool ends_here = reader.at_end() || reader.take_spaces() || reader.take('>');

  for (const RawTextElement& element : kRawTextElements) {
    if (!closing && ends_here && equal_ignoring_case(name, element.name))
      return {HtmlBlockKind::RawText, element.closing};
  }
  if (is_block_element(name) && (ends_here || (reader.take('/') && reader.take('>'))))
    return {HtmlBlockKind::Element, {}};
  if (is_lone_tag(line)) return {HtmlBlockKind::AnyTag, {}};
  return {};
}

}  // namespace

HtmlBlockStart html_block_start(std::string_view line) {
  if (!line.starts_with('<')) return {};
  if (line.starts_with("<!--")) return {HtmlBlockKind::Comment, "-->"};
  if (line.starts_with("<?")) return {HtmlBlockKind::Instruction, "?>"};
  if (line.starts_with("<![CDATA[")) return {HtmlBlockKind::CData, "]]>"};
  if (line.starts_with("<!") && line.size() > 2 && is_ascii_letter(line[2]))
    return {HtmlBlockKind::Declaration, ">"};
  return tag_start(line);
}

bool html_block_ends(HtmlBlockKind kind, std::string_view line) {
  const auto contains = [line](std::string_view part) {
    return line.find(part) != std::string_view::npos;
  };
  switch (kind) {
    case HtmlBlockKind::RawText:
      return std::any_of(
          std::begin(kRawTextElements), std::end(kRawTextElements),
          [line](const auto& element) { return contains_ignoring_case(line, element.closing); });
    case HtmlBlockKind::Comment:
      return contains("-->");
    case HtmlBlockKind::Instruction:
      return contains("?>");
    case HtmlBlockKind::Declaration:
      return contains(">");
    case HtmlBlockKind::CData:
      return contains("]]>");
    case HtmlBlockKind::None:
    case HtmlBlockKind::Element:
    case HtmlBlockKind::AnyTag:
      return false;
  }
  return false;
}

}  // namespace agent_doc::markdown
