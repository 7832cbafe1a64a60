// What it is: what the store keeps of documents, sessions and turns, as plain values.
// What it is not: how and where it is kept (journal.hpp, history.hpp). Documents never depend on
// it: without a store everything but looking back works.
// Thread rule: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace agent_doc::store {

struct TurnBegan {
  std::string turn;      ///< a UUID
  std::string document;  ///< the `agent_doc_session` of its document
  std::string path;      ///< of the document's file
  std::string prompt;    ///< what the person asked
  std::string agent;
  std::string folder;  ///< the agent works in it
  /// What the agent has of the document when it has read the prompt; null: nobody wants to know.
  /// Not copied on its way.
  std::shared_ptr<const std::string> sent = nullptr;
  std::size_t sent_above = 0;  ///< so much of it is above the prompt
  /// The turn in the middle of which its prompt was said, and which ended with that; empty: none.
  std::string goes_on_from = {};
};

/// Whose knowledge of a document is asked for.
struct SeenQuery {
  std::string document;  ///< empty: whichever the session was in last
  std::string agent;
  std::string session_id;
};

/// What an agent has of a document: what it was sent, and what it wrote.
struct SeenText {
  std::string text;  ///< TurnBegan::sent; or all of it, and no reply (Journal::counts_as_seen())
  std::size_t above = 0;
  std::string reply;  ///< as it came, "\n" only; empty: none
};
/// Of so many sessions of one document it is kept, of the newest ones.
inline constexpr std::int64_t kMaxSeenSessions = 20;

struct TurnTotals {
  std::string state;  ///< the wire name of a terminal state
  std::string model;
  std::string session_id;
  std::string failure;  ///< for a person; empty when there was none
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cost_micros = 0;
};

/// How far the whole reply has come.
enum class ReplyPlace : std::uint8_t {
  Store = 0,   ///< at least a part of it stands nowhere else
  Client = 1,  ///< in the client's text
  File = 2,    ///< in a text that was saved
};

/// The last turn of a document, when its reply may be missing there.
struct UnsavedReply {
  std::string turn;
  std::string document;
  std::string agent;
  std::string session_id;  ///< empty when it was not known yet
  std::string state;       ///< "interrupted" when its server went away
  std::string prompt;      ///< as in TurnBegan
  std::string text;        ///< with "\n" only
  struct Part {
    std::string turn;
    std::string prompt;
    std::string text;
  };
  /// The turns that it went on from, the oldest first, whose replies may be missing as well.
  std::vector<Part> before = {};
};
/// Of UnsavedReply::before; older ones are left out.
inline constexpr std::size_t kMaxTurnsBefore = 100;

struct StoredTurn {
  std::int64_t number = 0;  ///< counts the turns of this person
  std::string turn;
  std::string document;
  std::string path;
  std::string prompt;
  std::string agent;
  std::int64_t began_ms = 0;  ///< since 1970, UTC
  std::int64_t ended_ms = 0;  ///< 0 while it runs
  TurnTotals totals;
  ReplyPlace place = ReplyPlace::Store;
  std::string reply;
};

/// What an agent said in a turn beside its reply.
struct StoredPiece {
  enum class Kind : std::uint8_t {
    EarlierRound = 0,  ///< was in the document until a later round took its place
    AfterTurn = 1,     ///< came when the turn was over
    Thought = 2,       ///< what it thought, also in tags that were taken out of its text
    Printed = 3,  ///< what it printed in a turn that was not done, on standard error or instead of
                  ///< a reply
  };
  Kind kind = Kind::EarlierRound;
  std::string text;
};

}  // namespace agent_doc::store
