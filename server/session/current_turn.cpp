#include "server/session/current_turn.hpp"

#include "plugins/failure.hpp"
#include "server/text/visible.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::session {

namespace {

/// Behind what the agent does.
constexpr std::string_view kQueuedStatus = " · the next prompt is queued";
constexpr std::string_view kSteeringStatus = " · what you sent is read at its next step";

std::chrono::milliseconds between(TimePoint begin, TimePoint end) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - begin);
}

/// Whether an agent that says this has read what it was sent. Its session may begin before, and a
/// failure may come instead.
bool is_answer(const plugins::AgentEvent& event) {
  if (const auto* ended = std::get_if<plugins::TurnEnded>(&event))
    return ended->outcome == plugins::Outcome::Done;
  return std::holds_alternative<plugins::MessageStarted>(event) ||
         std::holds_alternative<plugins::BlockStarted>(event) ||
         std::holds_alternative<plugins::TextDelta>(event) ||
         std::holds_alternative<plugins::ThinkingDelta>(event) ||
         std::holds_alternative<plugins::Snapshot>(event) ||
         std::holds_alternative<plugins::ToolStarted>(event);
}

}  // namespace

void QueuedRun::ask(RunRequest request, std::string_view below) {
  request_ = std::move(request);
  below_ = below;
  rests_at_ = {};
}

RunRequest QueuedRun::take() {
  RunRequest request = std::move(*request_);
  request_.reset();
  below_.clear();
  return request;
}

void QueuedRun::text_is(std::string_view below, TimePoint now) {
  if (!request_ || below == below_) return;
  below_ = below;
  rests_at_ = now + kQueuedPromptRest;
}

CurrentTurn::CurrentTurn(TurnTerms terms, Manuscript& manuscript, std::string line_end,
                         store::Journal& journal, Listener listener, TimePoint now)
    : terms_(std::move(terms)),
      manuscript_(manuscript),
      journal_(journal),
      listener_(std::move(listener)),
      reply_(manuscript, terms_.asked, line_end),
      bodies_(manuscript, std::move(line_end)),
      progress_(terms_.rounds, terms_.thinking, *this),
      thoughts_([this](std::string_view thought) { journal_.thought(terms_.id, thought); }),
      silence_(now),
      times_{now, {}, now, {}, {}} {}

void CurrentTurn::split_reply(turn::PatchBlocks::TargetOf target_of) {
  bodies_.remember_components([&target_of](std::string_view name) {
    return target_of(name) == turn::PatchTarget::Component;
  });
  patches_.emplace(std::move(target_of), static_cast<turn::PatchPartWrites&>(*this));
}

void CurrentTurn::open_body(std::string name, const sync::ComponentBody& body) {
  bodies_.open(std::move(name), body);
}

void CurrentTurn::write(const turn::RegionWrite& write) {
  listener_(write);
  if (!write.text.empty()) bodies_.reply_began();
  if (write.region != turn::kReplyRegion)
    return bodies_.write(write.region, write.offset, write.text);
  if (patches_) return patches_->write(write.offset, write.text);
  reply_.write(write.offset, write.text);
}

void CurrentTurn::write_part(std::size_t part, std::size_t offset, std::string_view text) {
  if (part == 0) return reply_.write(offset, text);
  bodies_.write_block(part - 1, patches_->blocks()[part - 1], offset, text);
}

void CurrentTurn::withdraw_part(std::size_t part) {
  bodies_.withdraw_block(part - 1);
}

void CurrentTurn::keep_max_lines() {
  if (!is_running() && has_landed()) bodies_.take_surplus_lines_out();
}

std::vector<sync::RegionExtent> CurrentTurn::extents() const {
  std::vector<sync::RegionExtent> extents = bodies_.extents();
  if (const auto reply = reply_.extent()) extents.insert(extents.begin(), *reply);
  return extents;
}

