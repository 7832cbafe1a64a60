#include "server/session/document_session.hpp"

#include "server/markdown/turns.hpp"
#include "server/session/agent_write.hpp"
#include "server/session/document_session_impl.hpp"
#include "server/session/fork.hpp"
#include "server/text/line_ends.hpp"

#include <algorithm>

namespace agent_doc::session {

namespace document_session_internal {

/// An agent that was asked to stop a turn and does not is stopped by signals after this.
constexpr std::chrono::milliseconds kCancelGrace{2000};

}  // namespace document_session_internal

void DocumentSession::Impl::did_open(sync::Version version, std::string text, OpenedBy by) {
  look_for_unsaved_reply(text);
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  learn_owner(front_matter);
  owners_.learn(front_matter);
  manuscript_.did_open(version, std::move(text), host_.now());
  opening_ = by;
  settle();
}

void DocumentSession::Impl::moved(DocumentName name) {
  name_ = std::move(name);
  const std::string id = markdown::read_front_matter(manuscript_.text()).value_of("agent_doc_session");
  if (!id.empty()) host_.journal().document_moved(id, recorded_path());
}

void DocumentSession::Impl::did_change(sync::Version version, const std::vector<sync::ContentChange>& changes) {
  manuscript_.did_change(version, changes, host_.now());
  settle();
}

void DocumentSession::Impl::did_close() {
  manuscript_.did_close();
  permissions_.cancel_all();  // nobody is there to answer
  if (!turn_running()) retire_link(process::StopUrgency::Normal);
  settle();
}

void DocumentSession::Impl::edit_answered(sync::Answer answer) {
  manuscript_.edit_answered(answer, host_.now());
  settle();
}

Outcome<std::string> DocumentSession::Impl::run(const RunRequest& request) {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + " already: stop it or wait for its end"};
  if (!manuscript_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again, then run"};
  const markdown::FrontMatter front_matter = markdown::read_front_matter(manuscript_.text());
  learn_owner(front_matter);
  Outcome<SessionPlan> session = plan_agent(front_matter, request);
  if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
  SessionPlan& plan = std::get<SessionPlan>(session);
  Outcome<TurnPlan> turn = plan_turn(manuscript_.engine().shadow(), front_matter, request);
  if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
  plan.launch.prompt = std::get<TurnPlan>(turn).prompt.text(plan.knows);
  if (const std::optional<Refusal> refusal = take(plan)) return *refusal;
  RunRequest kept = request;
  kept.prompt_end.reset();  // of the text as it was
  remember_turn();
  begin_turn({std::move(plan), std::move(std::get<TurnPlan>(turn)), std::move(kept), std::nullopt}, front_matter);
  return turn_->id();
}

Outcome<SessionPlan> DocumentSession::Impl::plan_agent(const markdown::FrontMatter& front_matter, const RunRequest& request) const {
  WorkFolder folder = host_.work_folder();
  if (folder.path.empty()) return Refusal{RefusalKind::Invalid, std::move(folder.sentence)};
  Outcome<SessionPlan> session = plan_session(front_matter, request, agents_.default_agent(), folder.path, owners_);
  if (std::holds_alternative<Refusal>(session)) return session;
  SessionPlan& plan = std::get<SessionPlan>(session);
  if (const std::string named = front_matter.value_of("agent_doc_cwd"); !named.empty()) {
    FolderPlace place = host_.folder_inside(folder.path, plan.launch.cwd);
    if (place.path.empty()) {
      const std::string advice = place.advice == FolderPlace::Advice::MakeIt ? ", or make that folder" : "";
      return Refusal{RefusalKind::Invalid, "agent_doc_cwd `" + named + "` " + place.problem + ": correct it in the front matter" + advice};
    }
    plan.launch.cwd = std::move(place.path);
  }
  plan.of_folder = std::move(folder.sentence);
  if (const auto spec = agents_.find(plan.agent)) keep_within(plugins::session_support(*spec), plan.launch);
  if (plan.launch.start == plugins::SessionStart::New) plan.knows = turn::SessionKnows::Nothing;
  if (link_serves(plan)) plan.knows = turn::SessionKnows::EarlierTurns;
  return session;
}

Outcome<AgentPlace> DocumentSession::Impl::agent_place(const std::string& agent) const {
  RunRequest request;
  request.agent = agent;
  Outcome<SessionPlan> planned = plan_agent(markdown::read_front_matter(manuscript_.text()), request);
  if (auto* refusal = std::get_if<Refusal>(&planned)) return std::move(*refusal);
  SessionPlan& plan = std::get<SessionPlan>(planned);
  return AgentPlace{std::move(plan.agent), std::move(plan.launch.cwd)};
}

bool DocumentSession::Impl::stop() {
  if (!turn_running()) return false;
  if (turn_->is_cancelling()) {
    link_->stop(process::StopUrgency::Normal);
    settle();
    return true;
  }
  permissions_.close();
  turn_->cancel(host_.now() + document_session_internal::kCancelGrace);
  link_->cancel();
  settle();
  return true;
}

Outcome<std::string> DocumentSession::Impl::new_session() {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
  if (!manuscript_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
  retire_link(process::StopUrgency::Normal);
  for (const char* key : {"resume", "forked_from"}) {
    manuscript_.propose([key](const text::TextBuffer& document) { return markdown::remove_key(document.text(), key); });
  }
  settle();
  return std::string();
}

Outcome<ForkedDocument> DocumentSession::Impl::fork(std::string_view path_of_fork, std::optional<std::size_t> turn) const {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": fork it when the turn has ended"};
  const std::string& text = manuscript_.text();
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const std::vector<std::size_t> replies = ends_of_replies(text, front_matter);
  const std::string named = front_matter.value_of("agent");
  ForkLink link;
  link.file = relative_name(name_.path, path_of_fork);
  link.turn = turn.value_or(replies.size());
  if (link.turn == replies.size()) link.session = session_id_of(front_matter, named.empty() ? agents_.default_agent() : named);
  if (!turn) {
    if (!link.session.empty()) return ForkedDocument{fork_document(text, link, host_.make_uuid())};
    return Refusal{RefusalKind::NoSession, name() + " has no session to fork yet: run it once, or copy the file"};
  }
  if (*turn == 0 || *turn > replies.size()) {
    const std::string count = replies.size() == 1 ? "1 reply" : std::to_string(replies.size()) + " replies";
    return Refusal{RefusalKind::Invalid, name() + " has " + count + ": there is no turn " + std::to_string(*turn) + " to fork it at"};
  }
  const std::string kept = text_up_to(text, replies[*turn - 1], text::most_frequent_line_end(text));
  return ForkedDocument{fork_document(kept, link, host_.make_uuid())};
}

bool DocumentSession::Impl::answer(std::string_view turn, std::string_view permission, std::string_view option) {
  if (!turn_ || turn != turn_->id() || !permissions_.answer(permission, std::string(option))) return false;
  settle();
  return true;
}

Outcome<std::string> DocumentSession::Impl::continue_reply() {
  if (!turn_ || !manuscript_.is_open()) return Refusal{RefusalKind::Invalid, "there is no reply to write in " + name()};
  ReplyInDocument& reply = turn_->reply();
  if (!reply.has_stopped()) return Refusal{RefusalKind::Invalid, "the reply in " + name() + " is complete"};
  if (reply.is_paused()) {
    reply.resume();
  } else {
    const ReplyPlace place = reply.find_place();
    if (engine().in_flight() && std::holds_alternative<PlaceInReply>(place)) {
      return Refusal{RefusalKind::Busy, "an edit of " + name() + " is under way: try again in a moment"};
    }
    reply.put(place);
  }
  propose_lost_front_matter();
  settle();
  return std::string();
}

Outcome<std::string> DocumentSession::Impl::write_text(std::string base, std::string text) {
  if (turn_running()) return Refusal{RefusalKind::Busy, "a reply is being written into " + name() + ": try again when it is complete"};
  if (!manuscript_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor"};
  manuscript_.propose(
      [base = std::move(base), text = std::move(text)](const text::TextBuffer& now) { return agent_write(base, text, now.text()); },
      sync::ProposalEnd::Landed);
  settle();
  return std::string();
}

std::optional<TimePoint> DocumentSession::Impl::next_wakeup() const {
  std::optional<TimePoint> due = manuscript_.wakeup();
  if (const std::optional<TimePoint> of_turn = turn_ ? turn_->wakeup() : std::nullopt; of_turn && (!due || *of_turn < *due)) due = of_turn;
  // A link must not be destroyed from inside its own last call.
  if (std::any_of(retired_.begin(), retired_.end(), [](const auto& link) { return link->gone(); })) return host_.now();
  return due;
}

void DocumentSession::Impl::wake() {
  std::erase_if(retired_, [](const std::unique_ptr<AgentLink>& link) { return link->gone(); });
  if (turn_ && turn_->take_overdue_cancel(host_.now()) && link_) link_->stop(process::StopUrgency::Normal);
  settle();
}

void DocumentSession::Impl::shut_down() {
  permissions_.close();
  if (turn_running()) {
    end_turn_from_outside(turn::TurnState::Interrupted, plugins::FailureKind::Unknown, "the server ended while the turn was running");
  }
  retire_link(process::StopUrgency::Shutdown);
  for (const std::unique_ptr<AgentLink>& link : retired_) link->retire(process::StopUrgency::Shutdown);
  settle();
}

bool DocumentSession::Impl::agent_gone() const {
  return (!link_ || link_->gone()) && std::all_of(retired_.begin(), retired_.end(), [](const auto& link) { return link->gone(); });
}

bool DocumentSession::Impl::can_continue_reply() const {
  return turn_ && turn_->reply().has_stopped();
}

std::optional<TurnView> DocumentSession::Impl::turn_view() const {
  if (!turn_) return std::nullopt;
  return turn_->view(host_.now());
}

Continuation DocumentSession::Impl::continuation() const {
  return turn_ ? turn_->reply().continuation() : Continuation::None;
}

std::string DocumentSession::Impl::name() const {
  const std::size_t slash = name_.path.rfind('/');
  return slash == std::string::npos ? name_.path : name_.path.substr(slash + 1);
}

std::string DocumentSession::Impl::said_by_agent(std::string_view message) const {
  const std::string& agent = turn_->agent();
  if (const std::string prefix = agent + ": "; message.starts_with(prefix)) message.remove_prefix(prefix.size());
  return agent + " in " + name() + ": " + std::string(message);
}

DocumentSession::DocumentSession(DocumentName name, text::PositionEncoding encoding, Pace pace, const AgentDirectory& agents,
                                 DocumentHost& host)
    : impl_(std::make_unique<Impl>(std::move(name), encoding, pace, agents, host)) {}
DocumentSession::~DocumentSession() = default;

void DocumentSession::did_open(sync::Version version, std::string text, OpenedBy by) {
  impl_->did_open(version, std::move(text), by);
}
void DocumentSession::moved(DocumentName name) {
  impl_->moved(std::move(name));
}
bool DocumentSession::stands_in(std::string_view text) const {
  return impl_->stands_in(text);
}
Continuation DocumentSession::continuation() const {
  return impl_->continuation();
}
void DocumentSession::did_change(sync::Version version, const std::vector<sync::ContentChange>& changes) {
  impl_->did_change(version, changes);
}
void DocumentSession::did_save() {
  impl_->did_save();
}
void DocumentSession::did_close() {
  impl_->did_close();
}
void DocumentSession::edit_answered(sync::Answer answer) {
  impl_->edit_answered(answer);
}
Outcome<std::string> DocumentSession::run(const RunRequest& request) {
  return impl_->run(request);
}
Outcome<std::string> DocumentSession::retry() {
  return impl_->retry();
}
bool DocumentSession::stop() {
  return impl_->stop();
}
Outcome<std::string> DocumentSession::new_session() {
  return impl_->new_session();
}
Outcome<ForkedDocument> DocumentSession::fork(std::string_view path_of_fork, std::optional<std::size_t> turn) const {
  return impl_->fork(path_of_fork, turn);
}
bool DocumentSession::answer(std::string_view turn, std::string_view permission, std::string_view option) {
  return impl_->answer(turn, permission, option);
}
Outcome<std::string> DocumentSession::continue_reply() {
  return impl_->continue_reply();
}
Outcome<std::string> DocumentSession::recover_reply() {
  return impl_->recover_reply();
}
Outcome<std::string> DocumentSession::write_text(std::string base, std::string text) {
  return impl_->write_text(std::move(base), std::move(text));
}
std::optional<TimePoint> DocumentSession::next_wakeup() const {
  return impl_->next_wakeup();
}
void DocumentSession::wake() {
  impl_->wake();
}
void DocumentSession::shut_down() {
  impl_->shut_down();
}
bool DocumentSession::agent_gone() const {
  return impl_->agent_gone();
}
const std::string& DocumentSession::uri() const {
  return impl_->uri();
}
const sync::SyncEngine& DocumentSession::engine() const {
  return impl_->engine();
}
std::optional<TurnView> DocumentSession::turn_view() const {
  return impl_->turn_view();
}
std::optional<TurnView> DocumentSession::turn_at(std::size_t begin, std::size_t end) const {
  return impl_->turn_at(begin, end);
}
bool DocumentSession::has_turn() const {
  return impl_->has_turn();
}
std::optional<sync::RegionExtent> DocumentSession::reply_extent() const {
  return impl_->reply_extent();
}
bool DocumentSession::turn_running() const {
  return impl_->turn_running();
}
bool DocumentSession::can_continue_reply() const {
  return impl_->can_continue_reply();
}
bool DocumentSession::can_recover_reply() const {
  return impl_->can_recover_reply();
}
Outcome<AgentPlace> DocumentSession::agent_place(const std::string& agent) const {
  return impl_->agent_place(agent);
}

}  // namespace agent_doc::session
