// What it is: everything that lives for one turn of a document, from its beginning to the beginning
// of the next one: who replies to what, how far the agent is, the reply in the document, the times.
// What it is not: it starts and stops nothing, and says nothing to anybody but the journal.
// Thread rule: not thread-safe; one per document, replaced as a whole.
#pragma once

#include "server/markdown/front_matter.hpp"
#include "server/session/component_bodies.hpp"
#include "server/session/front_matter_values.hpp"
#include "server/session/reply_in_document.hpp"
#include "server/session/run_plan.hpp"
#include "server/session/seen_by_agents.hpp"
#include "server/session/silence.hpp"
#include "server/session/turn_view.hpp"
#include "server/store/journal.hpp"
#include "server/turn/heard.hpp"
#include "server/turn/patch_blocks.hpp"
#include "server/turn/region_write.hpp"
#include "server/turn/thoughts.hpp"
#include "server/turn/turn.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::session {

/// Of what an agent prints that is no part of a reply, the first; for the log.
inline constexpr std::size_t kMaxPrinted = 64 * 1024;

/// What does not change while a turn runs.
struct TurnTerms {
  std::string id;      ///< unique in this server
  RunRequest request;  ///< of the last run, also when this turn is a retry
  std::string agent;
  std::string other_owner;  ///< whose session `resume` is, when it is not `agent`'s
  std::string of_folder;    ///< why the agent works in another folder; empty when it does not
  std::string asked;        ///< the prompt as it stands in the document
  turn::Rounds rounds = turn::Rounds::Last;
  turn::Thinking thinking = turn::Thinking::None;
  SentDocument sent = {};  ///< what the agent has of the document when it has read the prompt
  std::string sent_without_question =
      {};  ///< what was sent, where nothing is asked but changes are to be answered
  std::string document = {};      ///< its id
  std::string goes_on_from = {};  ///< the turn in the middle of which `asked` was said; empty: none
};

/// What a turn writes into the front matter.
struct TurnFrontMatter {
  std::vector<FrontMatterValue> identity;  ///< which document this is, who replies
  bool is_lost = false;                    ///< its edits were given up together with the reply
  std::string session_to_note;             ///< belongs into it
  bool note_when_answered = false;         ///< it takes the place of another one
};

/// The last change of a queued prompt is so long ago when it goes: half a sentence would go else.
inline constexpr std::chrono::milliseconds kQueuedPromptRest{1000};

/// The one run that waits for the end of the turn. Its prompt is the text below the growing reply,
/// so it can be edited until it goes; while somebody edits it, it does not go.
class QueuedRun {
 public:
  /// `below`: the document's text below the growing reply. Replaces a request that waits already.
  void ask(RunRequest request, std::string_view below);
  bool is_waiting() const { return request_.has_value(); }
  /// Returns the request; nothing waits any more. Precondition: is_waiting().
  RunRequest take();
  /// The text below the reply is now `below`.
  void text_is(std::string_view below, TimePoint now);
  /// Returns from when on nobody edits the prompt any more.
  TimePoint rests_at() const { return rests_at_; }

 private:
  std::optional<RunRequest> request_;
  std::string below_;
  TimePoint rests_at_;
};

/// What the agent was told in the middle of its turn, until it has read it.
struct SteeredPrompt {
  std::string turn;  ///< the id of the turn that begins then
  NextPrompt prompt;
  sync::AnchorId end{};  ///< of the prompt in the document
  RunRequest request;
};

class CurrentTurn final : public turn::RegionWrites, private turn::PatchPartWrites {
 public:
  /// Hears every write before the document does.
  using Listener = std::function<void(const turn::RegionWrite&)>;
  enum class News {
    None,
    Changed,
    Landed,  ///< changed, and the turn's whole reply has come into the client's text
  };

  CurrentTurn(TurnTerms terms, Manuscript& manuscript, std::string line_end,
              store::Journal& journal, Listener listener, TimePoint now);
  CurrentTurn(const CurrentTurn&) = delete;
  CurrentTurn& operator=(const CurrentTurn&) = delete;

