#include "server/session/document_session.hpp"

#include "server/markdown/turns.hpp"
#include "server/session/agent_link.hpp"
#include "server/session/front_matter_values.hpp"
#include "server/session/fork.hpp"
#include "server/session/reply_writer.hpp"
#include "server/session/retry_plan.hpp"

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>

namespace agent_doc::session {

namespace document_session_internal {

/// An agent that was asked to stop a turn and does not is stopped by signals after this.
constexpr std::chrono::milliseconds kCancelGrace{2000};

std::string file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

turn::Permission to_permission(const plugins::PermissionAsked& asked) {
  return turn::Permission{std::string(asked.id), std::string(asked.tool), std::string(asked.detail), asked.options};
}

}  // namespace document_session_internal

class DocumentSession::Impl final : private AgentLinkOwner {
 public:
  Impl(std::string uri, std::string path, std::string workspace, text::PositionEncoding encoding, Pace pace, const AgentDirectory& agents,
       DocumentHost& host)
      : uri_(std::move(uri)), path_(std::move(path)), workspace_(std::move(workspace)), agents_(agents), host_(host), engine_(encoding), pacer_(engine_, pace) {}

  // --- the client's text ---

  void did_open(sync::Version version, std::string text) {
    engine_.did_open(version, std::move(text));
    pacer_.client_changed(host_.now());
    settle();
  }

  void did_change(sync::Version version, std::vector<sync::ContentChange> changes) {
    engine_.did_change(version, std::move(changes));
    pacer_.client_changed(host_.now());
    settle();
  }

  void did_close() {
    engine_.did_close();
    cancel_permissions();  // nobody is there to answer
    if (!turn_running()) retire_link(process::StopUrgency::Normal);
    settle();
  }

  void edit_answered(sync::Answer answer) {
    pacer_.answered(answer, host_.now());
    settle();
  }

  // --- commands ---

  Outcome<std::string> run(const RunRequest& request) {
    if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + " already: stop it or wait for its end"};
    if (!engine_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again, then run"};
    const markdown::FrontMatter front_matter = markdown::read_front_matter(engine_.shadow().text());
    Outcome<SessionPlan> session = plan_session(front_matter, request, agents_.default_agent(), workspace_);
    if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
    const SessionPlan& plan = std::get<SessionPlan>(session);
    const bool new_session = plan.launch.start == plugins::SessionStart::New && !link_serves(plan);
    Outcome<TurnPlan> turn = plan_turn(engine_.shadow(), front_matter, request, new_session ? turn::SessionKnows::Nothing : turn::SessionKnows::EarlierTurns);
    if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
    if (const std::optional<Refusal> refusal = connect(plan)) return *refusal;
    remember_turn();
    request_ = request;
    begin_turn(std::move(std::get<TurnPlan>(turn)), front_matter, std::nullopt);
    return turn_id_;
  }

  /// A reply that a person has written into stays as it is: taking back only the agent's part of it would tear the rest apart.
  Outcome<std::string> retry() {
    if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
    if (!turn_) return Refusal{RefusalKind::Invalid, "nothing was run in " + name() + " since agent-doc started: write a prompt and run it"};
    const std::string reply = standing_reply();
    if (reply.empty()) return run(RunRequest(request_));
    if (!reply_landed()) return Refusal{RefusalKind::Busy, "the last reply is not all written into " + name() + " yet: try again in a moment"};
    const std::optional<sync::RegionExtent> extent = reply_extent();
    if (!extent || engine_.shadow().text().substr(extent->begin, extent->end - extent->begin) != reply) {
      return Refusal{RefusalKind::Invalid, "the last reply in " + name() + " was edited, so it is not replaced: ask again under the last `## User` heading"};
    }
    const markdown::FrontMatter front_matter = markdown::read_front_matter(engine_.shadow().text());
    Outcome<SessionPlan> session = plan_session(front_matter, RunRequest{}, agents_.default_agent(), workspace_);
    if (const auto* refusal = std::get_if<Refusal>(&session)) return *refusal;
    const SessionPlan& plan = std::get<SessionPlan>(session);
    const bool new_session = plan.launch.start == plugins::SessionStart::New && !link_serves(plan);
    Outcome<TurnPlan> turn = plan_retry(engine_.shadow(), front_matter, extent->begin, new_session ? turn::SessionKnows::Nothing : turn::SessionKnows::EarlierTurns);
    if (const auto* refusal = std::get_if<Refusal>(&turn)) return *refusal;
    if (const std::optional<Refusal> refusal = connect(plan)) return *refusal;
    replaced_reply_ = reply;
    begin_turn(std::move(std::get<TurnPlan>(turn)), front_matter, writer_->region());
    return turn_id_;
  }

