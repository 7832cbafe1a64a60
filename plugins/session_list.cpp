#include "plugins/session_list.hpp"

#include "plugins/failure.hpp"
#include "server/text/utf8.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::string_view kSignsOfIds = "-_.:/+=@~";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Removes a number of exactly `digits` digits, and `behind` when that is not 0, from the front of
/// `text`.
std::optional<int> take_number(std::string_view& text, std::size_t digits, char separator) {
  const std::size_t size = digits + (separator != 0 ? 1 : 0);
  if (text.size() < size ||
      !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(digits), is_digit))
    return std::nullopt;
  if (separator != 0 && text[digits] != separator) return std::nullopt;
  int number = 0;
  std::from_chars(text.data(), text.data() + digits, number);
  text.remove_prefix(size);
  return number;
}

/// Removes a fraction such as ".670" from the front of `text`; returns it as milliseconds, 0 when
/// there is none.
int take_fraction(std::string_view& text) {
  if (text.size() < 2 || text[0] != '.' || !is_digit(text[1])) return 0;
  text.remove_prefix(1);
  int milliseconds = 0;
  for (int weight = 100; !text.empty() && is_digit(text[0]); weight /= 10, text.remove_prefix(1))
    milliseconds += weight * (text[0] - '0');
  return milliseconds;
}

/// Parses "Z" or "+02:00", which must be all of `text`.
std::optional<std::chrono::minutes> offset_of(std::string_view text) {
  if (text == "Z" || text == "z") return std::chrono::minutes(0);
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const std::optional<int> hours = take_number(text, 2, ':');
  const std::optional<int> minutes = hours ? take_number(text, 2, 0) : std::nullopt;
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::minutes(sign * (*hours * 60 + *minutes));
}

}  // namespace

bool is_usable_session_id(std::string_view id) {
  if (id.empty() || id.size() > kMaxSessionId || id.front() == '-') return false;
  return std::all_of(id.begin(), id.end(), [](char c) {
    return is_ascii_letter(c) || is_digit(c) || kSignsOfIds.find(c) != std::string_view::npos;
  });
}

std::optional<std::int64_t> milliseconds_of(std::string_view date_time) {
  std::string_view rest = date_time;
  constexpr std::pair<std::size_t, char> kParts[] = {{4, '-'}, {2, '-'}, {2, 'T'},
                                                     {2, ':'}, {2, ':'}, {2, 0}};
  int parts[std::size(kParts)] = {};
  for (std::size_t part = 0; part < std::size(kParts); ++part) {
    const std::optional<int> number = take_number(rest, kParts[part].first, kParts[part].second);
    if (!number) return std::nullopt;
    parts[part] = *number;
  }
  const int milliseconds = take_fraction(rest);
  const std::optional<std::chrono::minutes> offset = offset_of(rest);
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!offset || !day.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) return std::nullopt;
  const std::chrono::sys_seconds whole = std::chrono::sys_days(day) + std::chrono::hours(parts[3]) +
                                         std::chrono::minutes(parts[4]) +
                                         std::chrono::seconds(parts[5]) - *offset;
  return std::chrono::milliseconds(whole.time_since_epoch()).count() + milliseconds;
}

void SessionList::add(KeptSession session) {
  if (!is_usable_session_id(session.id) || ids_.contains(session.id)) return;
  if (sessions_.size() >= kMaxListedSessions) {
    cut_ = true;
    return;
  }
  page_has_news_ = true;
  ids_.insert(session.id);
  session.title.resize(text::floor_boundary(session.title, kMaxSessionTitle));
  sessions_.push_back(std::move(session));
}

bool SessionList::goes_on(std::string_view cursor) {
  ++pages_;
  if (cursor.empty()) return false;
  // A page without a new session comes from an agent that ignores the cursor, or has only sessions
  // that cannot be resumed.
  const bool may_go_on = std::exchange(page_has_news_, false) && pages_ < kMaxListPages &&
                         sessions_.size() < kMaxListedSessions;
  if (!may_go_on || cursor.size() > kMaxListCursor || cursor == cursor_) {
    cut_ = true;
    return false;
  }
  cursor_ = cursor;
  return true;
}

void SessionList::finish(Actions& actions) {
  emit({cut_ ? Listing::Cut : Listing::Whole, std::move(sessions_), {}}, actions);
}

void SessionList::unsupported(Actions& actions) {
  emit({Listing::Unsupported, {}, {}}, actions);
}

void SessionList::fail(std::string_view problem, Actions& actions) {
  emit({Listing::Failed, {}, problem}, actions);
}

void SessionList::ended(const ExitStatus& status, const AgentSpec& spec, Actions& actions) {
  std::string text = "The agent ended before it told its sessions (";
  text += status.signal != 0 ? "signal " + std::to_string(status.signal)
                             : "exit code " + std::to_string(status.code);
  text += ")";
  if (const std::string said = last_lines(status.stderr_tail); !said.empty()) text += ": " + said;
  fail(describe_failure(FailureKind::Crashed, text, spec).message, actions);
}

void SessionList::emit(SessionsListed listed, Actions& actions) {
  if (!std::exchange(emitted_, true)) actions.emit(std::move(listed));
}

}  // namespace agent_doc::plugins