void CurrentTurn::line_ends_changed(const sync::Notice& notice) {
  reply_.line_ends_changed(notice);
  bodies_.line_ends_changed(notice);
}

bool CurrentTurn::has_landed() const {
  return reply_.has_landed() && !bodies_.has_stopped();
}

void CurrentTurn::on_line(std::size_t bytes, TimePoint now) {
  times_.longest_silence = std::max(times_.longest_silence, between(times_.heard, now));
  times_.heard = now;
  silence_.heard(now);
  progress_.on_line(bytes);
}

void CurrentTurn::on_event(const plugins::AgentEvent& event, TimePoint now) {
  if (const auto* printed = std::get_if<plugins::Printed>(&event)) note_printed(printed->text);
  if (const auto* malformed = std::get_if<plugins::Malformed>(&event))
    note_printed(malformed->line);
  if (const auto* failure = std::get_if<plugins::Failure>(&event)) {
    heard_.on_event(event);
    const std::string message = with_error_output(failure->message);
    return progress_.on_event(plugins::Failure{failure->kind, message});
  }
  heard_.on_event(event);
  // An agent that says nothing may not have read what it was sent: it is sent again.
  const bool is_silent_end = ends_without_a_word(event);
  if (!arrived_ && !is_silent_end && is_answer(event)) {
    arrived_ = true;
    journal_.prompt_arrived(terms_.id);
  }
  thoughts_.on_event(event);
  if (is_silent_end) {
    const plugins::AgentFailure failure =
        plugins::describe_silence(heard_.not_understood(), terms_.agent);
    progress_.on_event(plugins::Failure{failure.kind, with_error_output(failure.message)});
  }
  progress_.on_event(event);
  if (!times_.first_text && has_text()) times_.first_text = between(times_.began, now);
}

bool CurrentTurn::ends_without_a_word(const plugins::AgentEvent& event) const {
  const auto* ended = std::get_if<plugins::TurnEnded>(&event);
  return ended != nullptr && ended->outcome == plugins::Outcome::Done && !is_cancelling() &&
         !heard_.anything();
}

void CurrentTurn::show_status(std::string_view text) {
  progress_.on_event(plugins::Notice{plugins::NoticeKind::Status, text});
}

bool CurrentTurn::is_first_denial() {
  return !std::exchange(denial_told_, true);
}

std::string CurrentTurn::with_error_output(std::string_view failure) const {
  std::string text(failure);
  const std::string written = silence_.written_in_silence();
  const std::size_t last = written.rfind('\n');
  const std::string_view newest =
      std::string_view(written).substr(last == std::string::npos ? 0 : last + 1);
  if (newest.empty() || failure.find(newest) != std::string_view::npos) return text;
  return text + "\nIt wrote last: " + written;
}

void CurrentTurn::note_printed(std::string_view line) {
  if (printed_.size() >= kMaxPrinted) return;
  printed_.append(text::visible_line(line.substr(0, kMaxPrinted))).push_back('\n');
}

void CurrentTurn::record_printed() const {
  if (progress_.state() == turn::TurnState::Done && has_text()) return;
  if (!printed_.empty()) journal_.printed(terms_.id, printed_);
  const std::string written = silence_.written();
  if (!written.empty()) journal_.printed(terms_.id, written);
}

std::string CurrentTurn::written_before_stop() const {
  if (progress_.state() != turn::TurnState::Cancelled || has_text()) return {};
  return silence_.written_in_silence();
}

void CurrentTurn::hand_over(std::string_view text) {
  handed_over_ = true;
  if (!std::exchange(arrived_, true)) journal_.prompt_arrived(terms_.id);
  progress_.on_event(plugins::TurnEnded{plugins::Outcome::Done, text});
}

void CurrentTurn::goes_on(const std::string& session, const std::string& model) {
  if (!session.empty()) progress_.on_event(plugins::SessionStarted{session, model, {}});
  progress_.prompt_sent();
  arrived_ = true;
  journal_.prompt_arrived(terms_.id);
}