  bool stop() {
    if (!turn_running()) return false;
    if (cancel_deadline_) {
      link_->stop(process::StopUrgency::Normal);
      settle();
      return true;
    }
    cancel_permissions();
    cancel_deadline_ = host_.now() + document_session_internal::kCancelGrace;
    told_revision_.reset();
    link_->cancel();
    settle();
    return true;
  }

  Outcome<std::string> new_session() {
    if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": stop it or wait for its end"};
    if (!engine_.is_open()) return Refusal{RefusalKind::NotOpen, name() + " is not in step with the editor: open it again"};
    retire_link(process::StopUrgency::Normal);
    for (const char* key : {"resume", "forked_from"}) {
      engine_.propose([key](const text::TextBuffer& document) { return markdown::remove_key(document.text(), key); });
    }
    pacer_.look_again();
    settle();
    return std::string();
  }

  Outcome<ForkedDocument> fork(std::string_view path_of_fork) const {
    if (turn_running()) return Refusal{RefusalKind::Busy, "a turn is running in " + name() + ": fork it when the turn has ended"};
    const std::string& text = engine_.shadow().text();
    const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
    const std::string named = front_matter.value_of("agent");
    ForkLink link;
    link.session = session_id_of(front_matter, named.empty() ? agents_.default_agent() : named);
    if (link.session.empty()) {
      return Refusal{RefusalKind::NoSession, name() + " has no session to fork yet: run it once, or copy the file"};
    }
    link.file = relative_name(path_, path_of_fork);
    link.turns = markdown::find_turns(text, front_matter.body_begin).turns.size();
    return ForkedDocument{fork_document(text, link, host_.make_uuid())};
  }

  bool answer(std::string_view turn, std::string_view permission, std::string_view option) {
    if (turn != turn_id_ || permissions_.empty() || permissions_.front().id != permission) return false;
    const std::vector<plugins::PermissionOption>& options = permissions_.front().options;
    const bool offered = std::any_of(options.begin(), options.end(), [&](const plugins::PermissionOption& o) { return o.id == option; });
    if (!option.empty() && !offered) return false;
    const std::string id(permission);
    permission_done();
    link_->answer(id, option);
    settle();
    return true;
  }

  Outcome<std::string> continue_reply() {
    if (!turn_ || !engine_.is_open()) return Refusal{RefusalKind::Invalid, "there is no reply to write in " + name()};
    const sync::RegionState state = engine_.region_state(writer_->region());
    if (state == sync::RegionState::Paused) {
      engine_.resume_region(writer_->region());
    } else if (state == sync::RegionState::Detached) {
      write_reply_at_end();
    } else {
      return Refusal{RefusalKind::Invalid, "the reply in " + name() + " is complete"};
    }
    pacer_.look_again();
    settle();
    return std::string();
  }

  bool has_turn() const { return turn_.has_value(); }

  std::optional<sync::RegionExtent> reply_extent() const {
    if (!turn_) return std::nullopt;
    return engine_.region_extent(writer_->region());
  }

  std::optional<TurnView> turn_at(std::size_t begin, std::size_t end) const {
    const auto is_inside = [&](std::optional<std::size_t> place) { return place && begin <= *place && *place <= end; };
    const std::optional<sync::RegionExtent> reply = reply_extent();
    if (reply && is_inside(reply->begin)) return turn_view();
    const auto found = std::find_if(past_turns_.begin(), past_turns_.end(), [&](const PastTurn& past) { return is_inside(engine_.anchor(past.place)); });
    if (found == past_turns_.end()) return std::nullopt;
    return found->view;
  }

  // --- time ---

  std::optional<TimePoint> next_wakeup() const {
    std::optional<TimePoint> due = pacer_.wakeup();
    if (cancel_deadline_ && (!due || *cancel_deadline_ < *due)) due = cancel_deadline_;
    // A link must not be destroyed from inside its own last call.
    if (std::any_of(retired_.begin(), retired_.end(), [](const auto& link) { return link->gone(); })) return host_.now();
    return due;
  }

