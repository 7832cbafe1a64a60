#include "server/markdown/turns.hpp"
#include "server/session/conversation.hpp"

#include <utility>
#include <variant>

namespace agent_doc::session {

Outcome<std::string> Conversation::queue(RunRequest request) {
  if (is_steering())
    return Refusal{RefusalKind::Busy, turn_->agent() +
                                          " has not read yet what you sent into its "
                                          "turn in " +
                                          name() + ": run again when it has"};
  if (!request.prompt.empty() || !has_next_prompt()) {
    return Refusal{RefusalKind::Busy,
                   "a turn is running in " + name() +
                       " already: stop it or wait for its end. What you write under the last "
                       "`## User` meanwhile is queued when you run it"};
  }
  request.prompt_end.reset();  // it can be edited until it goes
  turn_->queued().ask(std::move(request), text_below_reply());
  settle();
  return turn_->id();
}

bool Conversation::unqueue() {
  if (!is_queued()) return false;
  turn_->queued().take();
  settle();
  return true;
}

bool Conversation::has_next_prompt() const {
  const std::optional<sync::RegionExtent> reply = turn_running() ? reply_extent() : std::nullopt;
  if (!reply) return false;  // the open prompt is still the one that is being answered
  // Without the reply: a fence that is open in it would swallow what is below.
  std::string text = manuscript_.text();
  text.erase(reply->begin, reply->end - reply->begin);
  return markdown::find_open_prompt(text, markdown::read_front_matter(text)).has_value();
}

std::string_view Conversation::text_below_reply() const {
  const std::string_view text = manuscript_.text();
  const std::optional<sync::RegionExtent> reply = reply_extent();
  return reply ? text.substr(reply->end) : text;
}

std::optional<TimePoint> Conversation::queue_wakeup() const {
  if (!is_queued() || turn_running()) return std::nullopt;
  if (turn_->has_stopped()) return TimePoint();
  if (!turn_->view(world_.now()).reply_landed) return std::nullopt;
  return turn_->queued().rests_at();
}

void Conversation::send_queued() {
  const std::optional<TimePoint> due = queue_wakeup();
  if (!due || world_.now() < *due) return;
  const std::string& text = manuscript_.text();
  if (turn_->has_stopped()) {
    leave_queued("the reply above it is not all there");
  } else if (!markdown::find_open_prompt(text, markdown::read_front_matter(text))) {
    leave_queued("it is empty");
  } else {
    const Outcome<std::string> outcome = run(turn_->queued().take());
    if (const auto* refusal = std::get_if<Refusal>(&outcome)) tell_left(refusal->message);
  }
  settle();
}

void Conversation::leave_queued(std::string_view why) {
  if (!is_queued()) return;
  turn_->queued().take();
  tell_left(why);
}

void Conversation::tell_left(std::string_view why) {
  client_.show_message(MessageKind::Warning, "The queued prompt in " + name() +
                                                 " was not sent, and stays: " + std::string(why) +
                                                 ". Run it when you want it to go.");
}

}  // namespace agent_doc::session
