// Assigns the texts of an unknown agent to messages and blocks, and decides whether each is an
// addition or complete, by names, ids and growth. A later complete text corrects a wrong guess.
// Finding texts in a line is in generic_lines.hpp and generic_text.hpp. Use one for each turn.
#pragma once

#include "plugins/agent.hpp"
#include "plugins/generic/generic_ids.hpp"
#include "plugins/generic/generic_text.hpp"
#include "plugins/registry.hpp"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// A line of such an agent, as far as it was interpreted.
struct GenericEvent {
  std::string_view name;
  Words words;
  std::string_view id;  ///< of the message; empty when it is not named
  std::int64_t index = 0;
  FoundText text;
  bool has_index = false;
  bool is_message = false;  ///< it is called a message, and nothing says that it is a part of one
  /// `partial` is false: it may be all parts together, or the last of them.
  bool is_last_part = false;

  bool has(std::initializer_list<std::string_view> looked_for) const {
    return has_any(words, looked_for);
  }
  bool starts() const { return has({"start", "started", "init", "begin", "created"}); }
  bool ends() const {
    return has({"stop", "stopped", "done", "complete", "completed", "end", "ended", "result",
                "finish", "finished", "final"});
  }
  bool adds() const { return has({"delta", "partial", "chunk", "progress", "update", "updated"}); }
  bool is_of_a_piece() const {
    return has({"message", "item", "block", "content", "part", "text", "output", "step"});
  }
};

class GenericTexts {
 public:
  explicit GenericTexts(GenericAgent::TextMode mode) : mode_(mode) {}

  /// How a text was interpreted.
  enum class Taken { New, WholeSoFar, WholeMessage, WholeTurn };
  /// Takes a text of the reply.
  Taken take(GenericEvent& event, Actions& actions);
  /// Uses the top-level `id` of the line as that of the message when nothing else names it.
  void name_message(std::string_view top_level_id, GenericEvent& event);
  /// Returns the block of the reply, or of a thought before it.
  BlockKey key_of(const GenericEvent& event) const;
  /// Begins another message, because a tool was called.
  void next_message();
  /// Begins another message with the next text that names none.
  void message_ended() { message_ended_ = true; }
  /// Records whether texts of the reply arrived by another way, so that a final text may be one or
  /// all of them.
  void note_other_texts(bool arrived) { several_texts_ = arrived; }

 private:
  /// What is known of the texts of one message.
  struct Watched {
    enum class Mode { Open, Deltas, Snapshots } mode = Mode::Open;
    std::string last;  ///< while Open
    /// How many consecutive texts, from the first on, begin with the previous one.
    int growths = 0;
  };

  void on_piece(GenericEvent& event, Actions& actions);
  void on_message(GenericEvent& event, Actions& actions);
  void on_whole(GenericEvent& event, Actions& actions);
  void on_final(const GenericEvent& event, Actions& actions);
  bool repeats_all(std::string_view text) const;
  bool find_block(GenericEvent& event);
  void give(const GenericEvent& event, bool is_whole, Actions& actions);
  bool is_whole_text(const GenericEvent& event);
  bool goes_on(const GenericEvent& event) const;

  GenericAgent::TextMode mode_;
  /// For events that name no message, a message is what is between two tool calls, or up to an
  /// event that ends it.
  std::string message_ = "1";
  std::uint64_t messages_ = 1;
  std::string text_;     ///< of that message
  std::string earlier_;  ///< the texts of the earlier messages
  bool message_ended_ = false;
  TopLevelIds ids_;
  NamedBlocks blocks_;
  std::string given_;  ///< the message that got text last
  std::int64_t given_index_ = 0;
  bool given_whole_ = false;
  bool several_texts_ = false;
  std::map<std::string, Watched, std::less<>> watched_;
};

}  // namespace agent_doc::plugins
