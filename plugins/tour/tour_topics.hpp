// What it is: what the tour can talk about: its topics, the words that call them, and their texts.
// What it is not: it does not choose a topic and puts no reply together (tour_text).
// Thread rule: constants.
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
  Unknown,  ///< the question calls no topic
};

struct TopicEntry {
  Topic topic;
  std::string_view name;    ///< what to write to get there
  std::string_view teaser;  ///< completes "NAME: …" in an offer
  /// Separated by '|'. A word matches a word of the question or its plural; an entry with a space
  /// or beyond ASCII matches anywhere in it.
  std::string_view keywords;
  std::string_view body;  ///< markdown; empty when the reply is made from the conversation
};

const std::array<TopicEntry, 16>& topics();
const TopicEntry& entry_of(Topic topic);

/// Markdown that tells a newcomer what they are looking at: with a list, a table, code, emoji and
/// CJK.
std::string_view welcome_card();
/// About 1,200 words.
std::string_view long_read();

}  // namespace agent_doc::plugins::tour