void CurrentTurn::cancel(TimePoint deadline) {
  cancel_deadline_ = deadline;
  told_.revision.reset();
}

bool CurrentTurn::take_overdue_cancel(TimePoint now) {
  if (!cancel_deadline_ || now < *cancel_deadline_) return false;
  cancel_deadline_.reset();
  return true;
}

void CurrentTurn::end(TimePoint now) {
  times_.ended = now;
  cancel_deadline_.reset();
  if (patches_) patches_->finish();
  // Without its frame, the next prompt below it would become a part of the one that was answered.
  if (has_text() || queued_.is_waiting() || handed_over_) {
    reply_.finish();
  } else {
    reply_.retract();
  }
  bodies_.finish(patches_ ? patches_->blocks() : std::vector<turn::PatchBlock>());
  thoughts_.finish();
  record_printed();
  journal_.turn_ended(terms_.id, totals());
}

std::optional<TimePoint> CurrentTurn::wakeup() const {
  if (!is_running()) return std::nullopt;
  const std::optional<TimePoint> silent = silence_.wakeup();
  if (!cancel_deadline_ || !silent) return cancel_deadline_ ? cancel_deadline_ : silent;
  return std::min(*cancel_deadline_, *silent);
}

void CurrentTurn::wake(TimePoint now) {
  silence_.wake(now);
  progress_.show_silence(silence_.status());
}

CurrentTurn::News CurrentTurn::take_news() {
  const Told now{progress_.revision(), !is_running() && has_landed(), reply_.has_stopped(),
                 queued_.is_waiting(), is_steering()};
  const Told before = std::exchange(told_, now);
  if (now.landed && !before.landed && has_text()) return News::Landed;
  const bool is_same = now.revision == before.revision && now.landed == before.landed &&
                       now.stopped == before.stopped && now.queued == before.queued &&
                       now.steering == before.steering;
  return is_same ? News::None : News::Changed;
}

TurnView CurrentTurn::view(TimePoint now) const {
  TurnView view;
  view.turn = terms_.id;
  view.state = progress_.state();
  view.phase = progress_.phase();
  view.status = cancel_deadline_ ? "stopping" : progress_.status();
  view.agent = terms_.agent;
  view.model = progress_.model();
  view.session_id = progress_.session_id();
  view.usage = progress_.usage();
  view.elapsed = between(times_.began, is_running() ? now : times_.ended);
  view.failure_kind = progress_.failure_kind();
  view.failure =
      progress_.state() == turn::TurnState::Failed ? progress_.failure_message() : std::string();
  view.health = health().sentence();
  view.permission = progress_.permission();
  view.reply_landed = has_landed();
  view.can_continue = reply_.has_stopped();
  view.queued = queued_.is_waiting();
  const std::string_view next = view.queued     ? kQueuedStatus
                                : is_steering() ? kSteeringStatus
                                                : std::string_view();
  if (!next.empty() && is_running()) {
    view.status = turn::one_line(view.status, turn::kMaxStatus - next.size());
    view.status += next;
  }
  return view;
}

turn::Health CurrentTurn::health() const {
  turn::Health health = progress_.health();
  health.first_text = times_.first_text;
  health.longest_silence = times_.longest_silence;
  return health;
}

store::TurnTotals CurrentTurn::totals() const {
  store::TurnTotals totals;
  totals.state = turn::name_of(progress_.state());
  totals.model = progress_.model();
  totals.session_id = progress_.session_id();
  if (progress_.state() == turn::TurnState::Failed) totals.failure = progress_.failure_message();
  const plugins::Usage& usage = progress_.usage();
  totals.input_tokens = usage.input + usage.cache_read + usage.cache_write;
  totals.output_tokens = usage.output;
  totals.cost_micros = usage.cost_micros;
  return totals;
}

}  // namespace agent_doc::session
