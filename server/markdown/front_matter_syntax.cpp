#include "server/markdown/front_matter_syntax.hpp"

#include "server/text/lines.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace agent_doc::markdown {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t";

/// A line between the two `---` lines.
struct MatterLine {
  text::LineSpan span;
  /// Offset of the first character that is no space, or span.end.
  std::size_t text_at = 0;
  bool blank = false;
  bool comment = false;

  std::size_t indent() const { return text_at - span.begin; }
  bool neutral() const { return blank || comment; }
};

MatterLine classify(std::string_view document, const text::LineSpan& span) {
  MatterLine line{span, std::min(document.find_first_not_of(kBlanks, span.begin), span.end), false,
                  false};
  line.blank = line.text_at == span.end;
  line.comment = !line.blank && document[line.text_at] == '#';
  return line;
}

bool is_delimiter(std::string_view document, const text::LineSpan& span) {
  const std::string_view line = document.substr(span.begin, span.end - span.begin);
  return line.starts_with("---") && line.find_first_not_of(kBlanks, 3) == std::string_view::npos;
}

/// `key:` at the start of a line's text.
struct Key {
  std::string name;
  std::size_t after_colon = 0;
};

std::optional<Key> read_key(std::string_view document, const MatterLine& line) {
  const std::size_t end = line.span.end;
  const auto ends_key = [&](std::size_t colon) {
    return colon < end && document[colon] == ':' &&
           (colon + 1 == end || kBlanks.find(document[colon + 1]) != std::string_view::npos);
  };
  const char first = document[line.text_at];
  if (first == '"' || first == '\'') {
    const Scalar key = read_scalar(document, line.text_at, end, ScalarContext::Block);
    const std::size_t colon = std::min(document.find_first_not_of(kBlanks, key.end), end);
    if (!key.problem.empty() || !ends_key(colon)) return std::nullopt;
    return Key{key.value, colon + 1};
  }
  if (std::string_view("-?:,[]{}#&*!|>%@`").find(first) != std::string_view::npos)
    return std::nullopt;
  for (std::size_t at = line.text_at; at < end; ++at) {
    if (document[at] == '#' && kBlanks.find(document[at - 1]) != std::string_view::npos)
      return std::nullopt;
    if (!ends_key(at)) continue;
    std::string_view name = document.substr(line.text_at, at - line.text_at);
    name = name.substr(0, name.find_last_not_of(kBlanks) + 1);
    return Key{std::string(name), at + 1};
  }
  return std::nullopt;
}

class EntryParser {
 public:
  EntryParser(std::string_view document, std::vector<MatterLine> lines, FrontMatterSyntax& result)
      : document_(document), lines_(std::move(lines)), result_(result) {}

