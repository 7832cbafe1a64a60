#include "server/session/silence.hpp"

#include "plugins/failure.hpp"
#include "server/text/utf8.hpp"
#include "server/text/visible.hpp"
#include "server/turn/sanitiser.hpp"
#include "server/turn/turn.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace {

constexpr std::string_view kBlanks = " \t\n";

/// Lines of a terminal as lines of text: colours are gone, what a carriage return had overwritten
/// is a line of its own.
std::string plain_text(std::string_view bytes) {
  std::string clean;
  turn::Sanitiser(turn::Hidden::Kept).feed(text::repair_utf8(bytes).text, clean);
  return clean;
}

std::string_view last_line(std::string_view lines) {
  const std::size_t end = lines.find_last_not_of(kBlanks);
  if (end == std::string_view::npos) return {};
  lines = lines.substr(0, end + 1);
  const std::size_t newline = lines.rfind('\n');
  return newline == std::string_view::npos ? lines : lines.substr(newline + 1);
}

/// Each line made visible for itself: the line ends between them are ours.
std::string visible_lines(std::string_view lines) {
  std::string shown;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    shown.append(text::visible_line(lines.substr(0, end)));
    if (end < lines.size()) shown.push_back('\n');
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return shown;
}

}  // namespace

void Silence::heard(TimePoint now) {
  next_look_ = now + kSilenceLimit;
  changed_ = false;
  status_.clear();
  silent_from_ = kept_.size();
}

void Silence::error_output(std::string_view bytes) {
  bytes = bytes.substr(bytes.size() - std::min(bytes.size(), kMaxErrorOutput));
  kept_.append(bytes);
  changed_ = changed_ || !bytes.empty();
  if (kept_.size() <= 2 * kMaxErrorOutput) return;
  const std::size_t gone = kept_.size() - kMaxErrorOutput;
  kept_.erase(0, gone);
  silent_from_ -= std::min(silent_from_, gone);
  told_from_ -= std::min(told_from_, gone);
}

std::optional<TimePoint> Silence::wakeup() const {
  return changed_ ? std::optional(next_look_) : std::nullopt;
}

void Silence::wake(TimePoint now) {
  if (!changed_ || now < next_look_) return;
  changed_ = false;
  next_look_ = now + kSilenceInterval;
  const std::string plain = plain_text(std::string_view(kept_).substr(silent_from_));
  const std::string_view line = last_line(plain);
  if (!line.empty()) status_ = turn::one_line(text::visible_line(line), turn::kMaxStatus);
}

std::string Silence::written_in_silence() const {
  const std::string plain = plain_text(std::string_view(kept_).substr(told_from_));
  return visible_lines(plugins::last_lines(plain));
}

std::string Silence::written() const {
  const std::string plain = plain_text(kept_);
  const std::size_t end = plain.find_last_not_of(kBlanks);
  return end == std::string::npos ? std::string()
                                  : visible_lines(std::string_view(plain).substr(0, end + 1));
}

}  // namespace agent_doc::session
