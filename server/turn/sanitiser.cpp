#include "server/turn/sanitiser.hpp"

#include "server/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace agent_doc::turn {
namespace {

constexpr unsigned char kEscape = 0x1B;
constexpr unsigned char kBell = 0x07;
constexpr unsigned char kDelete = 0x7F;
constexpr unsigned char kFirstOfC1 = 0xC2;

/// The first bytes of characters that are looked at.
constexpr bool opens_character(unsigned char byte) {
  return byte == 0xE2 || byte == 0xE3 || byte == 0xEF || byte == 0xF0 || byte == 0xF3;
}

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (int byte = 0x20; byte < 256; ++byte) {
    const bool is_looked_at =
        byte == kFirstOfC1 || opens_character(static_cast<unsigned char>(byte));
    plain[static_cast<std::size_t>(byte)] = byte != kDelete && !is_looked_at;
  }
  plain['\n'] = true;
  plain['\t'] = true;
  return plain;
}
/// Bytes that are copied as they are while no sequence is open.
constexpr std::array<bool, 256> kPlain = make_plain();

bool opens_string(unsigned char byte) {
  return byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_';
}

struct Range {
  char32_t first;
  char32_t last;
};

/// What turns the order of the text around it, or shows nothing and is no part of how a language is
/// written. In order.
constexpr std::array kMarked{
    Range{0x202A, 0x202E},   Range{0x2061, 0x2069},   Range{0x206A, 0x206F},
    Range{0x3164, 0x3164},   Range{0xFEFF, 0xFEFF},   Range{0xFFA0, 0xFFA0},
    Range{0xFFF9, 0xFFFB},   Range{0x1BCA0, 0x1BCA3}, Range{0x1D173, 0x1D17A},
    Range{0xE0000, 0xE0FFF},
};

bool is_selector(char32_t point) {
  return (point >= 0xFE00 && point <= 0xFE0F) || (point >= 0xE0100 && point <= 0xE01EF);
}

constexpr char32_t kBlackFlag = 0x1F3F4;
constexpr char32_t kFirstTag = 0xE0020;
constexpr char32_t kLastTag = 0xE007F;  ///< ends a flag
/// The flags that are a black flag and tags: those of England, Scotland and Wales.
constexpr std::array<std::string_view, 3> kFlags = {"gbeng\x7f", "gbsct\x7f", "gbwls\x7f"};

char32_t point_of(std::string_view sequence) {
  char32_t point =
      static_cast<unsigned char>(sequence.front()) & (sequence.size() == 4 ? 0x07U : 0x0FU);
  for (const char c : sequence.substr(1))
    point = point << 6 | (static_cast<unsigned char>(c) & 0x3FU);
  return point;
}

void append_mark(char32_t point, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out.append("<U+");
  for (int shift = point > 0xFFFF ? 16 : 12; shift >= 0; shift -= 4)
    out.push_back(kDigits[point >> shift & 0xF]);
  out.push_back('>');
}

}  // namespace

void Sanitiser::feed(std::string_view text, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (state_ == State::Text) {
      const std::size_t begin = at;
      while (at < text.size() && kPlain[static_cast<unsigned char>(text[at])]) ++at;
      if (at > begin) before_ = Before::Any;
      out.append(text, begin, at - begin);
      if (at == text.size()) return;
    }
    step(static_cast<unsigned char>(text[at]), out);
    ++at;
  }
}

void Sanitiser::step(unsigned char byte, std::string& out) {
  switch (state_) {
    case State::Text:
      in_text(byte, out);
      return;
    case State::AfterCarriageReturn:
      state_ = State::Text;
      if (byte != '\n') in_text(byte, out);
      return;
    case State::FirstOfC1:
      state_ = State::Text;
      if (byte < 0x80 || byte > 0x9F) {
        out.push_back(static_cast<char>(kFirstOfC1));
        in_text(byte, out);
      } else if (byte == 0x9B) {
        state_ = State::ControlSequence;
      } else if (byte == 0x90 || byte == 0x98 || byte >= 0x9D) {
        state_ = State::StringSequence;
      }
      return;
    case State::Character:
      in_character(byte, out);
      return;
    case State::Escape:
      after_escape(byte, out);
      return;
    case State::EscapeIntermediate:
      if (byte >= 0x20 && byte <= 0x2F) return;
      state_ = State::Text;
      if (byte < 0x30 || byte > 0x7E) in_text(byte, out);
      return;
    case State::ControlSequence:
      if (byte >= 0x20 && byte <= 0x3F) return;
      state_ = State::Text;
      if (byte < 0x40 || byte > 0x7E) in_text(byte, out);
      return;
    case State::StringSequence:
    case State::StringEscape:
    case State::StringFirstOfC1:
      in_string(byte, out);
      return;
  }
}

