#include "server/session/conversation.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

Outcome<std::string> Conversation::continue_reply() {
  if (!turn_ || !manuscript_.is_open())
    return Refusal{RefusalKind::Invalid, "there is no reply to write in " + name()};
  ReplyInDocument& reply = turn_->reply();
  if (!reply.has_stopped())
    return Refusal{RefusalKind::Invalid, "the reply in " + name() + " is complete"};
  if (reply.is_paused()) {
    reply.resume();
  } else {
    const ReplyPlace place = reply.find_place();
    if (engine().in_flight() && std::holds_alternative<PlaceInReply>(place)) {
      return Refusal{RefusalKind::Busy,
                     "an edit of " + name() + " is under way: try again in a moment"};
    }
    reply.put(place);
  }
  propose_lost_front_matter();
  settle();
  return std::string();
}

Continuation Conversation::continuation() const {
  return turn_ ? turn_->reply().continuation() : Continuation::None;
}

bool Conversation::stands_in(std::string_view text) const {
  return text == manuscript_.text() || (turn_ && turn_->reply().stands_in(text));
}

void Conversation::put_reply_into_opened_text() {
  if (!opening_ || engine().in_flight()) return;
  const OpenedBy by = *std::exchange(opening_, std::nullopt);
  if (!turn_ || !turn_->reply().is_lost_by_opening() || !manuscript_.is_open()) return;
  const ReplyPlace place = turn_->reply().find_place();
  // What the person left in the file when they closed the document stays so, but for a reply that
  // is there.
  const bool is_there = std::holds_alternative<PlaceInReply>(place);
  if (std::holds_alternative<NoPlace>(place) || (by == OpenedBy::File && !is_there))
    return tell_lost_by_opening();
  turn_->reply().put(place);
}

void Conversation::tell_lost_by_opening() {
  client_.show_message(
      MessageKind::Warning,
      name() + " was closed without being saved while " + turn_->agent() +
          " replied in it, so the reply has no place in its text now. The reply is kept: it is "
          "written below its prompt as soon as the document "
          "is opened with that prompt, and `agent-doc recover FILE` puts it there, too.");
}

std::optional<sync::RegionExtent> Conversation::reply_extent() const {
  if (!turn_) return std::nullopt;
  return turn_->reply().extent();
}

std::optional<TurnView> Conversation::turn_at(std::size_t begin, std::size_t end) const {
  const auto is_inside = [&](std::optional<std::size_t> place) {
    return place && begin <= *place && *place <= end;
  };
  const auto extents = turn_ ? turn_->extents() : std::vector<sync::RegionExtent>();
  if (std::ranges::any_of(extents, is_inside, &sync::RegionExtent::begin)) return turn_view();
  const auto found = std::ranges::find_if(past_turns_, [&](const PastTurn& past) {
    return std::ranges::any_of(
        past.places, [&](sync::AnchorId place) { return is_inside(engine().anchor(place)); });
  });
  if (found == past_turns_.end()) return std::nullopt;
  return found->view;
}

void Conversation::remember_turn() {
  if (!turn_) return;
  std::vector<sync::AnchorId> places;
  for (const sync::RegionExtent& extent : turn_->extents())
    places.push_back(manuscript_.regions().add_anchor(extent.begin));
  if (places.empty()) return;
  past_turns_.push_back({std::move(places), *turn_view()});
  if (past_turns_.size() > sync::kMaxAnchors) past_turns_.pop_front();
}

void Conversation::look_for_unsaved_reply(std::string_view text) {
  if (turn_) return;
  const store::UnsavedReply* missing = recovery_.look(text, name_.recorded());
  tell_journal_problem();
  if (missing == nullptr) return;
  client_.show_message(MessageKind::Info,
                       "The last reply of " + missing->agent + " in " + name() + " (" +
                           missing->state +
                           ") is not all there. “Insert what is missing of the last reply”, or "
                           "`agent-doc recover FILE`, brings it back.");
}

Outcome<std::string> Conversation::recover_reply() {
  if (turn_running())
    return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": wait for its end"};
  if (!manuscript_.is_open())
    return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
  if (!can_recover_reply())
    return Refusal{RefusalKind::Invalid, "nothing of the last reply is missing in " + name()};
  recovery_.begin();
  settle();
  return std::string();
}

void Conversation::on_client_rewrites() {
  const bool recovers = recovery_.give_up();
  if (turn_) turn_->front_matter().is_lost = !recovers;
  const std::string again =
      recovers ? "Insert what is missing of the last reply" : "Write the rest of the reply";
  client_.show_message(MessageKind::Error,
                       "The editor changes what agent-doc inserts into " + name() +
                           ", so agent-doc stopped writing there. The whole reply is in `agent-doc "
                           "log`. Turn off what rewrites "
                           "inserted text, then use “" +
                           again + "”.");
}

}  // namespace agent_doc::session
