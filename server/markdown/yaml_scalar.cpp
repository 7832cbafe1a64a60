#include "server/markdown/yaml_scalar.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace agent_doc::markdown {

namespace {

bool is_yaml_space(char c) {
  return c == ' ' || c == '\t';
}
bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}
bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}
bool one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool only(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::transform(lowered.begin(), lowered.end(), lowered.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lowered;
}

/// Removes characters of `set` from the front of `text`; returns how many.
std::size_t take(std::string_view& text, std::string_view set) {
  const std::size_t count = std::min(text.find_first_not_of(set), text.size());
  text.remove_prefix(count);
  return count;
}

/// Integers, floats and base-60 numbers of YAML 1.1 and 1.2, in lower case.
bool is_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == ".inf" || text == ".nan") return true;
  if (text.starts_with("0x") && only(text.substr(2), "0123456789abcdef_")) return true;
  if ((text.starts_with("0o") || text.starts_with("0b")) && only(text.substr(2), "01234567_"))
    return true;
  if (text.empty() || !(is_decimal_digit(text[0]) || text[0] == '.')) return false;
  if (text.find(':') != std::string_view::npos) return only(text, "0123456789:._");

  std::size_t digits = take(text, "0123456789_");
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take(text, "0123456789_");
  }
  if (digits == 0) return false;
  if (text.starts_with('e')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (take(text, "0123456789") == 0) return false;
  }
  return text.empty();
}

/// A date such as 2025-01-31, optionally followed by a time.
bool is_date(std::string_view text) {
  if (take(text, "0123456789") != 4) return false;
  for (int part = 0; part < 2; ++part) {
    if (!text.starts_with('-')) return false;
    text.remove_prefix(1);
    const std::size_t digits = take(text, "0123456789");
    if (digits == 0 || digits > 2) return false;
  }
  return text.empty() || one_of(text.front(), "t \t");
}

/// Values that YAML 1.1 or 1.2 does not read as strings.
bool resolves_to_other_type(std::string_view value) {
  constexpr std::string_view kWords[] = {"~",  "null", "true", "false", "yes", "no",
                                         "on", "off",  "y",    "n",     "<<",  "="};
  const std::string lowered = lower(value);
  return std::find(std::begin(kWords), std::end(kWords), lowered) != std::end(kWords) ||
         is_number(lowered) || is_date(lowered);
}

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 1;
};

/// Returns the code point at `at`. Precondition: well-formed UTF-8.
CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const auto more = [&](std::size_t i) { return byte(i) & 0x3F; };
  const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length == 1 || at + length > text.size()) return {byte(0), 1};
  if (length == 2) return {(byte(0) & 0x1F) << 6 | more(1), 2};
  if (length == 3) return {(byte(0) & 0x0F) << 12 | more(1) << 6 | more(2), 3};
  return {(byte(0) & 0x07) << 18 | more(1) << 12 | more(2) << 6 | more(3), 4};
}

/// Returns true for code points that need an escape: not printable in YAML 1.2, or a line end in
/// YAML 1.1.
bool must_escape(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point <= 0x9F) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0xFEFF || (code_point & 0xFFFE) == 0xFFFE;
}

bool needs_escapes(std::string_view value) {
  for (std::size_t at = 0; at < value.size();) {
    const CodePoint code_point = code_point_at(value, at);
    if (must_escape(code_point.value)) return true;
    at += code_point.length;
  }
  return false;
}

void append_utf8(std::string& text, std::uint32_t value) {
  const auto put = [&text](std::uint32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xC0 | value >> 6);
    put(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    put(0xE0 | value >> 12);
    put(0x80 | (value >> 6 & 0x3F));
    put(0x80 | (value & 0x3F));
  } else {
    put(0xF0 | value >> 18);
    put(0x80 | (value >> 12 & 0x3F));
    put(0x80 | (value >> 6 & 0x3F));
    put(0x80 | (value & 0x3F));
  }
}

std::size_t end_of_line(std::string_view text, std::size_t from, std::size_t limit) {
  return std::min(text.find_first_of("\r\n", from), limit);
}

