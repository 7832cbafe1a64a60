// What it is: store::Journal that keeps what it is told in memory, where a test can look at it, and
// says what the test wants of earlier turns.
// What it is not: the real one (server/store/sqlite_journal.hpp), which has tests of its own.
// Thread rule: one thread.
#pragma once

#include "server/session/session_lease.hpp"
#include "server/store/edits_of_reply.hpp"
#include "server/store/journal.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

class JournalInMemory final : public store::Journal {
 public:
  struct Turn {
    store::TurnBegan began;
    std::vector<std::string> sessions;
    store::EditsOfReply reply;
    std::optional<store::TurnTotals> totals;
    std::vector<std::string> said_after;
    std::vector<std::string> thoughts;
    std::vector<std::string> printed;
    store::ReplyPlace place = store::ReplyPlace::Store;
    bool arrived = false;
    std::shared_ptr<const std::string> counted;  ///< as seen; null: what was sent, and the reply
  };

  void turn_began(const store::TurnBegan& turn) override {
    turns[turn.turn].began = turn;
    order.push_back(turn.turn);
  }
  void prompt_arrived(const std::string& turn) override { turns[turn].arrived = true; }
  void session_known(const std::string& turn, const std::string& session_id) override {
    turns[turn].sessions.push_back(session_id);
  }
  void reply_changed(const std::string& turn, std::size_t offset, std::string_view text) override {
    if (!throws_at.empty() && text.find(throws_at) != std::string_view::npos)
      throw std::bad_alloc();
    turns[turn].reply.edit(offset, text);
  }
  void thought(const std::string& turn, std::string_view text) override {
    turns[turn].thoughts.emplace_back(text);
  }
  void printed(const std::string& turn, std::string_view text) override {
    turns[turn].printed.emplace_back(text);
  }
  void turn_ended(const std::string& turn, const store::TurnTotals& totals) override {
    turns[turn].totals = totals;
  }
  void said_after_turn(const std::string& turn, std::string_view text) override {
    turns[turn].said_after.emplace_back(text);
  }
  void document_moved(const std::string& document, const std::string& path) override {
    paths[document] = path;
  }
  void counts_as_seen(const store::SeenQuery& query,
                      std::shared_ptr<const std::string> text) override {
    if (Turn* turn = last_of(query)) turn->counted = std::move(text);
  }
  void reply_placed(const std::string& turn, store::ReplyPlace place) override {
    turns[turn].place = std::max(turns[turn].place, place);  // it never goes back
  }
  std::optional<store::UnsavedReply> unsaved_reply(const std::string& document,
                                                   const std::string& path) override {
    const auto found = unsaved.find(document.empty() ? path : document);
    return found == unsaved.end() ? std::nullopt : std::optional(found->second);
  }
  std::string folder_of_session(const std::string& agent, const std::string& session_id) override {
    return folders[agent + " " + session_id];
  }
  std::string agent_of_session(const std::string& session_id) override {
    const auto found = agents.find(session_id);
    return found == agents.end() ? std::string() : found->second;
  }
  std::optional<store::SeenText> seen_by(const store::SeenQuery& query) override {
    ++seen_queries;
    if (const Turn* turn = last_of(query)) {
      if (turn->counted) return store::SeenText{*turn->counted, turn->counted->size(), {}};
      return store::SeenText{*turn->began.sent, turn->began.sent_above, turn->reply.text()};
    }
    const auto found = seen.find(query.document + " " + query.agent + " " + query.session_id);
    return found == seen.end() ? std::nullopt : std::optional(found->second);
  }
  std::string take_problem() override { return std::exchange(problem, {}); }

  /// The last turn that arrived in the session that `query` means; null: none.
  Turn* last_of(const store::SeenQuery& query) {
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      Turn& turn = turns[*id];
      const std::string session = turn.totals && !turn.totals->session_id.empty()
                                      ? turn.totals->session_id
                                  : turn.sessions.empty() ? std::string()
                                                          : turn.sessions.back();
      const bool is_meant = session == query.session_id && turn.began.agent == query.agent &&
                            (query.document.empty() || turn.began.document == query.document);
      if (is_meant && turn.arrived && turn.began.sent) return &turn;
    }
    return nullptr;
  }

  std::map<std::string, Turn> turns;                   ///< by id
  std::map<std::string, store::UnsavedReply> unsaved;  ///< by document, or by path
  std::map<std::string, std::string> folders;          ///< by agent and session
  std::map<std::string, std::string> agents;           ///< by session
  std::vector<std::string> order;                      ///< of turns
  std::map<std::string, store::SeenText> seen;         ///< by document, agent and session
  int seen_queries = 0;
  std::map<std::string, std::string> paths;  ///< of documents that were moved
  std::string problem;
  std::string throws_at;  ///< a reply's text that has this in it cannot be kept; empty: none
};

/// Sessions that are leased while somebody has them.
class LeasesInMemory {
 public:
  session::LeaseOutcome lease(const std::string& agent, const std::string& session_id,
                              const std::string& path) {
    Session& session = sessions[agent + " " + session_id];
    if (session.holder) return *session.holder;
    session.holder = session::SessionHolder{1, path};
    return std::make_unique<Lease>(session, ++session.uses);
  }

  struct Session {
    std::optional<session::SessionHolder> holder;
    std::uint64_t uses = 0;
  };
  std::map<std::string, Session> sessions;  ///< by agent and session

 private:
  class Lease final : public session::SessionLease {
   public:
    Lease(Session& session, std::uint64_t uses) : session_(session), uses_(uses) {}
    ~Lease() override { session_.holder.reset(); }
    std::uint64_t uses() const override { return uses_; }

   private:
    Session& session_;
    std::uint64_t uses_;
  };
};

}  // namespace agent_doc::fakes
