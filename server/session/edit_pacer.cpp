#include "server/session/edit_pacer.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace {

/// Text that ends like this is not continued by the next character in any script that a first word
/// begins with.
bool ends_safely(std::string_view text) {
  return !text.empty() && static_cast<unsigned char>(text.back()) < 0x80 && text.back() != '\r';
}

}  // namespace

EditPacer::EditPacer(sync::SyncEngine& engine, Pace pace) : engine_(engine), pace_(pace) {}

void EditPacer::turn_began(TimePoint now) {
  began_ = now;
  ended_ = false;
  hurry_ = true;
  has_text_ = false;
  exhausted_ = false;
  holds_ = false;
  waits_since_.reset();
}

void EditPacer::text_came(std::string_view text, TimePoint now) {
  text_ = now;
  if (!waits_since_) waits_since_ = now;
  has_text_ = true;
  exhausted_ = false;
  const bool held_already =
      holds_ &&
      hurry_;  // text that comes without a pause does not hold back the first of it for ever
  holds_ = hurry_ && !ends_safely(text);
  if (!held_already) held_ = now;
}

void EditPacer::turn_ended() {
  ended_ = true;
  exhausted_ = false;
}

void EditPacer::client_changed(TimePoint now) {
  changed_ = now;
  exhausted_ = false;
}

void EditPacer::answered(sync::Answer answer, TimePoint now) {
  answered_ = now;
  engine_.answered(answer);
  retry_ = now + kRetryPause;
  exhausted_ = false;
}

/// When the edit in flight is decided without the client.
TimePoint EditPacer::flight_due() const {
  const TimePoint answer_due = flight_began_ + kAnswerLimit;
  if (!engine_.awaits_echo()) return answer_due;
  return std::min({answer_due, std::max(answered_, changed_) + kEchoPatience,
                   answered_ + kLongestEchoPatience});
}

std::optional<TimePoint> EditPacer::earliest() const {
  if (engine_.in_flight() || exhausted_ || !engine_.is_open() || !engine_.wants_to_write())
    return std::nullopt;
  TimePoint due = sent_;
  if (!hurry_ && !ended_) due += pace_.interval;
  if (!has_text_ && !ended_) due = std::max(due, began_ + pace_.frame_patience);
  if (holds_ && !ended_) due = std::max(due, held_ + pace_.interval);
  if (engine_.waits_for_retry()) due = std::max(due, retry_);
  if (silence_)
    due = std::max(due,
                   std::min(changed_ + kSilence, waits_since_.value_or(sent_) + kLongestSilence));
  return due;
}

std::optional<sync::OutgoingEdit> EditPacer::next(TimePoint now) {
  if (engine_.in_flight()) {
    if (now < flight_due()) return std::nullopt;
    if (engine_.awaits_echo()) {
      engine_.echo_is_overdue();
    } else {
      engine_.answered(sync::Answer::TimedOut);
    }
    flight_began_ = now;
  }
  const std::optional<TimePoint> due = earliest();
  if (!due || now < *due) return std::nullopt;
  engine_.allow_retry();
  const bool everything = ended_ || (hurry_ && !holds_) || now >= text_ + pace_.interval;
  std::optional<sync::OutgoingEdit> edit =
      engine_.poll(everything ? sync::Release::Everything : pace_.release);
  if (edit) {
    flight_began_ = now;
    waits_since_.reset();
    if (!holds_) sent_ = now;  // a last grapheme that goes late does not delay what comes after it
    holds_ = false;
    if (has_text_) hurry_ = false;
    return edit;
  }
  holds_ = !everything;
  held_ = text_;
  exhausted_ = everything;
  return std::nullopt;
}

std::optional<TimePoint> EditPacer::wakeup() const {
  if (engine_.in_flight()) return flight_due();
  return earliest();
}

}  // namespace agent_doc::session
