// What it is: what the tour says: from the question and the session to thinking, text and tools,
// round by round. Deterministic.
// What it is not: no protocol, no pace, no clock: it asks for tools by name and gets their results.
// Thread rule: pure functions.
#pragma once

#include "plugins/tour/tour_session.hpp"
#include "plugins/tour/tour_topics.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins::tour {

/// A question longer than this is quoted up to here; what is left out is told.
inline constexpr std::size_t kMaxQuotedBytes = 4 * 1024;
/// In the greeting.
inline constexpr std::size_t kMaxGreetingBytes = 400;
/// The newest ones; how many are left out is told.
inline constexpr std::size_t kMaxQuotedTurns = 50;

/// The person's question in what the agent was sent: the whole prompt, or what stands behind the
/// marker of the open prompt when a document comes with it. Line ends become "\n".
std::string open_question(std::string_view prompt);

/// The topic whose words occur most in `question`.
Topic recognise(std::string_view question);

enum class TourTool {
  ReadClock,       ///< asks for permission
  CountWords,      ///< of the question
  CountQuestions,  ///< of the session
  LookAtFolder,    ///< in which it works
};

/// What a tool was asked to do, for a person.
std::string_view name_of(TourTool tool);

enum class ToolVerdict { Allowed, Denied };

struct ToolOutcome {
  ToolVerdict verdict = ToolVerdict::Allowed;
  std::string text;  ///< the tool's result, or what was said on denying it
};

/// One message of the tour. Without a tool it is the last one of the reply.
struct Round {
  std::string thinking;  ///< empty: none
  std::string text;
  std::optional<TourTool> tool;
};

/// The next message: `outcomes` are those of the tools used so far in this reply. The question is
/// the last turn of `session`.
Round compose(Topic topic, const TourSession& session, const std::vector<ToolOutcome>& outcomes);

/// The tools that need nothing but the conversation.
std::string count_words(const TourSession& session);
std::string count_questions(const TourSession& session);

}  // namespace agent_doc::plugins::tour