  void wake() {
    std::erase_if(retired_, [](const std::unique_ptr<AgentLink>& link) { return link->gone(); });
    if (cancel_deadline_ && host_.now() >= *cancel_deadline_) {
      cancel_deadline_.reset();
      if (link_) link_->stop(process::StopUrgency::Normal);
    }
    settle();
  }

  void shut_down() {
    cancel_permissions();
    if (turn_running()) {
      end_turn_from_outside(turn::TurnState::Interrupted, plugins::FailureKind::Unknown, "the server ended while the turn was running");
    }
    retire_link(process::StopUrgency::Shutdown);
    for (const std::unique_ptr<AgentLink>& link : retired_) link->stop(process::StopUrgency::Shutdown);
    settle();
  }

  bool agent_gone() const {
    return (!link_ || link_->gone()) && std::all_of(retired_.begin(), retired_.end(), [](const auto& link) { return link->gone(); });
  }

  const std::string& uri() const { return uri_; }
  const sync::SyncEngine& engine() const { return engine_; }
  bool turn_running() const { return turn_ && !turn::is_terminal(turn_->state()); }

  bool can_continue_reply() const {
    if (!turn_) return false;
    const sync::RegionState state = engine_.region_state(writer_->region());
    return state == sync::RegionState::Paused || state == sync::RegionState::Detached;
  }

  std::optional<TurnView> turn_view() const {
    if (!turn_) return std::nullopt;
    TurnView view;
    view.turn = turn_id_;
    view.state = turn_->state();
    view.phase = turn_->phase();
    view.status = cancel_deadline_ ? "stopping" : turn_->status();
    view.agent = agent_;
    view.model = turn_->model();
    view.session_id = turn_->session_id();
    view.usage = turn_->usage();
    const TimePoint until = turn_running() ? host_.now() : ended_at_;
    view.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(until - began_at_);
    view.failure_kind = turn_->failure_kind();
    view.failure = turn_->state() == turn::TurnState::Failed ? turn_->failure_message() : std::string();
    view.health = turn_->health().sentence();
    view.permission = turn_->permission();
    view.reply_landed = reply_landed();
    view.can_continue = can_continue_reply();
    return view;
  }

 private:
  struct PastTurn {
    sync::AnchorId place;  ///< where its reply begins
    TurnView view;
  };

  std::string name() const { return document_session_internal::file_name(path_); }

  // --- the agent ---

  /// Whether the agent that is running already holds the session that `plan` wants.
  bool link_serves(const SessionPlan& plan) const {
    if (!link_ || !link_->running() || link_->lives_for_one_turn() || link_->spec().name != plan.agent) return false;
    if (link_->request().model != plan.launch.model || link_->request().cwd != plan.launch.cwd) return false;
    return plan.launch.start == plugins::SessionStart::Resume && plan.launch.session_id == link_session_;
  }

  std::optional<Refusal> connect(const SessionPlan& plan) {
    if (link_serves(plan)) return std::nullopt;
    const std::optional<plugins::AgentSpec> spec = agents_.find(plan.agent);
    std::unique_ptr<plugins::AgentProtocol> protocol = spec ? plugins::make_protocol(*spec) : nullptr;
    if (!protocol) return Refusal{RefusalKind::UnknownAgent, "there is no agent called " + plan.agent + ": " + agents_.how_to_get(plan.agent)};
    retire_link(process::StopUrgency::Normal);
    auto link = std::make_unique<AgentLink>(*spec, std::move(protocol), static_cast<AgentLinkOwner&>(*this));
    const auto started = link->start(plan.launch, [this](const plugins::Launch& launch, process::ChildObserver& observer) { return host_.launch(launch, observer); });
    if (!started) {
      return Refusal{RefusalKind::UnknownAgent, "the agent " + plan.agent + " could not be started (`" + spec->command + "`: " + started.error().message() +
                                                    "): " + agents_.how_to_get(plan.agent)};
    }
    link_ = std::move(link);
    link_session_.clear();
    agent_ = plan.agent;
    return std::nullopt;
  }

  void retire_link(process::StopUrgency urgency) {
    if (!link_) return;
    link_->disown();
    link_->stop(urgency);
    retired_.push_back(std::move(link_));
  }

  void on_agent_line(std::size_t bytes) override {
    if (turn_running()) turn_->on_line(bytes);
  }

