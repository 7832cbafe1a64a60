// What it is: the inside of a DocumentSession. Its methods are in four files: document_session.cpp has what comes from the client, document_session_agent.cpp
// what comes from the agent, document_session_turn.cpp the life of a turn, document_session_past.cpp turns that are over, and running one again.
// What it is not: for others; they include document_session.hpp.
// Thread rule: as DocumentSession.
#pragma once

#include "server/session/agent_link.hpp"
#include "server/session/current_turn.hpp"
#include "server/session/document_session.hpp"
#include "server/session/manuscript.hpp"
#include "server/session/permission_broker.hpp"

#include <deque>
#include <utility>

namespace agent_doc::session {

class DocumentSession::Impl final : private AgentLinkOwner, private PermissionBrokerOwner {
 public:
  Impl(DocumentName name, text::PositionEncoding encoding, Pace pace, const AgentDirectory& agents, DocumentHost& host)
      : name_(std::move(name)), agents_(agents), host_(host), manuscript_(encoding, pace), permissions_(*this) {}

  // --- the client's text ---

  void did_open(sync::Version version, std::string text, OpenedBy by);
  void did_change(sync::Version version, const std::vector<sync::ContentChange>& changes);
  void did_save();
  void did_close();
  void edit_answered(sync::Answer answer);

  // --- commands ---

  Outcome<std::string> run(const RunRequest& request);
  Outcome<std::string> retry();
  bool stop();
  Outcome<std::string> new_session();
  Outcome<ForkedDocument> fork(std::string_view path_of_fork, std::optional<std::size_t> turn) const;
  bool answer(std::string_view turn, std::string_view permission, std::string_view option);
  Outcome<std::string> continue_reply();
  Outcome<std::string> recover_reply();
  Outcome<std::string> write_text(std::string base, std::string text);

  // --- time ---

  std::optional<TimePoint> next_wakeup() const;
  void wake();
  void shut_down();
  bool agent_gone() const;

  const std::string& uri() const { return name_.uri; }
  const sync::SyncEngine& engine() const { return manuscript_.engine(); }
  bool turn_running() const { return turn_ && turn_->is_running(); }

  bool can_continue_reply() const;
  Continuation continuation() const;
  bool stands_in(std::string_view text) const;
  void moved(DocumentName name);
  bool can_recover_reply() const { return unsaved_.has_value() && !recovering_ && !turn_running(); }
  Outcome<AgentPlace> agent_place(const std::string& agent) const;
  bool has_turn() const { return turn_ != nullptr; }
  std::optional<sync::RegionExtent> reply_extent() const;
  std::optional<TurnView> turn_view() const;
  std::optional<TurnView> turn_at(std::size_t begin, std::size_t end) const;

 private:
  /// The reply of a turn that is run again, as nobody has changed it.
  struct ReplyToReplace {
    sync::RegionId region;
    std::string standing;
    std::string line_end;
  };
  /// What a turn begins with.
  struct Beginning {
    SessionPlan session;
    TurnPlan turn;
    RunRequest request;
    std::optional<ReplyToReplace> over;
  };
  struct Identity {
    std::string document;                   ///< its id
    std::vector<FrontMatterValue> missing;  ///< what the front matter does not say
  };
  struct PastTurn {
    sync::AnchorId place;  ///< where its reply begins
    TurnView view;
  };

  /// Of the file, for a person.
  std::string name() const;
  /// What the store calls the place of the document.
  const std::string& recorded_path() const { return name_.file.empty() ? name_.path : name_.file; }
  /// "AGENT in FILE: `message`"; the agent's name is said only once.
  std::string said_by_agent(std::string_view message) const;

  // --- the agent ---

