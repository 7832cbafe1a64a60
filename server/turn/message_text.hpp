// What it is: makes of the raw blocks of one message what stands in the document: sanitised,
// thoughts taken out or folded, leading blank lines dropped, a blank line to what stands before, no
// heading that would begin a turn.
// What it is not: it keeps no text; the caller gives it the blocks in their order, and again from
// the start when an earlier one changed.
// Thread rule: not thread-safe; one per message and rendering.
#pragma once

#include "server/turn/reply.hpp"
#include "server/turn/sanitiser.hpp"
#include "server/turn/tag_filter.hpp"
#include "server/turn/turn_headings.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::turn {

class MessageText : private TaggedText {
 public:
  /// `before`: the reply up to this message. It is read once; following() reads nothing.
  MessageText(Thinking thinking, std::string_view before);
  /// For the message that stands behind this one, which is finished.
  MessageText following() const;
  /// For the message that goes on where this one, which is finished, was cut: nothing comes between
  /// the two.
  MessageText continuing() const;

  /// Appends to `out` what the next piece of raw text adds to the reply.
  void add_text(std::string_view raw, std::string& out);
  /// A thought is written, folded, in front of the text that follows it.
  void add_thinking(std::string_view raw);
  /// The message ends: what may have become a tag or a heading is text.
  void finish(std::string& out);
  /// finish() wrote something, so that more text has to be rendered from the message's start.
  bool wrote_at_finish() const { return wrote_at_finish_; }

 private:
  void text(std::string_view piece) override;
  void thinking(std::string_view thought) override;
  void open();
  void write(std::string_view text) { headings_.feed(text, *out_); }

  Thinking mode_;
  Sanitiser text_sanitiser_;
  Sanitiser thought_sanitiser_;
  TagFilter tags_;
  TurnHeadings headings_;
  std::string clean_;           ///< a buffer, kept for its capacity
  std::string* out_ = nullptr;  ///< during a call
  std::string leading_space_;   ///< of the line that begins the text
  std::string thought_;         ///< not yet written
  bool opening_ = true;         ///< nothing was written since the start or since a thought
  bool wrote_at_finish_ = false;
  std::size_t newlines_missing_ = 0;  ///< to a blank line at the end of the reply so far
};

}  // namespace agent_doc::turn
