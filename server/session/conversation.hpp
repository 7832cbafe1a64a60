// What it is: one document with its manuscript, its agent and its turn. All that happens to a
// document comes in here; what it wants done goes out by two ports (World, DocumentClient) and to
// the agent.
// What it is not: it does no I/O, has no timer and no JSON: the owner calls wake() at
// next_wakeup(). Its methods are in seven files: conversation.cpp has what comes from the client
// and the clock, conversation_unseen.cpp what the agent has not seen, conversation_turn.cpp a turn
// from run to end, conversation_queue.cpp the prompt that waits for that end,
// conversation_steer.cpp the one that is said at once, conversation_reply.cpp the place of the
// reply, conversation_front_matter.cpp what the document says of itself. Thread rule: not
// thread-safe; the server's thread only.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/session/agent_connection.hpp"
#include "server/session/current_turn.hpp"
#include "server/session/document_client.hpp"
#include "server/session/document_name.hpp"
#include "server/session/manuscript.hpp"
#include "server/session/permission_broker.hpp"
#include "server/session/recovery.hpp"
#include "server/session/run_plan.hpp"
#include "server/session/seen_by_agents.hpp"
#include "server/session/world.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::session {

struct DocumentParts;
class UnseenByAgent;

/// Who shows the text that is opened.
enum class OpenedBy {
  Client,
  File,  ///< nobody: the document was closed, and its file takes what a turn still has to write
};

/// Who would reply to a run, and where.
struct AgentPlace {
  std::string agent;   ///< may be one that is not known
  std::string folder;  ///< that it works in
};

/// What a run would send.
struct Preview {
  std::string agent;
  std::string session;  ///< that goes on, or is forked; empty: a new one begins
  plugins::SessionStart start = plugins::SessionStart::New;
  ComposedPrompt prompt;
};

struct ForkedDocument {
  std::string text;  ///< of the new document, with `forked_from`
};

class Conversation final : private AgentLinkOwner, private PermissionBrokerOwner {
 public:
  Conversation(DocumentName name, text::PositionEncoding encoding, Pace pace, World& world,
               DocumentClient& client);
  ~Conversation();

  // --- the client's text (see SyncEngine) ---
  void did_open(sync::Version version, std::string text, OpenedBy by = OpenedBy::Client);
  void did_change(sync::Version version, const std::vector<sync::ContentChange>& changes);
  /// The text that the client has now is in its file.
  void did_save();
  void did_close();
  void edit_answered(sync::Answer answer);
  /// The document has another name now. Its agent goes on in the folder in which it was started.
  void moved(DocumentName name);

  // --- commands ---
  /// Returns the id of the turn that began. While a turn runs, the prompt below its reply is
  /// queued, and that turn's id is returned: is_queued(). Refused then when there is no such
  /// prompt.
  Outcome<std::string> run(const RunRequest& request);
  /// Says the prompt below the reply to the agent in the middle of its turn: is_steering(). When
  /// the agent reads it the turn is done, and the next one goes on below that prompt. Where the
  /// agent cannot hear it, it is queued, and the person is told. Without a turn it is run().
  Outcome<std::string> steer(const RunRequest& request);
  /// Takes back what is queued; its text stays. False when nothing is.
  bool unqueue();
  /// Runs the prompt above the last reply again; the new reply takes its place once it has text.
  /// Refused when a person changed the reply. A turn without a reply is simply run.
  Outcome<std::string> retry();
  /// Returns what run() would send. Refused when that is nothing.
  Outcome<Preview> preview(const RunRequest& request);
  /// Lets what was changed on the line of byte `at`, or all that was changed above the prompt,
  /// count as seen by the agent. Returns how many places that are.
  Outcome<std::size_t> leave_out(std::optional<std::size_t> at);
  /// False when nothing runs.
  bool stop();
  /// Takes `resume` out: the next run begins a new session.
  Outcome<std::string> new_session();
  /// `turn`: the fork begins below the reply of this question, counted from 1, in a session of its
  /// own that is given the document; without it, at the end, and by the agent's own fork.
  Outcome<ForkedDocument> fork(std::string_view path_of_fork,
                               std::optional<std::size_t> turn = std::nullopt) const;
  /// False when `permission` is not asked (any more). An empty option cancels it.
  bool answer(std::string_view turn, std::string_view permission, std::string_view option);
  /// Does what continuation() says. Never writes what is in the document already.
  Outcome<std::string> continue_reply();
  /// Inserts what is missing of a last reply of an earlier server, or one that was never saved.
  Outcome<std::string> recover_reply();
  /// Makes the document `text`, as another document's agent wants it that has read `base`. What the
  /// person changed since stays.
  Outcome<std::string> write_text(std::string base, std::string text);