  void run() {
    std::optional<std::size_t> base;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const MatterLine& line = lines_[i];
      if (line.neutral()) continue;
      if (!base) {
        base = line.indent();
        result_.indent = document_.substr(line.span.begin, line.indent());
      }
      base_ = *base;
      const std::size_t last = last_line_of_entry(i);
      check_tabs(i, last);
      read_entry(i, last);
      i = last;
    }
    check_duplicates();
    std::sort(result_.front_matter.problems.begin(), result_.front_matter.problems.end(),
              [](const Problem& a, const Problem& b) { return a.begin < b.begin; });
  }

 private:
  void add_problem(std::size_t begin, std::size_t end, std::string message) {
    result_.front_matter.problems.push_back({begin, end, std::move(message)});
  }

  bool starts_with(const MatterLine& line, std::string_view characters) const {
    return !line.blank && characters.find(document_[line.text_at]) != std::string_view::npos;
  }

  /// Returns the first character of the value on the entry's first line, or NUL.
  char value_start(const MatterLine& line, const Key& key) const {
    const std::size_t at = document_.find_first_not_of(kBlanks, key.after_colon);
    return at < line.span.end && document_[at] != '#' ? document_[at] : '\0';
  }

  /// Returns the last line of the entry that begins at `first`. Indented lines belong to it, and so
  /// do the items of a list or a closing brace below it that are not indented.
  std::size_t last_line_of_entry(std::size_t first) const {
    const std::optional<Key> key = read_key(document_, lines_[first]);
    const char start = key ? value_start(lines_[first], *key) : '\0';
    std::size_t last = first;
    for (std::size_t i = first + 1; i < lines_.size(); ++i) {
      const MatterLine& line = lines_[i];
      if (line.neutral()) continue;
      const bool list_item =
          key && start == '\0' && line.indent() == base_ && starts_with(line, "-");
      const bool closing_brace = (start == '{' || start == '[') && starts_with(line, "}]");
      if (line.indent() <= base_ && !list_item && !closing_brace) break;
      last = i;
    }
    return last;
  }

  void check_tabs(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) {
      const MatterLine& line = lines_[i];
      if (line.neutral() ||
          document_.substr(line.span.begin, line.indent()).find('\t') == std::string_view::npos)
        continue;
      add_problem(line.span.begin, line.text_at,
                  "YAML does not allow tabs before a key: indent with spaces.");
    }
  }

  void check_duplicates() {
    std::unordered_set<std::string_view> later;
    const auto& entries = result_.front_matter.entries;
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
      if (later.insert(entry->key).second) continue;
      add_problem(entry->line_begin, entry->value_end,
                  "The key \"" + entry->key + "\" stands twice; the last one counts.");
    }
  }

  void read_entry(std::size_t first, std::size_t last) {
    const MatterLine& line = lines_[first];
    const std::optional<Key> key = read_key(document_, line);
    if (!key) {
      add_problem(line.text_at, line.span.end,
                  "This line is not \"key: value\"; it is kept but not read.");
      return;
    }
    FrontMatterEntry entry;
    EntrySyntax syntax;
    entry.key = key->name;
    entry.line_begin = line.span.begin;
    syntax.lines_end = lines_[last].span.next;
    read_value(first, last, key->after_colon, entry, syntax);
    for (const MapItem& item : syntax.items) entry.map[item.key] = item.value.value;
    entry.is_map = syntax.shape == ValueShape::FlowMap || syntax.shape == ValueShape::BlockMap;
    result_.front_matter.entries.push_back(std::move(entry));
    result_.entries.push_back(std::move(syntax));
  }

  void read_value(std::size_t first, std::size_t last, std::size_t after_colon,
                  FrontMatterEntry& entry, EntrySyntax& syntax) {
    const MatterLine& line = lines_[first];
    const char start = value_start(line, {entry.key, after_colon});
    if (start == '\0') {
      entry.value_begin = entry.value_end = after_colon;
      if (first != last) read_value_below(first, last, entry, syntax);
      return;
    }
    entry.value_begin = document_.find_first_not_of(kBlanks, after_colon);
    if (start == '{') {
      read_flow_value(first, last, entry, syntax);
    } else if (std::string_view("[|>&!*").find(start) != std::string_view::npos) {
      const Scalar raw =
          read_scalar(document_, entry.value_begin, line.span.end, ScalarContext::Block);
      set_other(entry, syntax, first == last ? raw.end : lines_[last].span.end);
    } else {
      read_scalar_value(first, last, entry, syntax);
    }
  }

  void set_other(FrontMatterEntry& entry, EntrySyntax& syntax, std::size_t end) {
    syntax.shape = ValueShape::Other;
    entry.value_end = end;
    entry.value = document_.substr(entry.value_begin, end - entry.value_begin);
  }

  /// Reads the value of a `key:` line from the lines below it.
  void read_value_below(std::size_t first, std::size_t last, FrontMatterEntry& entry,
                        EntrySyntax& syntax) {
    const auto below = std::find_if(lines_.begin() + static_cast<std::ptrdiff_t>(first) + 1,
                                    lines_.end(), [](const MatterLine& l) { return !l.neutral(); });
    if (!read_key(document_, *below)) {
      set_other(entry, syntax, lines_[last].span.end);
      return;
    }
    const std::size_t indent = below->indent();
    for (auto i = static_cast<std::size_t>(below - lines_.begin()); i <= last; ++i) {
      const MatterLine& line = lines_[i];
      if (line.neutral()) continue;
      if (line.indent() == indent) {
        add_item(line, syntax);
      } else if (line.indent() > indent && !syntax.items.empty()) {
        MapItem& item = syntax.items.back();
        item.end = line.span.next;
        if (item.value.begin == item.value.end || item.value.problem.empty())
          item.value.end = line.span.end;
      } else {
        add_problem(line.span.begin, line.span.end,
                    "This line is indented less than the line above and more than its key.");
      }
    }
    syntax.shape = ValueShape::BlockMap;
    entry.value_end = lines_[last].span.end;
  }

  void add_item(const MatterLine& line, EntrySyntax& syntax) {
    const std::optional<Key> key = read_key(document_, line);
    if (!key) {
      add_problem(line.text_at, line.span.end,
                  "This line is not \"key: value\"; it is kept but not read.");
      return;
    }
    MapItem item{key->name,
                 line.span.begin,
                 line.span.next,
                 true,
                 {key->after_colon, key->after_colon, ScalarStyle::Plain, {}, {}}};
    if (value_start(line, *key) != '\0') {
      item.value = read_scalar(document_, document_.find_first_not_of(kBlanks, key->after_colon),
                               line.span.end, ScalarContext::Block);
      if (!item.value.problem.empty())
        add_problem(item.value.begin, item.value.end, std::string(item.value.problem));
    }
    syntax.items.push_back(std::move(item));
  }

  void read_flow_value(std::size_t first, std::size_t last, FrontMatterEntry& entry,
                       EntrySyntax& syntax) {
    std::optional<FlowMap> map = read_flow_map(document_, entry.value_begin, lines_[last].span.end);
    if (map) {
      syntax.shape = ValueShape::FlowMap;
      syntax.items = std::move(map->items);
      entry.value_end = map->end;
      check_rest_of_line(map->end);
      return;
    }
    const Scalar raw =
        read_scalar(document_, entry.value_begin, lines_[first].span.end, ScalarContext::Block);
    set_other(entry, syntax, raw.end);
    add_problem(raw.begin, raw.end,
                "These braces are not closed, or what they hold is not \"key: value, …\".");
  }

  void check_rest_of_line(std::size_t from) {
    const std::size_t end = std::min(document_.find_first_of("\r\n", from), document_.size());
    const std::size_t at = std::min(document_.find_first_not_of(kBlanks, from), end);
    if (at == end || (document_[at] == '#' && at > from)) return;
    add_problem(at, end, "Only a comment may stand behind the value here.");
  }

  void read_scalar_value(std::size_t first, std::size_t last, FrontMatterEntry& entry,
                         EntrySyntax& syntax) {
    Scalar scalar =
        read_scalar(document_, entry.value_begin, lines_[last].span.end, ScalarContext::Block);
    if (scalar.style != ScalarStyle::Plain && scalar.problem.empty())
      check_rest_of_line(scalar.end);
    if (scalar.style == ScalarStyle::Plain && first != last) join_lines(first, last, scalar);
    if (scalar.style == ScalarStyle::Plain && starts_with_indicator(scalar)) {
      scalar.problem = "A value that begins with this character must stand in quotation marks.";
    }
    entry.value_end = scalar.end;
    entry.value = std::move(scalar.value);
    syntax.style = scalar.style;
    if (scalar.problem.empty()) return;
    syntax.shape = ValueShape::Other;
    add_problem(scalar.begin, scalar.end, std::string(scalar.problem));
  }

  bool starts_with_indicator(const Scalar& scalar) const {
    const char first = document_[scalar.begin];
    if (std::string_view(",]}%@`").find(first) != std::string_view::npos) return true;
    const bool alone = scalar.begin + 1 == scalar.end ||
                       kBlanks.find(document_[scalar.begin + 1]) != std::string_view::npos;
    return alone && std::string_view("-?:").find(first) != std::string_view::npos;
  }

  /// Appends the indented lines below to a plain scalar, unless they look like the keys of a map,
  /// which its first line rules out.
  void join_lines(std::size_t first, std::size_t last, Scalar& scalar) {
    for (std::size_t i = first + 1; i <= last; ++i) {
      if (lines_[i].neutral()) continue;
      const MatterLine& line = lines_[i];
      if (read_key(document_, line)) {
        scalar.problem = "A key that has a value of its own cannot have a map below it.";
        return;
      }
    }
    for (std::size_t i = first + 1; i <= last; ++i) {
      if (lines_[i].neutral()) continue;
      const std::size_t end =
          read_scalar(document_, lines_[i].text_at, lines_[i].span.end, ScalarContext::Block).end;
      scalar.value += ' ';
      scalar.value += document_.substr(lines_[i].text_at, end - lines_[i].text_at);
      scalar.end = end;
    }
  }

  std::string_view document_;
  std::vector<MatterLine> lines_;
  FrontMatterSyntax& result_;
  std::size_t base_ = 0;  ///< indentation of the top-level keys
};