std::size_t end_without_spaces(std::string_view text, std::size_t begin, std::size_t end) {
  while (end > begin && is_yaml_space(text[end - 1])) --end;
  return end;
}

/// Reads a quoted scalar from left to right.
class QuotedReader {
 public:
  QuotedReader(std::string_view text, std::size_t begin, std::size_t limit)
      : text_(text.substr(0, limit)), begin_(begin), quote_(text[begin]) {}

  Scalar read() {
    Scalar scalar{
        begin_, 0, quote_ == '"' ? ScalarStyle::DoubleQuoted : ScalarStyle::SingleQuoted, {}, {}};
    at_ = begin_ + 1;
    while (at_ < text_.size()) {
      if (text_[at_] == quote_ && !(quote_ == '\'' && peek(1) == '\'')) {
        scalar.end = at_ + 1;
        scalar.value = std::move(value_);
        scalar.problem = problem_;
        return scalar;
      }
      step();
    }
    scalar.end = end_without_spaces(text_, begin_ + 1, end_of_line(text_, begin_, text_.size()));
    scalar.value = text_.substr(begin_ + 1, scalar.end - begin_ - 1);
    scalar.problem = "The quotation mark is not closed.";
    return scalar;
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void step() {
    if (quote_ == '"' && text_[at_] == '\\') {
      ++at_;
      escape();
    } else if (is_line_end(text_[at_])) {
      fold();
    } else {
      if (text_[at_] == '\'' && quote_ == '\'') ++at_;  // the first of two
      value_ += text_[at_++];
    }
  }

  /// Folds line ends: the first becomes a space, each further one stays; spaces around them are
  /// dropped.
  void fold() {
    while (!value_.empty() && value_.size() > kept_ && is_yaml_space(value_.back()))
      value_.pop_back();
    const std::size_t line_ends = skip_line_ends();
    if (line_ends == 1) value_ += ' ';
    value_.append(line_ends - 1, '\n');
  }

  std::size_t skip_line_ends() {
    std::size_t count = 0;
    while (at_ < text_.size() && (is_line_end(text_[at_]) || is_yaml_space(text_[at_]))) {
      if (is_line_end(text_[at_])) {
        ++count;
        if (text_[at_] == '\r' && peek(1) == '\n') ++at_;
      }
      ++at_;
    }
    return count;
  }

  void escape() {
    struct Escape {
      char letter;
      std::string_view meaning;
    };
    static constexpr Escape kEscapes[] = {
        {'0', {"\0", 1}}, {'a', "\a"},     {'b', "\b"},    {'t', "\t"},  {'\t', "\t"},
        {'n', "\n"},      {'v', "\v"},     {'f', "\f"},    {'r', "\r"},  {'e', "\x1B"},
        {' ', " "},       {'"', "\""},     {'/', "/"},     {'\\', "\\"}, {'N', "\u0085"},
        {'_', "\u00A0"},  {'L', "\u2028"}, {'P', "\u2029"}};
    const char letter = peek(0);
    if (is_line_end(letter)) {
      const std::size_t line_ends = skip_line_ends();
      value_.append(line_ends - 1, '\n');
    } else if (const auto digits = one_of(letter, "xuU") ? (letter == 'x'   ? 2U
                                                            : letter == 'u' ? 4U
                                                                            : 8U)
                                                         : 0U;
               digits > 0) {
      hexadecimal(digits);
    } else if (const auto* found =
                   std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                [letter](const Escape& e) { return e.letter == letter; });
               found != std::end(kEscapes)) {
      value_ += found->meaning;
      ++at_;
    } else {
      problem_ =
          "A backslash in double quotes must begin an escape that YAML knows, such as \\\\ or \\n.";
      value_ += '\\';
    }
    kept_ = value_.size();
  }

