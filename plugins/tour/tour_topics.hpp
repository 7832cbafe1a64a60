// The topics of the tour, their keywords and their texts. tour_text.hpp chooses a topic and
// composes the reply.
#pragma once

#include <array>
#include <string_view>

namespace agent_doc::plugins::tour {

/// In the order in which the tour offers them.
enum class Topic {
  Welcome,
  Typing,
  History,
  Permission,
  Rounds,
  Stop,
  Fork,
  Resume,
  Markdown,
  Tables,
  Code,
  Unicode,
  Thinking,
  Agents,
  Folder,
  Long,
  Unknown,  ///< no keyword matched
};

struct TopicEntry {
  Topic topic;
  std::string_view name;    ///< the word to write to get there
  std::string_view teaser;  ///< completes "NAME: …" in an offer
  /// Separated by '|'. A word matches a word of the question or its plural; an entry with a space
  /// or beyond ASCII matches anywhere.
  std::string_view keywords;
  std::string_view body;  ///< markdown; empty when the reply depends on the conversation
};

const std::array<TopicEntry, 16>& topics();
const TopicEntry& entry_of(Topic topic);

/// Returns markdown that explains to a newcomer what they see: with a list, a table, code, emoji
/// and CJK.
std::string_view welcome_card();
/// Returns a text of about 1,200 words.
std::string_view long_read();

}  // namespace agent_doc::plugins::tour