/// Returns the lines between the delimiters, or nullopt when the front matter is not closed or has
/// too many lines.
std::optional<std::vector<MatterLine>> read_lines(std::string_view document,
                                                  text::LineWalker& walker,
                                                  FrontMatter& front_matter) {
  std::vector<MatterLine> lines;
  while (const auto span = walker.next()) {
    const bool cut_off = span->end == kMaxFrontMatterBytes;
    if (is_delimiter(document, *span) && !cut_off) {
      front_matter.close_begin = span->begin;
      front_matter.body_begin = span->next;
      return lines;
    }
    if (lines.size() == kMaxFrontMatterLines) break;
    lines.push_back(classify(document, *span));
  }
  return std::nullopt;
}

/// Returns true when a closing line follows within the allowed bytes but after too many lines.
bool has_too_many_lines(std::string_view head, text::LineWalker walker) {
  std::size_t lines = 0;
  for (; const auto span = walker.next(); ++lines) {
    const bool cut_off = span->end == kMaxFrontMatterBytes;
    if (is_delimiter(head, *span) && !cut_off) return lines > kMaxFrontMatterLines;
  }
  return false;
}

/// Handles a `document` that begins with `---` without a closing line: front matter that is too
/// long or being typed, or only a rule.
void report_unread(std::string_view document, const text::LineSpan& opening,
                   FrontMatter& front_matter) {
  const auto report = [&](std::string message) {
    front_matter.problems.push_back({opening.begin, opening.end, std::move(message)});
  };
  text::LineWalker walker(document.substr(0, kMaxFrontMatterBytes), opening.next);
  if (has_too_many_lines(document.substr(0, kMaxFrontMatterBytes), walker)) {
    front_matter.too_long = true;
    return report("The front matter has more than 5,000 lines, so it is not read: shorten it.");
  }
  if (document.size() > kMaxFrontMatterBytes) {
    front_matter.too_long = true;
    return report(
        "The front matter is not closed within 256 KiB, so it is not read: end it with a line "
        "\"---\".");
  }
  const std::optional<text::LineSpan> next = walker.next();
  if (!next) return;
  const MatterLine line = classify(document, *next);
  if (!line.neutral() && read_key(document, line))
    report("The front matter is not closed, so it is not read: end it with a line \"---\".");
}