  void hexadecimal(std::size_t digits) {
    const std::string_view hex = text_.substr(std::min(at_ + 1, text_.size()), digits);
    if (hex.size() < digits || !only(hex, "0123456789abcdefABCDEF")) {
      problem_ = "This escape needs more hexadecimal digits.";
      value_ += '\\';
      return;
    }
    const auto value = static_cast<std::uint32_t>(std::stoul(std::string(hex), nullptr, 16));
    constexpr std::uint32_t kReplacementCharacter = 0xFFFD;
    const bool scalar_value = value < 0xD800 || (value > 0xDFFF && value <= 0x10FFFF);
    append_utf8(value_, scalar_value ? value : kReplacementCharacter);
    at_ += digits + 1;
  }

  std::string_view text_;
  std::size_t begin_;
  char quote_;
  std::size_t at_ = 0;
  std::string value_;
  /// Bytes of the value that came from escapes: spaces among them are kept.
  std::size_t kept_ = 0;
  std::string_view problem_;
};

Scalar read_plain(std::string_view text, std::size_t begin, std::size_t limit,
                  ScalarContext context) {
  const bool flow = context == ScalarContext::Flow;
  const auto ends_line = [&](std::size_t at) { return at == limit || is_line_end(text[at]); };
  std::size_t end = begin;
  for (; !ends_line(end);
       ++end) {  // a map may have thousands of scalars in one line: none may look for its end
    const char c = text[end];
    if (c == '#' && end > begin && is_yaml_space(text[end - 1])) break;
    if (flow && one_of(c, ",[]{}")) break;
    const bool before_space = ends_line(end + 1) || is_yaml_space(text[end + 1]) ||
                              (flow && one_of(text[end + 1], ",[]{}"));
    if (flow && c == ':' && before_space) break;
  }
  end = end_without_spaces(text, begin, end);

  Scalar scalar{begin, end, ScalarStyle::Plain, std::string(text.substr(begin, end - begin)), {}};
  if (scalar.value.find(": ") != std::string::npos || scalar.value.ends_with(':')) {
    scalar.problem = "A value with a colon and a space must stand in quotation marks.";
  }
  if (scalar.value == "~" || scalar.value == "null" || scalar.value == "Null" ||
      scalar.value == "NULL")
    scalar.value.clear();
  return scalar;
}

std::string double_quoted(std::string_view value) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (std::size_t at = 0; at < value.size();) {
    const CodePoint code_point = code_point_at(value, at);
    const char c = value[at];
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (c == '\n' || c == '\t' || c == '\r') {
      quoted += {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'};
    } else if (must_escape(code_point.value)) {
      quoted += "\\U";
      for (int shift = 28; shift >= 0; shift -= 4)
        quoted += kDigits[code_point.value >> shift & 0xF];
    } else {
      quoted += value.substr(at, code_point.length);
    }
    at += code_point.length;
  }
  return quoted + '"';
}

std::string single_quoted(std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + '\'';
}

}  // namespace

Scalar read_scalar(std::string_view text, std::size_t begin, std::size_t limit,
                   ScalarContext context) {
  if (begin < limit && (text[begin] == '"' || text[begin] == '\''))
    return QuotedReader(text, begin, limit).read();
  return read_plain(text, begin, limit, context);
}

bool is_safe_plain(std::string_view value, ScalarContext context) {
  if (value.empty() || is_yaml_space(value.front()) || is_yaml_space(value.back())) return false;
  if (one_of(value.front(), "-?:,[]{}#&*!|>'\"%@`") || value.back() == ':') return false;
  for (const std::string_view inside : {": ", ":\t", " #", "\t#"}) {
    if (value.find(inside) != std::string_view::npos) return false;
  }
  if (context == ScalarContext::Flow && value.find_first_of(",[]{}:?") != std::string_view::npos)
    return false;
  return !needs_escapes(value) && !resolves_to_other_type(value);
}

std::string write_scalar(std::string_view value, ScalarContext context, ScalarStyle style) {
  if (style == ScalarStyle::Plain && is_safe_plain(value, context)) return std::string(value);
  if (style == ScalarStyle::SingleQuoted && !needs_escapes(value)) return single_quoted(value);
  return double_quoted(value);
}

}  // namespace agent_doc::markdown
