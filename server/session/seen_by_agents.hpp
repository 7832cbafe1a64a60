// What it is: what the agents of one document have of it: what they were sent and what they wrote
// themselves, and never what the person typed since. The last turn's is kept here, that of other
// sessions and earlier servers is in the store.
// What it is not: what is sent (composed_prompt.hpp).
// Thread rule: not thread-safe; one per document.
#pragma once

#include "server/session/run_plan.hpp"
#include "server/store/journal.hpp"
#include "server/turn/seen_text.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace agent_doc::session {

/// The document as a turn sends it, up to its prompt.
struct SentDocument {
  std::shared_ptr<const std::string> text;  ///< as turn::SeenDocument has it; null: none
  std::size_t above = 0;
};

/// Whether another process may have used a session since this one did.
enum class SessionUse { OnlyHere, PerhapsElsewhere };

class SeenByAgents {
 public:
  struct LastTurn {
    std::string turn;
    std::string agent;
    std::string session;
    SentDocument sent;
    std::string reply;
    /// What counts as seen instead, with the reply, and up to its prompt; null: the same.
    SentDocument counted = {};
  };

  explicit SeenByAgents(store::Journal& journal) : journal_(journal) {}

  /// The agent has read what `last` sent.
  void turn_ended(LastTurn last) { last_ = std::move(last); }

  /// The session that `plan` goes on with has `text` of the document from now on, as far as we are
  /// concerned. `above`: so much of it is above the last turn's prompt, which a retry asks for.
  void count_as_seen(const std::string& document, const SessionPlan& plan, std::string text,
                     std::size_t above);
  /// Where the last turn's prompt begins in what its session has, if that is `plan`'s; else 0.
  std::size_t above_last_prompt(const SessionPlan& plan) const;

  /// Returns what the session that `plan` goes on with, or is a fork of, has of the document
  /// `document`; nothing when that is not known. `without_reply_of`: a turn whose reply another one
  /// is going to replace; empty: none. May wait for the disk.
  std::optional<std::string> earlier_text(const std::string& document, const SessionPlan& plan,
                                          SessionUse use,
                                          const std::string& without_reply_of) const;

 private:
  bool has(const SessionPlan& plan) const;
  std::string of_last_turn(const std::string& without_reply_of) const;

  store::Journal& journal_;
  LastTurn last_;
};

}  // namespace agent_doc::session