  // --- time ---
  /// Returns when wake() must be called, if at all. Ask after every call.
  std::optional<TimePoint> next_wakeup() const;
  void wake();
  /// Looks for what the agent of the next run has not seen; for a rest of the keyboard. Does
  /// nothing while a turn runs or something is still to be written. May wait for the disk once
  /// after the document was opened.
  void look_for_unseen(const DocumentParts& parts);
  /// The server ends: the running turn is interrupted, the agent stopped.
  void shut_down();
  /// True when no agent process is left.
  bool agent_gone() const { return agent_.is_gone(); }

  // --- to look at ---
  const std::string& uri() const { return name_.uri; }
  const sync::SyncEngine& engine() const { return manuscript_.engine(); }
  bool has_turn() const { return turn_ != nullptr; }
  bool turn_running() const { return turn_ && turn_->is_running(); }
  /// A prompt waits for the end of the turn, and goes then by itself.
  bool is_queued() const { return turn_ && turn_->queued().is_waiting(); }
  /// What was said in the middle of the turn is not read yet.
  bool is_steering() const { return turn_ && turn_->is_steering(); }
  /// steer() would say the next prompt at once, if there is one.
  bool can_steer() const;
  /// A turn runs, and the person has written a prompt below its reply. Costs the document.
  bool has_next_prompt() const;
  /// What look_for_unseen() found; nothing of it while a turn runs.
  const UnseenByAgent& unseen() const { return *unseen_; }
  /// True when nothing was typed since then.
  bool is_unseen_current() const;
  /// Returns the running or the last turn; nothing before the first one.
  std::optional<TurnView> turn_view() const;
  /// Returns the turn of this server one of whose regions begins in [begin, end] of the text.
  std::optional<TurnView> turn_at(std::size_t begin, std::size_t end) const;
  /// Returns where the reply of the running or last turn is in the text; nothing while it is not.
  std::optional<sync::RegionExtent> reply_extent() const;
  /// The reply is paused or detached: continue_reply() has something to do.
  bool can_continue_reply() const { return turn_ && turn_->reply().has_stopped(); }
  /// Costs a look through the whole document when the reply's place is lost.
  Continuation continuation() const;
  /// Whether `text` is the document as it is known, or has a beginning of the last reply in it.
  bool stands_in(std::string_view text) const;
  /// recover_reply() has something to do.
  bool can_recover_reply() const { return recovery_.is_offered() && !turn_running(); }
  /// For a run with `agent`, or without one when that is empty.
  Outcome<AgentPlace> agent_place(const std::string& agent) const;

 private:
  /// The reply of a turn that is run again, as nobody has changed it.
  struct ReplyToReplace {
    sync::RegionId region;
    std::string standing;
    std::string line_end;
  };
  struct Identity {
    std::string document;                   ///< its id
    std::vector<FrontMatterValue> missing;  ///< what the front matter does not say
  };
  struct PastTurn {
    std::vector<sync::AnchorId> places;  ///< where its regions begin
    TurnView view;
  };

  /// Of the file, for a person.
  std::string name() const { return name_.last_part(); }
  /// "AGENT in FILE: `message`"; the agent's name is said only once.
  std::string said_by_agent(std::string_view message) const;

  // --- after everything that happened (conversation.cpp) ---
  void settle();
  void tell_turn();
  void tell(const sync::Notice& notice);
  void tell_component_lost(const std::string& component);
  void tell_journal_problem();

