// Recognises a message that is sent again. When a connection breaks, claude-agent-acp asks its
// model again, says nothing of it, and streams the answer from its beginning, as a message with
// another id. Only the text proves it: a message that begins with all of the one before it, with no
// tool in between, takes its place. Use one for each agent process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::plugins {

/// Limit for the message that later ones are compared with, in bytes. A longer one is not compared.
inline constexpr std::size_t kMaxRetriedText = 256UL * 1024;

class AcpRetry {
 public:
  enum class Verdict {
    Undecided,  ///< it repeats the message before it as far as it goes: the text is held
    Again,      ///< it is the message before it, which its text replaces
    GoesOn,     ///< it is the rest of the message before it
    Another,    ///< it is another message
  };
  /// Text of messages that were held: `before` of the one before the open one, `text` of the open
  /// one.
  struct Held {
    std::string before;
    std::string text;
  };

  /// Forgets the message before: a turn begins, or a tool was used.
  void reset();
  /// Says that a message under a new id begins. Held text stays held.
  void begin_message();
  /// Says that the agent reported usage, which it does at the end of a message that is complete.
  void usage_reported();
  /// Compares more text of the open message, which is held until the verdict is in.
  Verdict hear(std::string_view text);
  /// Returns what is held, and holds it no more. After `Again`, only `text` is set.
  Held take();
  bool is_holding() const { return !held_.empty(); }

 private:
  /// A way to read what is held: from `begin` on it is the earlier message, so far.
  struct Reading {
    std::size_t begin = 0;
    bool fits = false;
  };
  void compare(Reading& reading, std::size_t compared) const;
  bool covers(const Reading& reading) const;
  void keep(std::string_view text);

  std::string earlier_;  ///< the message that the open one may repeat
  std::string current_;  ///< the open message, as it was passed on
  bool is_too_long_ = false;
  bool reports_usage_ = false;  ///< in this turn
  bool is_cut_ = false;         ///< the open message is another try, and was not completed so far
  bool may_go_on_ = false;      ///< the message before was cut, so the open one may be its rest
  std::string held_;
  std::size_t message_ = 0;  ///< where the open message begins in `held_`
  Reading anew_;             ///< the open message begins from the start again
  Reading goes_on_;          ///< the open message is the rest of the one before it
};

}  // namespace agent_doc::plugins
