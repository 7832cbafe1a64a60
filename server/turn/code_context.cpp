#include "server/turn/code_context.hpp"

namespace agent_doc::turn {
namespace {

constexpr std::size_t kShortestFence = 3;
constexpr std::size_t kLongestListNumber = 9;
constexpr std::uint8_t kIndentOfCode = 4;

}  // namespace

std::size_t CodeContext::read_to_angle(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (place_ == Place::Inline && c != '<' && c != '`' && c != '\n') {
      ++at;
      continue;
    }
    if (c == '<' && !in_code()) return at;
    step(c);
    ++at;
  }
  return at;
}

void CodeContext::read(std::string_view text) {
  for (const char c : text) step(c);
}

bool CodeContext::in_code() {
  if (place_ == Place::Run || place_ == Place::RunAtLineStart) end_run();
  return span_ != 0 || fence_ != 0;
}

void CodeContext::step(char c) {
  switch (place_) {
    case Place::LineStart:
    case Place::ListNumber:
    case Place::ListMarker:
      at_line_start(c);
      return;
    case Place::Run:
    case Place::RunAtLineStart:
      in_run(c);
      return;
    case Place::Inline:
      if (c == '\n') {
        end_line();
      } else if (c == '`') {
        place_ = Place::Run;
        mark_ = c;
        run_ = 1;
      }
      return;
    default:
      in_fence(c);
  }
}

void CodeContext::at_line_start(char c) {
  if (c == '\n') {
    end_line();
    return;
  }
  if (place_ == Place::ListMarker && c != ' ' && c != '\t') {
    place_ = Place::Inline;
    step(c);
    return;
  }
  if (place_ == Place::ListNumber) {
    if (c >= '0' && c <= '9' && run_ < kLongestListNumber) {
      ++run_;
    } else if (c == '.' || c == ')') {
      place_ = Place::ListMarker;
    } else {
      place_ = Place::Inline;
      step(c);
    }
    return;
  }
  if (place_ == Place::ListMarker) nested_ = true;
  place_ = Place::LineStart;
  if (c == ' ' || c == '\t') {
    if (c == '\t' || ++indent_ >= kIndentOfCode) nested_ = true;
    return;
  }
  line_has_text_ = true;
  if (c == '>') {
    nested_ = true;
  } else if (c == '-' || c == '*' || c == '+') {
    place_ = Place::ListMarker;
  } else if (c >= '0' && c <= '9') {
    place_ = Place::ListNumber;
    run_ = 1;
  } else if (c == '`' || c == '~') {
    place_ = Place::RunAtLineStart;
    mark_ = c;
    run_ = 1;
  } else {
    place_ = Place::Inline;
  }
}

void CodeContext::in_run(char c) {
  if (c == mark_) {
    ++run_;
    return;
  }
  end_run();
  step(c);
}

void CodeContext::end_run() {
  if (place_ == Place::RunAtLineStart && run_ >= kShortestFence) {
    place_ = Place::FenceInfo;
    fence_ = run_;
    fence_is_nested_ = nested_;
    return;
  }
  place_ = Place::Inline;
  if (mark_ != '`') return;
  if (span_ == 0) {
    span_ = run_;
  } else if (span_ == run_) {
    span_ = 0;
  }
}

void CodeContext::in_fence(char c) {
  if (place_ == Place::FenceInfo) {
    if (c == '`' && mark_ == '`') {
      // The info string of a backtick fence has no backtick: so this line has a code span.
      fence_ = 0;
      place_ = Place::Run;
      end_run();
      step(c);
    } else if (c == '\n') {
      span_ = 0;
      end_line();
    }
    return;
  }
  if (c == '\n') {
    if (place_ == Place::FenceRunEnd || (place_ == Place::FenceRun && run_ >= fence_)) fence_ = 0;
    end_line();
    return;
  }
  const bool space = c == ' ' || c == '\t';
  if (place_ == Place::FenceLineStart) {
    if (space) {
      if (c == '\t' || ++indent_ >= kIndentOfCode) nested_ = true;
    } else if (c == '>' && fence_is_nested_) {
      nested_ = true;
    } else {
      place_ = c == mark_ && (fence_is_nested_ || !nested_) ? Place::FenceRun : Place::FenceLine;
      run_ = 1;
    }
  } else if (place_ == Place::FenceRun && c == mark_) {
    ++run_;
  } else if (place_ == Place::FenceRun && space && run_ >= fence_) {
    place_ = Place::FenceRunEnd;
  } else if (place_ != Place::FenceRunEnd || !space) {
    place_ = Place::FenceLine;
  }
}

void CodeContext::end_line() {
  if (!line_has_text_) span_ = 0;
  line_has_text_ = false;
  nested_ = false;
  indent_ = 0;
  place_ = fence_ != 0 ? Place::FenceLineStart : Place::LineStart;
}

}  // namespace agent_doc::turn