void Sanitiser::in_text(unsigned char byte, std::string& out) {
  if (byte == '\r') {
    before_ = Before::Any;
    out.push_back('\n');
    state_ = State::AfterCarriageReturn;
  } else if (byte == kEscape) {
    state_ = State::Escape;
  } else if (byte == kFirstOfC1) {
    state_ = State::FirstOfC1;
  } else if (opens_character(byte)) {
    state_ = State::Character;
    character_.assign(1, static_cast<char>(byte));
  } else if (kPlain[byte]) {
    before_ = Before::Any;
    out.push_back(static_cast<char>(byte));
  }
}

void Sanitiser::in_character(unsigned char byte, std::string& out) {
  const std::size_t wanted = static_cast<unsigned char>(character_.front()) >= 0xF0 ? 4 : 3;
  if ((byte & 0xC0) != 0x80) {  // it was none
    state_ = State::Text;
    out.append(std::exchange(character_, {}));
    return in_text(byte, out);
  }
  character_.push_back(static_cast<char>(byte));
  if (character_.size() < wanted) return;
  state_ = State::Text;
  const char32_t point = point_of(character_);
  if (hidden_ == Hidden::Kept || shows(point)) {
    out.append(character_);
  } else {
    append_mark(point, out);
  }
  character_.clear();
}

bool Sanitiser::shows(char32_t point) {
  const Before before = std::exchange(before_, Before::Any);
  if (is_selector(point)) {
    before_ = Before::Selector;
    return before != Before::Selector;  // one belongs to its character; more of them are a text
                                        // that nobody sees
  }
  if (point == kBlackFlag) {
    before_ = Before::Flag;
    flag_.clear();
    return true;
  }
  if (before == Before::Flag && point >= kFirstTag && point <= kLastTag) {
    flag_.push_back(static_cast<char>(point - 0xE0000));
    const bool may_be_flag =
        std::any_of(kFlags.begin(), kFlags.end(),
                    [this](std::string_view flag) { return flag.starts_with(flag_); });
    if (may_be_flag) before_ = Before::Flag;
    return may_be_flag;
  }
  return std::none_of(kMarked.begin(), kMarked.end(),
                      [point](Range range) { return point >= range.first && point <= range.last; });
}

void Sanitiser::after_escape(unsigned char byte, std::string& out) {
  if (byte == '[') {
    state_ = State::ControlSequence;
  } else if (opens_string(byte)) {
    state_ = State::StringSequence;
  } else if (byte >= 0x20 && byte <= 0x2F) {
    state_ = State::EscapeIntermediate;
  } else {
    state_ = State::Text;
    if (byte < 0x30 || byte > 0x7E) in_text(byte, out);
  }
}

void Sanitiser::in_string(unsigned char byte, std::string& out) {
  if (state_ == State::StringEscape) {
    state_ = State::Text;
    if (byte != '\\') after_escape(byte, out);
    return;
  }
  const bool may_end = state_ == State::StringFirstOfC1;
  state_ = State::StringSequence;
  if (byte == kBell || (may_end && byte == 0x9C)) {
    state_ = State::Text;
  } else if (byte == '\n' || byte == '\r') {
    state_ = State::Text;
    in_text(byte, out);
  } else if (byte == kEscape) {
    state_ = State::StringEscape;
  } else if (byte == kFirstOfC1) {
    state_ = State::StringFirstOfC1;
  }
}

std::string one_line(std::string_view text, std::size_t limit, Hidden hidden) {
  constexpr std::string_view kCut = "…";
  std::string clean;
  // Bounds the work for a huge input; escapes make the result shorter than what was read, which is
  // fine for a display.
  const std::string_view head = text.substr(0, limit * 4);
  Sanitiser(hidden).feed(head, clean);
  std::string line;
  bool space = false;
  for (const char c : clean) {
    if (c == ' ' || c == '\n' || c == '\t') {
      space = !line.empty();
      continue;
    }
    if (space) line.push_back(' ');
    space = false;
    line.push_back(c);
  }
  if (line.size() <= limit && head.size() == text.size()) return line;
  std::size_t keep = line.size() < limit ? line.size() : limit;
  keep = keep > kCut.size() ? keep - kCut.size() : 0;
  line.resize(text::floor_boundary(line, keep));
  line.append(kCut);
  return line;
}

}  // namespace agent_doc::turn
