// What the tour remembers of a conversation: the questions in order and how each turn ended; with
// its form on disk (JSON). server/app/tour_store.hpp reads and writes the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// Longer questions are cut at the end of a character; where they are quoted, the cut is mentioned.
inline constexpr std::size_t kMaxQuestionBytes = 16 * 1024;
/// The oldest turns beyond this are dropped and counted; the history mentions them.
inline constexpr std::size_t kMaxTurns = 200;
/// Larger files are rejected. kMaxTurns questions of kMaxQuestionBytes fit, even with every byte
/// escaped.
inline constexpr std::size_t kMaxSessionBytes = 20 * 1024 * 1024;

enum class TurnEnd {
  Open,  ///< running, or the process was killed in the middle -> Done, Stopped
  Done,
  Stopped,  ///< interrupted by the user
};

struct TourTurn {
  std::string question;
  std::size_t bytes_cut = 0;  ///< of the question, beyond kMaxQuestionBytes
  TurnEnd end = TurnEnd::Open;
};

struct TourSession {
  std::string id;
  std::string forked_from;      ///< the id of the session that this is a copy of, or empty
  std::uint64_t forgotten = 0;  ///< number of turns dropped beyond kMaxTurns
  std::vector<TourTurn> turns;

  /// Adds an open turn, within the limits.
  void ask(std::string question);
};

/// Returns the copy that `--fork-session` continues.
TourSession fork_of(const TourSession& session, std::string new_id);

std::string to_json(const TourSession& session);
/// Returns nullopt when `json` is no session.
std::optional<TourSession> from_json(std::string_view json);

/// Returns true for a UUID in its usual form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`: only UUIDs
/// may become part of a file name.
bool is_uuid(std::string_view text);

}  // namespace agent_doc::plugins::tour