  void on_agent_event(const plugins::AgentEvent& event) override {
    if (!turn_running()) {
      hear_outside_of_turn(event);
      return;
    }
    if (const auto* asked = std::get_if<plugins::PermissionAsked>(&event)) {
      permissions_.push_back(document_session_internal::to_permission(*asked));
      if (permissions_.size() == 1) ask_permission();
      return;
    }
    if (const auto* withdrawn = std::get_if<plugins::PermissionWithdrawn>(&event)) {
      withdraw_permission(withdrawn->id);
      return;
    }
    if (const auto* notice = std::get_if<plugins::Notice>(&event); notice != nullptr && notice->kind == plugins::NoticeKind::Warning) {
      host_.show_message(MessageKind::Warning, agent_ + " in " + name() + ": " + std::string(notice->text));
    }
    turn_->on_event(event);
    if (const auto* started = std::get_if<plugins::SessionStarted>(&event)) session_started(*started);
    if (turn::is_terminal(turn_->state())) turn_ended();
  }

  void on_agent_settled() override {
    settle();
    host_.wakeup_changed();
  }

  /// Nothing that an agent says is lost: a background task may end after its turn.
  void hear_outside_of_turn(const plugins::AgentEvent& event) {
    const auto* said = std::get_if<plugins::Snapshot>(&event);
    if (said == nullptr || said->kind != plugins::BlockKind::Text || !said->key.lane.empty() || said->text.empty()) return;
    host_.show_message(MessageKind::Info, agent_ + " said after its turn in " + name() + ": " + std::string(said->text));
  }

  // --- permission questions: one is asked at a time ---

  void ask_permission() {
    const turn::Permission& permission = permissions_.front();
    turn_->on_event(plugins::PermissionAsked{permission.id, permission.tool, permission.detail, permission.options});
    host_.ask_permission(turn_id_, permission);
  }

  /// The first question needs no answer any more; the next one is asked.
  void permission_done() {
    const std::string id = permissions_.front().id;
    permissions_.erase(permissions_.begin());
    turn_->permission_answered();
    host_.withdraw_permission(turn_id_, id);
    if (!permissions_.empty()) ask_permission();
  }

  void withdraw_permission(std::string_view id) {
    const auto at = std::find_if(permissions_.begin(), permissions_.end(), [&](const turn::Permission& p) { return p.id == id; });
    if (at == permissions_.end()) return;
    if (at == permissions_.begin()) {
      permission_done();
    } else {
      permissions_.erase(at);
    }
  }

  void cancel_permissions() {
    while (!permissions_.empty()) {
      const std::string id = permissions_.front().id;
      permission_done();
      if (link_) link_->answer(id, {});
    }
  }

  // --- the turn ---

  /// What stands at the place of the last turn's reply if nobody changed it: its own, or that of the turn before which it would have replaced.
  std::string standing_reply() const { return turn_->reply().has_text() ? with_line_ends(turn_->reply().text(), line_end_) : replaced_reply_; }

  /// The turn that is over, before the next one takes its place.
  void remember_turn() {
    const std::optional<sync::RegionExtent> extent = reply_extent();
    if (!extent) return;
    past_turns_.push_back({engine_.add_anchor(extent->begin), *turn_view()});
    if (past_turns_.size() > sync::kMaxAnchors) past_turns_.pop_front();
  }

  /// `rewritten`: the region of the reply that this turn's reply takes the place of.
  void begin_turn(TurnPlan plan, const markdown::FrontMatter& front_matter, std::optional<sync::RegionId> rewritten) {
    turn_id_ = host_.make_uuid();
    began_at_ = host_.now();
    cancel_deadline_.reset();
    landed_told_ = false;
    stuck_told_ = false;
    told_revision_.reset();
    propose_identity(front_matter);
    if (!rewritten) {
      line_end_ = line_end_of(engine_.shadow());
      replaced_reply_.clear();
    }
    writer_ = std::make_unique<ReplyWriter>(engine_, line_end_, [this](std::size_t offset, std::string_view text) {
      pacer_.text_came(text, host_.now());
      host_.reply_changed(turn_id_, offset, text);
    });
    if (rewritten) {
      engine_.reopen_region(*rewritten, replaced_reply_);
      writer_->write_over(*rewritten);
    } else {
      writer_->write_to(engine_.open_region(plan.frame_at, std::move(plan.frame)));
    }
    turn_.emplace(plan.rounds, plan.thinking, *writer_);
    pacer_.turn_began();
    if (!plan.warning.empty()) host_.show_message(MessageKind::Warning, name() + ": " + plan.warning);
    link_->begin_turn(plugins::TurnRequest{std::move(plan.prompt)});
    settle();
  }

