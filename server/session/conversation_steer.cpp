#include "server/markdown/turns.hpp"
#include "server/session/conversation.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace {

/// What the agent has of the document once it has read `said` in the middle of `turn`: what was
/// sent, what it wrote, and that. What the person changed meanwhile is not in it: nobody told it.
SentDocument sent_with(const CurrentTurn& turn, const std::string& said) {
  const SentDocument& sent = turn.terms().sent;
  if (!sent.text) return {};
  turn::SeenDocument seen =
      turn::with_next_prompt({*sent.text, sent.above, turn.progress().reply().text()}, said);
  return {std::make_shared<const std::string>(std::move(seen.text)), seen.above};
}

}  // namespace

bool Conversation::can_steer() const {
  return turn_running() && !turn_->is_steering() && !turn_->is_cancelling() &&
         !turn_->splits_reply() && manuscript_.is_open() && agent_.link() != nullptr &&
         agent_.link()->can_steer();
}

std::string Conversation::why_not_steered(const RunRequest& request) const {
  const std::string& agent = turn_->agent();
  if (!request.agent.empty() && request.agent != agent) return agent + " replies just now";
  if (turn_->splits_reply()) return "the reply may go into components of the document";
  return can_steer() ? std::string() : agent + " cannot hear anything while it works";
}

Outcome<std::string> Conversation::steer(const RunRequest& request) {
  if (!turn_running()) return run(request);
  if (turn_->is_steering() || !request.prompt.empty() || !has_next_prompt()) return queue(request);
  if (const std::string why = why_not_steered(request); !why.empty()) {
    Outcome<std::string> queued = queue(request);
    if (std::holds_alternative<std::string>(queued))
      client_.show_message(MessageKind::Info, why + ": the prompt in " + name() +
                                                  " is queued, and goes when the turn is done.");
    return queued;
  }
  // Without the reply: a fence that is open in it would swallow what is below.
  const sync::RegionExtent reply = *reply_extent();
  const std::size_t size = reply.end - reply.begin;
  std::string text = manuscript_.text();
  text.erase(reply.begin, size);
  RunRequest said = request;
  if (said.prompt_end) said.prompt_end = std::max(*said.prompt_end, reply.end) - size;
  std::optional<NextPrompt> prompt = next_prompt(text, markdown::read_front_matter(text), said);
  if (!prompt)
    return Refusal{RefusalKind::NothingToSend,
                   "there is nothing to send: write under the last `## User` heading, then steer "
                   "again"};
  said.prompt_end.reset();
  if (is_queued()) turn_->queued().take();
  const plugins::SteerRequest steer{prompt->asked, world_.make_uuid()};
  const sync::AnchorId end = manuscript_.regions().add_anchor(prompt->frame_at + size);
  turn_->tell({steer.id, std::move(*prompt), end, std::move(said)});
  std::string turn = turn_->id();
  agent_.link()->steer(steer);
  settle();
  return turn;
}

void Conversation::on_steer_heard(std::string_view final_text) {
  std::optional<SteeredPrompt> said = turn_->take_steered();
  if (!said) return;
  if (!manuscript_.is_open()) {
    return client_.show_message(
        MessageKind::Info, turn_->agent() + " has read what you sent into its turn in " + name() +
                               ", which is closed: what it answers belongs to that turn.");
  }
  const std::optional<turn::Permission> asked = turn_->progress().permission();
  if (asked) client_.withdraw_permission(turn_->id(), asked->id);
  turn_->hand_over(final_text);
  const TurnTerms& before = turn_->terms();
  TurnTerms terms{said->turn,       said->request,      before.agent,  before.other_owner,
                  before.of_folder, said->prompt.asked, before.rounds, before.thinking};
  terms.sent = sent_with(*turn_, said->prompt.seen);
  terms.document = before.document;
  terms.goes_on_from = before.id;
  record_end();
  tell_end();
  tell_turn();
  remember_turn();
  go_on_in(std::move(terms), place_of_next_reply(*said));
  if (!asked) return;
  turn_->progress().ask(*asked);
  client_.ask_permission(turn_->id(), *asked);
}

