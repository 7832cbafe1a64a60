// What it is: the agent of a document: which one a run means, its process and those that are being
// ended, its session and who may use it, and the new session where the agent has lost the old one.
// What it is not: the turn. It knows only that one holds it, from take() to release().
// Thread rule: not thread-safe; one per document.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/session/agent_link.hpp"
#include "server/session/composed_prompt.hpp"
#include "server/session/document_client.hpp"
#include "server/session/document_name.hpp"
#include "server/session/run_plan.hpp"
#include "server/session/seen_by_agents.hpp"
#include "server/session/session_lease.hpp"
#include "server/session/world.hpp"
#include "server/turn/prompt.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::session {

/// What a turn has to say to its agent.
struct ToSend {
  turn::PromptSource prompt;
  /// What the session has of the document (SeenByAgents::earlier_text()).
  std::function<std::optional<std::string>(const SessionPlan&, SessionUse)> earlier;
  std::string nothing_asked;  ///< as TurnPlan has it
  std::string again;  ///< sent where nothing else is: what a turn without a question that is run
                      ///< again has sent
};

class AgentConnection {
 public:
  /// All of them outlive it.
  AgentConnection(const DocumentName& name, World& world, DocumentClient& client,
                  AgentLinkOwner& owner)
      : name_(name), world_(world), client_(client), owner_(owner) {}

  // --- before a turn ---

  /// Returns which agent and session `request` means, within what that agent can do.
  Outcome<SessionPlan> plan(const markdown::FrontMatter& front_matter,
                            const RunRequest& request) const;
  /// Learns whose sessions `front_matter` names.
  void learn_owners(const markdown::FrontMatter& front_matter) { owners_.learn(front_matter); }
  /// Learns from the store whose session `resume` is, whatever `agent` says now.
  void learn_recorded_owner(const markdown::FrontMatter& front_matter);

  // --- for a turn ---

  /// Takes the document and the session, and connects to the agent. A running agent goes on unless
  /// another process has used its session since: then it knows too little.
  /// Refused when there is nothing to send.
  std::optional<Refusal> take(SessionPlan plan, ToSend to_send);
  /// Returns what take() would send, without taking anything.
  ComposedPrompt preview(const SessionPlan& plan, const ToSend& to_send) const;
  /// Returns whether nobody else can have used the session of `plan` since this process did, as far
  /// as that is known without a lease.
  SessionUse use_of(const SessionPlan& plan) const { return use_of(plan, 0); }
  /// Precondition: a turn holds it.
  const SessionPlan& plan() const { return held_->plan; }
  const turn::PromptSource& prompt() const { return held_->to_send.prompt; }
  const ComposedPrompt& composed() const { return held_->composed; }
  /// The document as it is sent; once.
  SentDocument take_sent();
  /// Sends the prompt: the turn `turn` begins.
  void begin_turn(const std::string& turn);
  /// The agent works on, in the turn `turn` from now on.
  void goes_on_in(const std::string& turn);
  /// The turn is over: others may use the document and the session.
  void release() { held_.reset(); }

  // --- the session of the agent ---

  /// Returns what the running agent, or the last one, said its session is; empty before.
  const std::string& session() const { return session_; }
  /// The agent is in session `id`. False when that is no news.
  bool session_started(const std::string& id);

  /// Whether `failure` says that the session cannot be had, and a new one could.
  bool lose_session(const plugins::Failure& failure);
  bool has_lost_session() const { return held_ && !held_->lost_session.empty(); }
  /// Returns why, in the agent's words. It is not lost any more.
  std::string take_lost_session() { return std::exchange(held_->lost_session, {}); }
  struct Anew {
    std::string why;  ///< the session could not be had
    plugins::SessionStart instead_of = plugins::SessionStart::Resume;
    std::string refusal;  ///< why there is no new one either; else empty, and begin_turn() is due
  };
  /// Connects to a new session, which is given the document. Precondition: has_lost_session().
  Anew begin_anew();

  // --- the process ---

  /// Null when no agent runs, or only ones that are being ended.
  AgentLink* link() const { return link_.get(); }
  /// Ends it; it has no part in the next turn.
  void retire(process::StopUrgency urgency);
  /// Ends all that are left.
  void shut_down();
  /// True when no process is left.
  bool is_gone() const;
  /// forget_gone() is due: not from inside a link's own last call.
  bool has_gone() const;
  void forget_gone();

 private:
  /// What a turn has while it runs.
  struct Held {
    SessionPlan plan;
    ToSend to_send;
    turn::SeenDocument now;  ///< to_send.prompt.seen()
    ComposedPrompt composed;
    std::unique_ptr<SessionLease> document;  ///< one turn at a time, whatever its session
    std::unique_ptr<SessionLease> session;
    std::string lost_session;  ///< why the session cannot be had, while its failed turn ends
  };

  /// Whether the agent that is running already holds the session that `plan` wants.
  bool serves(const SessionPlan& plan) const;
  std::optional<Refusal> take_document();
  std::optional<Refusal> connect();
  /// Composes what is sent, once it is known who else has used the session. Refused when that is
  /// nothing.
  std::optional<Refusal> compose(SessionUse use);
  /// Whether nobody else can have used the session since this process did; `uses`: of the lease, 0
  /// when that is not known.
  SessionUse use_of(const SessionPlan& plan, std::uint64_t uses) const;
  Refusal could_not_start(const plugins::AgentSpec& spec,
                          const boost::system::error_code& error) const;
  /// For a person.
  std::string is_held(const std::string& agent, const SessionHolder& holder) const;
  /// The agent began it in this turn.
  void lease_new_session(const std::string& id);

  const DocumentName& name_;
  World& world_;
  DocumentClient& client_;
  AgentLinkOwner& owner_;
  SessionOwners owners_;
  std::optional<Held> held_;
  std::unique_ptr<AgentLink> link_;
  std::string session_;
  std::uint64_t uses_ = 0;  ///< of session_, when this agent used it last; 0 when that is not known
  std::string last_turn_;
  std::vector<std::unique_ptr<AgentLink>> retired_;
};

}  // namespace agent_doc::session
