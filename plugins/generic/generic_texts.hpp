// What it is: the texts of an agent that nobody described, one after the other: which message and
// block each belongs to, and whether it is new or the whole so far, from names, ids and how texts
// grow. A later whole text repairs a wrong guess.
// What it is not: it looks for no text in a line (generic_lines.hpp, generic_text.hpp).
// Thread rule: not thread-safe; one per turn.
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

/// A line of such an agent, as far as it was read.
struct GenericEvent {
  std::string_view name;
  Words words;
  std::string_view id;  ///< of the message; empty: none is named
  std::int64_t index = 0;
  FoundText text;
  bool has_index = false;
  bool is_message = false;  ///< it is called a message, and nothing says that it is a part of one
  bool is_last_part =
      false;  ///< `partial` is false: it may be the whole of the parts, or the last of them

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

  /// What a text was taken for.
  enum class Taken { New, WholeSoFar, WholeMessage, WholeTurn };
  /// A text of the reply goes on.
  Taken take(GenericEvent& event, Actions& actions);
  /// The `id` at the top of the line is that of the message when nothing else names it.
  void name_message(std::string_view top_level_id, GenericEvent& event);
  /// Of the reply, or of a thought that stands before it.
  BlockKey key_of(const GenericEvent& event) const;
  /// What comes next is another message: a tool was called.
  void next_message();
  /// What comes next is another message when it names none.
  void message_ended() { message_ended_ = true; }
  /// Texts of the reply came on another way: what comes at the end is one of them, or all.
  void others_came(bool came) { several_texts_ = came; }

 private:
  /// What is known of the texts of one message.
  struct Watched {
    enum class Mode { Open, Deltas, Snapshots } mode = Mode::Open;
    std::string last;  ///< while open
    int growths = 0;   ///< texts in a row, from the first on, that begin with the one before
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
  /// For events that name no message: what stands between two tool calls, or ends by an event that
  /// says so, is one.
  std::string message_ = "1";
  std::uint64_t messages_ = 1;
  std::string text_;     ///< of that message
  std::string earlier_;  ///< the texts of the messages before it
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