  /// Which agent and session `request` means for the document, within what that agent can do.
  Outcome<SessionPlan> plan_agent(const markdown::FrontMatter& front_matter, const RunRequest& request) const;
  /// Whether the agent that is running already holds the session that `plan` wants.
  bool link_serves(const SessionPlan& plan) const;
  /// Takes the lease of an earlier session, too. A running agent goes on unless another process has used its session since: then it knows too little.
  /// Takes the document and the session for a turn, and connects to the agent.
  std::optional<Refusal> take(const SessionPlan& plan);
  std::optional<Refusal> connect(const SessionPlan& plan);
  Refusal could_not_start(const SessionPlan& plan, const plugins::AgentSpec& spec, const boost::system::error_code& error) const;
  /// For a person.
  std::string is_held(const std::string& agent, const SessionHolder& holder) const;
  void retire_link(process::StopUrgency urgency);
  void on_agent_line(std::size_t bytes) override;
  void on_agent_event(const plugins::AgentEvent& event) override;
  void on_prompt_sent() override;
  void on_agent_stderr(std::string_view bytes) override;
  plugins::FileAnswer read_file(const plugins::FileRead& request) override;
  plugins::FileAnswer write_file(const plugins::FileWrite& request) override;
  void on_last_words(const std::string& agent, const std::string& turn, std::string_view text) override;
  void on_agent_settled() override;
  /// Nothing that an agent says is lost: a background task may end after its turn.
  void hear_outside_of_turn(const plugins::AgentEvent& event);

  /// The agent cannot go on with the session that was asked for, and nothing of a reply came yet: its turn goes on in a new session, which is given the
  /// document to read. True when the event belongs to that.
  bool steps_down(const plugins::AgentEvent& event);
  void begin_anew();
  void session_started(const plugins::SessionStarted& started);
  /// The agent began it in this turn.
  void lease_new_session(const std::string& id);
  /// `id` belongs into the front matter.
  void note_session_as(const std::string& id);
  /// Writes the session into the front matter as soon as it may stand there.
  void note_session();

  // --- PermissionBrokerOwner ---

  void show_permission(const turn::Permission& permission) override;
  void hide_permission(const std::string& id) override;
  void answer_permission(const std::string& id, const std::string& option) override;
  void permission_denied(const turn::Permission& permission) override;

  // --- the turn ---

  /// Precondition: take() has succeeded for it.
  void begin_turn(Beginning beginning, const markdown::FrontMatter& front_matter);
  /// The turn that is over, before the next one takes its place.
  void remember_turn();
  /// Says which document this is and who replies in it. Keeps an id that was given up with the last reply.
  Identity identify(const markdown::FrontMatter& front_matter, const std::string& agent);
  /// Writes what the front matter lacks of `values`.
  void propose_front_matter(std::vector<FrontMatterValue> values, const std::string& agent);
  /// The client made something else of what was written, so nothing is written any more: what was on the way is not there.
  void on_client_rewrites();
  /// The person lets it go on.
  void propose_lost_front_matter();
  void end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind, std::string_view message);
  void turn_ended();

  /// The text that was opened has not what had been written into the one that was closed.
  void put_reply_into_opened_text();
  void tell_lost_by_opening();

  // --- the store ---

  void tell_journal_problem();
  /// The store knows whose session `resume` is, whatever `agent` says now.
  void learn_owner(const markdown::FrontMatter& front_matter);
  /// Whether the document lacks something of its last reply, as far as the store knows.
  void look_for_unsaved_reply(std::string_view text);
  void note_recovery();

  // --- after everything that happened ---

  void settle();
  void tell_turn();
  void tell(const sync::Notice& notice);

  DocumentName name_;
  const AgentDirectory& agents_;
  DocumentHost& host_;
  Manuscript manuscript_;
  std::unique_ptr<SessionLease> lease_;           ///< of the turn that runs
  std::unique_ptr<SessionLease> document_lease_;  ///< of the turn that runs: one at a time in this document, whatever its session
  SessionPlan session_plan_;                      ///< of the turn that runs
  turn::PromptSource prompt_;                     ///< of the turn that runs
  std::string lost_session_;                      ///< why the session cannot be had, in the agent's words, while its failed turn ends
  std::unique_ptr<AgentLink> link_;
  std::string link_session_;     ///< what the running agent said its session is
  std::uint64_t link_uses_ = 0;  ///< of link_session_, when this agent used it last; 0 when that is not known
  SessionOwners owners_;
  std::vector<std::unique_ptr<AgentLink>> retired_;
  PermissionBroker permissions_;
  std::optional<OpenedBy> opening_;  ///< while a text is taken in that may lack what another one had
  std::unique_ptr<CurrentTurn> turn_;
  std::deque<PastTurn> past_turns_;
  std::optional<store::UnsavedReply> unsaved_;
  bool recovering_ = false;  ///< its edit is on the way
  std::string placed_turn_;  ///< the turn whose reply is in the client's text as a whole, until that is saved
};

}  // namespace agent_doc::session