  /// Which document this is and who replies in it, where it does not say so itself.
  void propose_identity(const markdown::FrontMatter& front_matter) {
    std::vector<FrontMatterValue> missing;
    if (front_matter.value_of("agent_doc_session").empty()) missing.push_back({"agent_doc_session", host_.make_uuid()});
    if (front_matter.value_of("agent").empty()) missing.push_back({"agent", agent_});
    propose(std::move(missing));
  }

  void propose(std::vector<FrontMatterValue> values) {
    if (values.empty()) return;
    engine_.propose([values = std::move(values), agent = agent_](const text::TextBuffer& document) {
      return set_front_matter(document.text(), values, agent);
    });
    pacer_.look_again();
  }

  void session_started(const plugins::SessionStarted& started) {
    const std::string id(started.session_id);
    if (id.empty() || id == link_session_) return;
    const bool resumed = link_->request().start == plugins::SessionStart::Resume;
    if (resumed && link_session_.empty() && id != link_->request().session_id) {
      host_.show_message(MessageKind::Warning, agent_ + " did not go on with session " + link_->request().session_id + " of " + name() +
                                                   " but began " + id + ": it may not know what was said before");
    }
    link_session_ = id;
    propose({{"resume", id}});
  }

  void end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind, std::string_view message) {
    turn_->end(state, kind, message);
    turn_ended();
  }

  void turn_ended() {
    ended_at_ = host_.now();
    cancel_deadline_.reset();
    while (!permissions_.empty()) {
      host_.withdraw_permission(turn_id_, permissions_.front().id);
      permissions_.erase(permissions_.begin());
    }
    if (turn_->reply().has_text()) {
      engine_.finish_region(writer_->region());
    } else {
      engine_.retract_region(writer_->region());
    }
    pacer_.turn_ended();
    if (turn_->state() == turn::TurnState::Failed) host_.show_message(MessageKind::Error, agent_ + " in " + name() + ": " + turn_->failure_message());
    if (const std::string warning = turn_->health().warning(); !warning.empty()) host_.show_message(MessageKind::Warning, agent_ + ": " + warning);
    host_.log(name() + ": turn " + std::string(turn::name_of(turn_->state())) + "; " + turn_->health().sentence());
    if (!engine_.is_open()) retire_link(process::StopUrgency::Normal);
  }

  bool reply_landed() const { return !engine_.in_flight() && !engine_.wants_to_write() && !can_continue_reply(); }

  void write_reply_at_end() {
    const std::string& text = engine_.shadow().text();
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    const std::size_t at = last == std::string::npos ? text.size() : last + 1;
    const markdown::InlineFrame frame = markdown::make_frame(text, at, line_end_);
    writer_->write_to(engine_.open_region(at, sync::Frame{frame.head, frame.tail}));
    engine_.append(writer_->region(), with_line_ends(turn_->reply().text(), line_end_));
    if (!turn_running()) engine_.finish_region(writer_->region());
  }

  // --- after everything that happened ---

  void settle() {
    for (const sync::Notice& notice : engine_.take_notices()) tell(notice);
    const TimePoint now = host_.now();
    if (const std::optional<sync::OutgoingEdit> edit = pacer_.next(now)) host_.send_edit(*edit);
    for (const sync::Notice& notice : engine_.take_notices()) tell(notice);
    tell_turn();
  }

  void tell_turn() {
    if (!turn_) return;
    const bool landed = !turn_running() && reply_landed();
    const bool stuck = can_continue_reply();
    if (told_revision_ == turn_->revision() && landed == landed_told_ && stuck == stuck_told_) return;
    told_revision_ = turn_->revision();
    landed_told_ = landed;
    stuck_told_ = stuck;
    host_.turn_changed(*turn_view());
  }

  void tell(const sync::Notice& notice) {
    const bool of_this_reply = writer_ && notice.region && *notice.region == writer_->region();
    switch (notice.kind) {
      case sync::NoticeKind::RegionPaused:
        if (of_this_reply) host_.show_message(MessageKind::Info, "Text of the reply in " + name() + " was taken back: agent-doc stopped writing it. “Write the rest of the reply” goes on.");
        return;
      case sync::NoticeKind::RegionResumed: return;
      case sync::NoticeKind::RegionDetached:
        if (of_this_reply) host_.show_message(MessageKind::Warning, "The place of the reply in " + name() + " was deleted. “Write the rest of the reply” puts the whole reply at the end of the document.");
        return;
      case sync::NoticeKind::ShadowLost:
        host_.show_message(MessageKind::Error, "agent-doc and the editor disagree about the text of " + name() + ": nothing more is written. Close the document and open it again.");
        return;
      case sync::NoticeKind::ClientIgnoresVersions:
        pacer_.wait_for_silence();
        host_.log(name() + ": the editor does not check versions of edits; edits wait for silence now");
        return;
      case sync::NoticeKind::ClientKeepsRefusing:
        host_.show_message(MessageKind::Warning, "The editor keeps refusing to change " + name() + " (is it read-only?). The reply goes on as soon as the document changes.");
        return;
    }
  }

  std::string uri_;
  std::string path_;
  std::string workspace_;
  const AgentDirectory& agents_;
  DocumentHost& host_;
  sync::SyncEngine engine_;
  EditPacer pacer_;

  std::string agent_;
  std::unique_ptr<AgentLink> link_;
  std::string link_session_;  ///< what the running agent said its session is
  std::vector<std::unique_ptr<AgentLink>> retired_;

  std::string turn_id_;
  RunRequest request_;  ///< of the last run
  std::string line_end_;
  std::string replaced_reply_;  ///< with the document's line ends; stands until this turn's reply has text. Only after retry()
  std::unique_ptr<ReplyWriter> writer_;
  std::optional<turn::Turn> turn_;
  std::deque<PastTurn> past_turns_;
  std::vector<turn::Permission> permissions_;  ///< the first one is asked
  TimePoint began_at_{};
  TimePoint ended_at_{};
  std::optional<TimePoint> cancel_deadline_;
  std::optional<std::uint64_t> told_revision_;
  bool landed_told_ = false;
  bool stuck_told_ = false;
};

