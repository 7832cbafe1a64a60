#include "plugins/acp/acp_retry.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {

void AcpRetry::reset() {
  earlier_.clear();
  current_.clear();
  is_too_long_ = false;
  reports_usage_ = false;
  is_cut_ = false;
  may_go_on_ = false;
  held_.clear();
  message_ = 0;
  anew_ = {};
  goes_on_ = {};
}

void AcpRetry::usage_reported() {
  reports_usage_ = true;
  is_cut_ = false;
}

/// A third message may be a third try (claude-agent-acp streams twice), or the rest of the second
/// one (it asks without streaming then, and sends only what is new under the id of that answer).
void AcpRetry::begin_message() {
  if (held_.empty()) {
    earlier_ = is_too_long_ ? std::string() : std::exchange(current_, {});
    current_.clear();
    is_too_long_ = false;
    message_ = 0;
    may_go_on_ = std::exchange(is_cut_, false);
    anew_ = {0, !earlier_.empty()};
    goes_on_ = {};
    return;
  }
  may_go_on_ = false;
  if (anew_.fits) {
    held_.erase(0, message_);
    goes_on_ = {0, true};
  }
  message_ = held_.size();
  anew_ = {message_, true};
}

AcpRetry::Verdict AcpRetry::hear(std::string_view text) {
  if (!anew_.fits && !goes_on_.fits) {
    may_go_on_ = false;
    keep(text);
    return Verdict::Another;
  }
  const std::size_t compared = held_.size();
  held_ += text;
  compare(anew_, compared);
  compare(goes_on_, compared);
  for (const Reading& reading : {anew_, goes_on_}) {
    if (!reading.fits) continue;
    if (!covers(reading)) return Verdict::Undecided;
    held_.erase(0, reading.begin);
    message_ = 0;
    may_go_on_ = false;
    is_cut_ = reports_usage_;
    return Verdict::Again;
  }
  if (!std::exchange(may_go_on_, false)) return Verdict::Another;
  is_cut_ = true;
  keep(earlier_);
  return Verdict::GoesOn;
}

AcpRetry::Held AcpRetry::take() {
  Held held{held_.substr(0, message_), held_.substr(message_)};
  held_.clear();
  message_ = 0;
  anew_ = {};
  goes_on_ = {};
  keep(held.text);
  return held;
}

void AcpRetry::compare(Reading& reading, std::size_t compared) const {
  if (!reading.fits) return;
  const std::size_t from = compared - reading.begin;
  if (from >= earlier_.size()) return;
  const std::string_view known = std::string_view(earlier_).substr(from);
  const std::string_view heard = std::string_view(held_).substr(compared);
  const std::size_t both = std::min(known.size(), heard.size());
  reading.fits = known.substr(0, both) == heard.substr(0, both);
}

bool AcpRetry::covers(const Reading& reading) const {
  return held_.size() - reading.begin >= earlier_.size();
}

void AcpRetry::keep(std::string_view text) {
  if (is_too_long_ || current_.size() + text.size() > kMaxRetriedText) {
    is_too_long_ = true;
    current_.clear();
    return;
  }
  current_ += text;
}

}  // namespace agent_doc::plugins
