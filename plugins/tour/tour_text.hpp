// What the tour says: turns a question and a session into thinking, text and tool calls, round by
// round. Deterministic, without protocol, pace or clock: tools are requested by name and their
// results passed in.
#pragma once

#include "plugins/tour/tour_session.hpp"
#include "plugins/tour/tour_topics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// Longer questions are quoted up to here; the omission is mentioned.
inline constexpr std::size_t kMaxQuotedBytes = 4 * 1024;
/// Limit for a question in the greeting.
inline constexpr std::size_t kMaxGreetingBytes = 400;
/// The newest ones are quoted; the number of omitted ones is mentioned.
inline constexpr std::size_t kMaxQuotedTurns = 50;

/// Returns the user's question within a prompt: all of it, or what follows the marker of the open
/// prompt when a document comes with it. Line ends become "\n".
std::string open_question(std::string_view prompt);

/// Returns the topic whose keywords occur most often in `question`.
Topic recognise(std::string_view question);

enum class TourTool {
  ReadClock,       ///< needs permission
  CountWords,      ///< of the question
  CountQuestions,  ///< of the session
  LookAtFolder,    ///< the working folder
};

/// Returns what the tool does, for the user.
std::string_view name_of(TourTool tool);

enum class ToolVerdict { Allowed, Denied };

struct ToolOutcome {
  ToolVerdict verdict = ToolVerdict::Allowed;
  std::string text;  ///< the tool's result, or the reason for denying it
};

/// One message of the tour. Without a tool it is the last one of the reply.
struct Round {
  std::string thinking;  ///< empty: none
  std::string text;
  std::optional<TourTool> tool;
};

/// Returns the next message. `outcomes` are those of the tools used so far in this reply; the
/// question is the last turn of `session`.
Round compose(Topic topic, const TourSession& session, const std::vector<ToolOutcome>& outcomes);

/// The tools that need nothing but the conversation.
std::string count_words(const TourSession& session);
std::string count_questions(const TourSession& session);

}  // namespace agent_doc::plugins::tour