  const TurnTerms& terms() const { return terms_; }
  const std::string& id() const { return terms_.id; }
  const std::string& agent() const { return terms_.agent; }
  bool is_running() const { return !turn::is_terminal(progress_.state()); }
  bool has_text() const { return progress_.reply().has_text(); }
  /// The agent has answered something, so it has read what was sent.
  bool has_arrived() const { return arrived_; }
  turn::Turn& progress() { return progress_; }
  const turn::Turn& progress() const { return progress_; }
  ReplyInDocument& reply() { return reply_; }
  const ReplyInDocument& reply() const { return reply_; }
  /// The document has components: blocks of the reply that name one go there.
  void split_reply(turn::PatchBlocks::TargetOf target_of);
  /// This turn is a retry of `earlier`, which is over. Called before its reply is opened.
  void replace(const CurrentTurn& earlier) { bodies_.replace(earlier.bodies_); }
  /// Lets the body of a component be the region `name`. What stands in it is the beginning of the
  /// region's text.
  void open_body(std::string name, const sync::ComponentBody& body);
  /// Writes into a region that was opened; the reply is kReplyRegion.
  void write(const turn::RegionWrite& write) override;
  /// The turn is over, and all of it is in the text: components keep to their `max_lines`.
  void keep_max_lines();
  /// The person took text of the reply or of a component back, or deleted its place.
  bool has_stopped() const { return reply_.has_stopped() || bodies_.has_stopped(); }
  /// Returns the component that `region` is in, or an empty text.
  std::string_view component_of(sync::RegionId region) const { return bodies_.name_of(region); }
  /// Returns where the turn's regions stand, the reply first; without those that are not in the
  /// text.
  std::vector<sync::RegionExtent> extents() const;
  /// The client writes other line ends than it was sent.
  void line_ends_changed(const sync::Notice& notice);
  /// Returns what is at the place of the reply if nobody changed it: its text, or the one before.
  std::string standing_reply() const { return has_text() ? reply_.text() : reply_.replaced(); }
  /// What is to be run when this turn is done.
  QueuedRun& queued() { return queued_; }
  const QueuedRun& queued() const { return queued_; }
  /// The agent is told `prompt` in the middle of this turn.
  void tell(SteeredPrompt prompt) { steered_ = std::move(prompt); }
  /// What it was told is not read yet.
  bool is_steering() const { return steered_.has_value(); }
  std::optional<SteeredPrompt> take_steered() { return std::exchange(steered_, std::nullopt); }
  /// Blocks of the reply may go into components.
  bool splits_reply() const { return patches_.has_value(); }
  TurnFrontMatter& front_matter() { return front_matter_; }
  const TurnFrontMatter& front_matter() const { return front_matter_; }

  // --- from the agent ---

  /// A line came; its events follow.
  void on_line(std::size_t bytes, TimePoint now);
  /// Any bytes of its standard error.
  void on_error_output(std::string_view bytes) { silence_.error_output(bytes); }
  void on_event(const plugins::AgentEvent& event, TimePoint now);
  /// Shows `text` as the status until the agent does something else.
  void show_status(std::string_view text);
  /// All events of the line came.
  void on_settled() { silence_.settled(); }
  /// The person answered its question.
  void on_answer(TimePoint now) { silence_.heard(now); }
  /// True the first time.
  bool is_first_denial();

  // --- the end ---

  /// The agent has read what it was told: the turn is done, and what follows belongs to the next
  /// one. `text` is its own final text.
  void hand_over(std::string_view text);
  /// The agent goes on in this turn with what it read in the middle of the one before.
  void goes_on(const std::string& session, const std::string& model);
  /// The person stops the turn: the agent has until `deadline`.
  void cancel(TimePoint deadline);
  /// The agent was asked to stop, and still has time.
  bool is_cancelling() const { return cancel_deadline_.has_value(); }
  /// True once when that time is over.
  bool take_overdue_cancel(TimePoint now);
  /// The last event came, or none will: the reply ends.
  void end(TimePoint now);

  // --- time ---

  std::optional<TimePoint> wakeup() const;
  void wake(TimePoint now);

  // --- to look at ---

  TurnView view(TimePoint now) const;
  /// Returns what became of view() since the last call.
  News take_news();
  turn::Health health() const;
  store::TurnTotals totals() const;
  /// Returns what it wrote on standard error before it was stopped without an answer; else empty.
  std::string written_before_stop() const;

 private:
  struct Times {
    TimePoint began;
    TimePoint ended;
    TimePoint heard;  ///< the agent's last line
    std::chrono::milliseconds longest_silence{0};
    std::optional<std::chrono::milliseconds> first_text;
  };
  /// What the client was told last.
  struct Told {
    std::optional<std::uint64_t> revision;
    bool landed = false;
    bool stopped = false;
    bool queued = false;
    bool steering = false;
  };

  void write_part(std::size_t part, std::size_t offset, std::string_view text) override;
  void withdraw_part(std::size_t part) override;
  /// All that came so far is in the client's text, in every region.
  bool has_landed() const;
  /// Returns `failure` with what the agent wrote last on standard error, unless it says that
  /// already.
  std::string with_error_output(std::string_view failure) const;
  void note_printed(std::string_view line);
  /// Returns whether the agent calls a turn done in which it said and did nothing.
  bool ends_without_a_word(const plugins::AgentEvent& event) const;
  /// Records what an agent that gave no answer printed, and wrote on standard error.
  void record_printed() const;

  TurnTerms terms_;
  Manuscript& manuscript_;
  store::Journal& journal_;
  Listener listener_;
  ReplyInDocument reply_;
  ComponentBodies bodies_;
  std::optional<turn::PatchBlocks> patches_;  ///< nothing: the reply is all said
  turn::Turn progress_;
  turn::Thoughts thoughts_;
  turn::Heard heard_;
  Silence silence_;
  std::string printed_;  ///< and not understood: lines made visible
  TurnFrontMatter front_matter_;
  Times times_;
  std::optional<TimePoint> cancel_deadline_;
  Told told_;
  QueuedRun queued_;
  std::optional<SteeredPrompt> steered_;
  bool handed_over_ = false;
  bool denial_told_ = false;
  bool arrived_ = false;
};

}  // namespace agent_doc::session