/// Returns true for a thematic break at the top of a document. It looks like the start of front
/// matter, but is followed by a blank line and no key.
bool is_thematic_break(const std::vector<MatterLine>& lines, const FrontMatterSyntax& syntax) {
  return syntax.entries.empty() && !lines.empty() && lines.front().blank &&
         std::any_of(lines.begin(), lines.end(),
                     [](const MatterLine& line) { return !line.neutral(); });
}

}  // namespace

FrontMatterSyntax parse_front_matter(std::string_view document) {
  FrontMatterSyntax absent;
  const std::size_t start = document.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  absent.front_matter.begin = absent.front_matter.body_begin = absent.front_matter.close_begin =
      start;

  const std::string_view head = document.substr(0, kMaxFrontMatterBytes);
  text::LineWalker walker(head, start);
  std::optional<text::LineSpan> opening = walker.next();
  while (opening && classify(head, *opening).blank) opening = walker.next();
  if (!opening || !is_delimiter(head, *opening)) return absent;

  FrontMatterSyntax syntax = absent;
  syntax.front_matter.present = true;
  syntax.front_matter.begin = opening->begin;
  syntax.line_end = document.substr(opening->end, opening->next - opening->end);
  const std::optional<std::vector<MatterLine>> lines =
      read_lines(head, walker, syntax.front_matter);
  if (!lines) {
    report_unread(document, *opening, absent.front_matter);
    return absent;
  }
  EntryParser(document, *lines, syntax).run();
  return is_thematic_break(*lines, syntax) ? absent : syntax;
}

}  // namespace agent_doc::markdown
