#include "server/turn/sanitiser.hpp"

#include <array>

namespace agent_doc::turn {
namespace sanitiser_internal {

constexpr unsigned char kEscape = 0x1B;
constexpr unsigned char kBell = 0x07;
constexpr unsigned char kDelete = 0x7F;
constexpr unsigned char kFirstOfC1 = 0xC2;
constexpr unsigned char kFirstOfBidi = 0xE2;

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (int byte = 0x20; byte < 256; ++byte)
    plain[static_cast<std::size_t>(byte)] = byte != kDelete && byte != kFirstOfC1 && byte != kFirstOfBidi;
  plain['\n'] = true;
  plain['\t'] = true;
  return plain;
}
/// Bytes that are copied as they are while no sequence is open.
constexpr std::array<bool, 256> kPlain = make_plain();

bool opens_string(unsigned char byte) {
  return byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_';
}

}  // namespace sanitiser_internal

void Sanitiser::feed(std::string_view text, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (state_ == State::Text) {
      const std::size_t begin = at;
      while (at < text.size() && sanitiser_internal::kPlain[static_cast<unsigned char>(text[at])]) ++at;
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
        out.push_back(static_cast<char>(sanitiser_internal::kFirstOfC1));
        in_text(byte, out);
      } else if (byte == 0x9B) {
        state_ = State::ControlSequence;
      } else if (byte == 0x90 || byte == 0x98 || byte >= 0x9D) {
        state_ = State::StringSequence;
      }
      return;
    case State::FirstOfBidi:
      second_ = byte;
      state_ = byte == 0x80 || byte == 0x81 ? State::SecondOfBidi : State::Text;
      if (state_ == State::SecondOfBidi) return;
      out.push_back(static_cast<char>(sanitiser_internal::kFirstOfBidi));
      in_text(byte, out);
      return;
    case State::SecondOfBidi:
      third_of_bidi(byte, out);
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
    out.push_back('\n');
    state_ = State::AfterCarriageReturn;
  } else if (byte == sanitiser_internal::kEscape) {
    state_ = State::Escape;
  } else if (byte == sanitiser_internal::kFirstOfC1) {
    state_ = State::FirstOfC1;
  } else if (byte == sanitiser_internal::kFirstOfBidi) {
    state_ = State::FirstOfBidi;
  } else if (sanitiser_internal::kPlain[byte]) {
    out.push_back(static_cast<char>(byte));
  }
}

void Sanitiser::third_of_bidi(unsigned char byte, std::string& out) {
  state_ = State::Text;
  const bool overrides = second_ == 0x80 && byte >= 0xAA && byte <= 0xAE;
  const bool isolates = second_ == 0x81 && byte >= 0xA6 && byte <= 0xA9;
  if (bidi_ == Bidi::Kept || (!overrides && !isolates)) {
    out.push_back(static_cast<char>(sanitiser_internal::kFirstOfBidi));
    out.push_back(static_cast<char>(second_));
    return in_text(byte, out);
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out.append(overrides ? "<U+202" : "<U+206");
  out.push_back(kDigits[byte & 0x0F]);
  out.push_back('>');
}

void Sanitiser::after_escape(unsigned char byte, std::string& out) {
  if (byte == '[') {
    state_ = State::ControlSequence;
  } else if (sanitiser_internal::opens_string(byte)) {
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
  if (byte == sanitiser_internal::kBell || (may_end && byte == 0x9C)) {
    state_ = State::Text;
  } else if (byte == '\n' || byte == '\r') {
    state_ = State::Text;
    in_text(byte, out);
  } else if (byte == sanitiser_internal::kEscape) {
    state_ = State::StringEscape;
  } else if (byte == sanitiser_internal::kFirstOfC1) {
    state_ = State::StringFirstOfC1;
  }
}

std::string one_line(std::string_view text, std::size_t limit, Bidi bidi) {
  constexpr std::string_view kCut = "…";
  std::string clean;
  // Bounds the work for a huge input; escapes make the result shorter than what was read, which is fine for a display.
  const std::string_view head = text.substr(0, limit * 4);
  Sanitiser(bidi).feed(head, clean);
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
  while (keep > 0 && keep < line.size() && (static_cast<unsigned char>(line[keep]) & 0xC0) == 0x80) --keep;
  line.resize(keep);
  line.append(kCut);
  return line;
}

}  // namespace agent_doc::turn
