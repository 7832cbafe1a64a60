// What it is: the store as a running turn sees it: everything that an agent says is told to it as
// it comes, so that it outlives the document, the client and this process.
// What it is not: looking back (history.hpp). What is told here never holds up a reply:
// implementations queue it.
// Thread rule: the server's thread only.
#pragma once

#include "server/store/records.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::store {

class Journal {
 public:
  virtual ~Journal() = default;

  virtual void turn_began(const TurnBegan& turn) = 0;
  /// As soon as the agent says it.
  virtual void session_known(const std::string& turn, const std::string& session_id) = 0;
  /// The agent has begun to answer: it has read what the turn sent.
  virtual void prompt_arrived(const std::string& turn) = 0;
  /// The reply is now its first `offset` bytes and `text`.
  virtual void reply_changed(const std::string& turn, std::size_t offset,
                             std::string_view text) = 0;
  /// Beside the reply, while the turn runs.
  virtual void thought(const std::string& turn, std::string_view text) = 0;
  /// What the agent printed, on standard output or error, that stands in no reply; while the turn
  /// runs.
  virtual void printed(const std::string& turn, std::string_view text) = 0;
  virtual void turn_ended(const std::string& turn, const TurnTotals& totals) = 0;
  /// Once the turn has ended.
  virtual void said_after_turn(const std::string& turn, std::string_view text) = 0;
  /// The file of `document` has another name now.
  virtual void document_moved(const std::string& document, const std::string& path) = 0;
  /// What `query` asks for is `text` from now on, with the last reply in it: the person left out
  /// changes that its agent was not told. Of a session that is not known nothing is kept.
  virtual void counts_as_seen(const SeenQuery& query, std::shared_ptr<const std::string> text) = 0;
  /// `place` only ever rises.
  virtual void reply_placed(const std::string& turn, ReplyPlace place) = 0;

  /// Returns the last turn of `document`, unless it runs, has no text or its whole reply was seen
  /// in a saved text; nothing for a copy, whose last turn was in another file that is still there.
  /// A document that lost its id with what was not saved (`document` is empty) is known by its
  /// path. Waits for the disk.
  virtual std::optional<UnsavedReply> unsaved_reply(const std::string& document,
                                                    const std::string& path) = 0;
  /// The folder in which `agent` was when it began or last used `session_id`; empty when it is not
  /// known. Waits for the disk.
  virtual std::string folder_of_session(const std::string& agent,
                                        const std::string& session_id) = 0;
  /// Whose session `session_id` is; empty when it is not known. Waits for the disk.
  virtual std::string agent_of_session(const std::string& session_id) = 0;

  /// What a session has of a document, by the last of its turns that arrived; nothing when that is
  /// not known. Waits for the disk.
  virtual std::optional<SeenText> seen_by(const SeenQuery& query) = 0;

  /// What went wrong since it was last asked, for a person; mostly empty.
  virtual std::string take_problem() = 0;
};

/// Keeps nothing.
std::unique_ptr<Journal> make_no_journal();

}  // namespace agent_doc::store