DocumentSession::DocumentSession(std::string uri, std::string path, std::string workspace, text::PositionEncoding encoding, Pace pace,
                                 const AgentDirectory& agents, DocumentHost& host)
    : impl_(std::make_unique<Impl>(std::move(uri), std::move(path), std::move(workspace), encoding, pace, agents, host)) {}
DocumentSession::~DocumentSession() = default;

void DocumentSession::did_open(sync::Version version, std::string text) { impl_->did_open(version, std::move(text)); }
void DocumentSession::did_change(sync::Version version, std::vector<sync::ContentChange> changes) { impl_->did_change(version, std::move(changes)); }
void DocumentSession::did_close() { impl_->did_close(); }
void DocumentSession::edit_answered(sync::Answer answer) { impl_->edit_answered(answer); }
Outcome<std::string> DocumentSession::run(const RunRequest& request) { return impl_->run(request); }
Outcome<std::string> DocumentSession::retry() { return impl_->retry(); }
bool DocumentSession::stop() { return impl_->stop(); }
Outcome<std::string> DocumentSession::new_session() { return impl_->new_session(); }
Outcome<ForkedDocument> DocumentSession::fork(std::string_view path_of_fork) const { return impl_->fork(path_of_fork); }
bool DocumentSession::answer(std::string_view turn, std::string_view permission, std::string_view option) { return impl_->answer(turn, permission, option); }
Outcome<std::string> DocumentSession::continue_reply() { return impl_->continue_reply(); }
std::optional<TimePoint> DocumentSession::next_wakeup() const { return impl_->next_wakeup(); }
void DocumentSession::wake() { impl_->wake(); }
void DocumentSession::shut_down() { impl_->shut_down(); }
bool DocumentSession::agent_gone() const { return impl_->agent_gone(); }
const std::string& DocumentSession::uri() const { return impl_->uri(); }
const sync::SyncEngine& DocumentSession::engine() const { return impl_->engine(); }
std::optional<TurnView> DocumentSession::turn_view() const { return impl_->turn_view(); }
std::optional<TurnView> DocumentSession::turn_at(std::size_t begin, std::size_t end) const { return impl_->turn_at(begin, end); }
bool DocumentSession::has_turn() const { return impl_->has_turn(); }
std::optional<sync::RegionExtent> DocumentSession::reply_extent() const { return impl_->reply_extent(); }
bool DocumentSession::turn_running() const { return impl_->turn_running(); }
bool DocumentSession::can_continue_reply() const { return impl_->can_continue_reply(); }

}  // namespace agent_doc::session