  // --- the turn (conversation_turn.cpp) ---
  /// Precondition: agent_ is taken. `over`: the reply that this turn's takes the place of.
  void begin_turn(TurnPlan plan, RunRequest request, const markdown::FrontMatter& front_matter,
                  std::optional<ReplyToReplace> over);
  /// `instead_of`: the turn that is run again; empty: none. Takes the prompt out of `plan`.
  ToSend to_send(TurnPlan& plan, const markdown::FrontMatter& front_matter,
                 const std::string& instead_of) const;
  /// Makes the turn that takes the place of the last one.
  std::unique_ptr<CurrentTurn> make_turn(TurnTerms terms, std::string line_end);
  void tell_that_unknown();
  void end_turn_from_outside(turn::TurnState state, plugins::FailureKind kind,
                             std::string_view message);
  void turn_ended();
  /// Ends the turn as far as its document and the store are concerned.
  void record_end();
  /// Tells the person how it ended, where that is not as it should be.
  void tell_end();
  void on_agent_line(std::size_t bytes) override;
  void on_agent_event(const plugins::AgentEvent& event) override;
  void on_prompt_sent() override;
  void on_agent_stderr(std::string_view bytes) override;
  plugins::FileAnswer read_file(const plugins::FileRead& request) override;
  plugins::FileAnswer write_file(const plugins::FileWrite& request) override;
  void on_last_words(const std::string& agent, const std::string& turn,
                     std::string_view text) override;
  void on_agent_settled() override;
  /// Nothing that an agent says is lost: a background task may end after its turn.
  void on_event_outside_of_turn(const plugins::AgentEvent& event);
  /// The agent cannot go on with its session, and nothing of a reply came yet: a new one is begun.
  /// True when the event belongs to that.
  bool goes_on_in_new_session(const plugins::AgentEvent& event);
  void begin_anew();
  void show_permission(const turn::Permission& permission) override;
  void hide_permission(const std::string& id) override;
  void answer_permission(const std::string& id, const std::string& option) override;
  void permission_denied(const turn::Permission& permission) override;

  // --- the next prompt (conversation_queue.cpp) ---
  Outcome<std::string> queue(RunRequest request);
  std::string_view text_below_reply() const;
  /// Returns when send_queued() is due, if at all.
  std::optional<TimePoint> queue_wakeup() const;
  /// Runs what is queued once the turn is over, its reply stands in the document, and nobody edits
  /// the prompt.
  void send_queued();
  /// What is queued, if anything is, is only text again.
  void leave_queued(std::string_view why);
  void tell_left(std::string_view why);

  // --- said in the middle of a turn (conversation_steer.cpp) ---
  /// Returns why the prompt cannot be said at once, for the person; empty: it can.
  std::string why_not_steered(const RunRequest& request) const;
  void on_steer_heard(std::string_view final_text);
  void on_steer_refused();
  /// The turn ends, and what was said in it is not read.
  void settle_unheard();
  /// Returns the byte of the document below which the reply to `said` goes.
  std::size_t place_of_next_reply(const SteeredPrompt& said) const;
  /// What the agent does from now on is the turn of `terms`, whose reply goes to `at`.
  void go_on_in(TurnTerms terms, std::size_t at);
  /// Looks whether replies of turns that ended so have landed.
  void look_at_handed_over();
  void tell_of_handed_over(const sync::Notice& notice);

  // --- the place of the reply (conversation_reply.cpp) ---
  /// The turn that is over, before the next one takes its place.
  void remember_turn();
  /// The text that was opened has not what had been written into the one that was closed.
  void put_reply_into_opened_text();
  void tell_lost_by_opening();
  /// Whether the document lacks something of its last reply, as far as the store knows.
  void look_for_unsaved_reply(std::string_view text);
  /// The client made something else of what was written: nothing more is written.
  void on_client_rewrites();

  // --- what the document says of itself (conversation_front_matter.cpp) ---
  /// Says which document this is and who replies in it. Keeps an id that was lost with a reply.
  Identity identify(const markdown::FrontMatter& front_matter, const std::string& agent);
  /// Returns the document's id as far as it has one.
  std::string known_id(const markdown::FrontMatter& front_matter) const;
  /// Writes what the front matter lacks of `values`.
  void propose_front_matter(std::vector<FrontMatterValue> values, const std::string& agent);
  /// The person lets it go on.
  void propose_lost_front_matter();
  /// `id` belongs into the front matter.
  void note_session_as(const std::string& id);
  /// Writes the session into the front matter as soon as it may stand there.
  void note_session();

  DocumentName name_;
  World& world_;
  DocumentClient& client_;
  Manuscript manuscript_;
  AgentConnection agent_;
  PermissionBroker permissions_;
  Recovery recovery_;
  SeenByAgents seen_;
  std::unique_ptr<UnseenByAgent> unseen_;
  std::uint64_t text_changes_ = 0;     ///< how often the client's text was opened or changed
  std::optional<OpenedBy> opening_;    ///< while a text is taken in that may lack a reply
  std::unique_ptr<CurrentTurn> turn_;  ///< that runs, or the last one
  /// They ended when the agent read what was said in them, and their replies are still being
  /// written.
  std::vector<std::unique_ptr<CurrentTurn>> handed_over_;
  std::deque<PastTurn> past_turns_;
};

}  // namespace agent_doc::session