std::size_t Conversation::place_of_next_reply(const SteeredPrompt& said) const {
  const std::string& text = manuscript_.text();
  const auto behind_text = [&text](std::size_t at) {
    return text.find_last_not_of(" \t\r\n", at == 0 ? std::string::npos : at - 1) + 1;
  };
  const std::optional<sync::RegionExtent> reply = reply_extent();
  const std::size_t above =
      std::max(reply ? reply->end : std::size_t{0}, markdown::read_front_matter(text).body_begin);
  const std::size_t end = std::max(behind_text(text.size()), above);
  const std::size_t at = engine().anchor(said.end).value_or(end);
  if (at <= above) return end;  // the person has moved the prompt, or taken it out
  return behind_text(at) > above ? behind_text(at) : at;
}

void Conversation::go_on_in(TurnTerms terms, std::size_t at) {
  const std::string session = turn_->progress().session_id();
  const std::string model = turn_->progress().model();
  const std::string line_end(text::most_frequent_line_end(manuscript_.text()));
  TurnFrontMatter front_matter = std::move(turn_->front_matter());
  world_.journal().turn_began({terms.id, terms.document, name_.recorded(), terms.asked, terms.agent,
                               agent_.plan().launch.cwd, terms.sent.text, terms.sent.above,
                               terms.goes_on_from});
  handed_over_.push_back(std::move(turn_));
  turn_ = make_turn(std::move(terms), line_end);
  turn_->front_matter() = std::move(front_matter);
  const markdown::InlineFrame frame = markdown::make_frame(manuscript_.text(), at, line_end);
  turn_->reply().open(at, {frame.head, frame.tail}, sync::TypedAtPlace::GoesBelow);
  manuscript_.turn_began(world_.now());
  agent_.goes_on_in(turn_->id());
  turn_->goes_on(session, model);
}

void Conversation::on_steer_refused() {
  std::optional<SteeredPrompt> said = turn_->take_steered();
  if (!said) return;
  turn_->queued().ask(std::move(said->request), text_below_reply());
  client_.show_message(MessageKind::Info,
                       turn_->agent() +
                           " did not take what you sent into its turn: the prompt in " + name() +
                           " is queued, and goes when the turn is done.");
}

void Conversation::settle_unheard() {
  std::optional<SteeredPrompt> said = turn_->take_steered();
  if (!said) return;
  const bool is_done = turn_->progress().state() == turn::TurnState::Done;
  if (is_done && !turn_->is_cancelling() && manuscript_.is_open()) {
    turn_->queued().ask(std::move(said->request), text_below_reply());
    return client_.show_message(MessageKind::Info,
                                turn_->agent() +
                                    " was done before it read what you sent into its "
                                    "turn: the prompt in " +
                                    name() + " goes as the next one.");
  }
  client_.show_message(MessageKind::Warning,
                       turn_->agent() + " had not read what you sent into its turn in " + name() +
                           " when that ended. It stays: run it when you want it to go.");
}

void Conversation::look_at_handed_over() {
  if (handed_over_.empty() || manuscript_.is_busy()) return;
  std::erase_if(handed_over_, [this](const std::unique_ptr<CurrentTurn>& turn) {
    if (turn->reply().has_stopped()) return false;
    if (turn->has_text()) recovery_.reply_landed(turn->id());
    return true;
  });
}

void Conversation::tell_of_handed_over(const sync::Notice& notice) {
  const bool is_one = std::ranges::any_of(handed_over_, [&](const auto& turn) {
    return notice.region && turn->reply().region() == *notice.region;
  });
  if (is_one)
    client_.show_message(MessageKind::Info,
                         "The reply above in " + name() +
                             " was edited where its end was still to be written: "
                             "your text stays. All of it is kept: agent-doc log");
}

}  // namespace agent_doc::session
