// What it is: what the tour remembers of one conversation: the questions, in order, and how each
// ended; and its form on disk (JSON).
// What it is not: it reads and writes no file; that is server/app/tour_store.
// Thread rule: plain values, pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// A longer question is cut at a character's end; the cut is told where it is quoted.
inline constexpr std::size_t kMaxQuestionBytes = 16 * 1024;
/// The oldest turns beyond it are forgotten, counted, and told where the history is told.
inline constexpr std::size_t kMaxTurns = 200;
/// A larger file is no session of ours: kMaxTurns questions of kMaxQuestionBytes, each byte written
/// as an escape, stay below it.
inline constexpr std::size_t kMaxSessionBytes = 20 * 1024 * 1024;

enum class TurnEnd {
  Open,  ///< running, or the process was killed in the middle -> Done, Stopped
  Done,
  Stopped,  ///< the person interrupted it
};

struct TourTurn {
  std::string question;
  std::size_t bytes_cut = 0;  ///< of the question, beyond kMaxQuestionBytes
  TurnEnd end = TurnEnd::Open;
};

struct TourSession {
  std::string id;
  std::string forked_from;      ///< empty, or the id of the session that this is a copy of
  std::uint64_t forgotten = 0;  ///< turns beyond kMaxTurns
  std::vector<TourTurn> turns;

  /// Adds an open turn within the limits.
  void ask(std::string question);
};

/// The copy that `--fork-session` continues; `session` stays as it is.
TourSession fork_of(const TourSession& session, std::string new_id);

std::string to_json(const TourSession& session);
/// Nothing when `json` is no session.
std::optional<TourSession> from_json(std::string_view json);

/// A UUID in its usual form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`: the only thing that may become
/// part of a file name.
bool is_uuid(std::string_view text);

}  // namespace agent_doc::plugins::tour
