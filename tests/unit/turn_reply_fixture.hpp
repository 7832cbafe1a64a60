// What it is: a Reply with its document, and short names for the events of the tests.
// What it is not: it checks nothing but that the document follows the reply.
// Thread rule: one test at a time.
#pragma once

#include "server/turn/reply.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::turn {

/// Applies edits as a document would, and notes them: "+text" or "offset|text".
class EditedText : public RegionWrites {
 public:
  void write(const RegionWrite& write) override {
    REQUIRE(write.region == kReplyRegion);
    REQUIRE(write.offset <= text_.size());
    const bool appends = write.offset == text_.size();
    const bool between_characters =
        appends || (static_cast<unsigned char>(text_[write.offset]) & 0xC0) != 0x80;
    CHECK(between_characters);
    const bool changes = !appends || !write.text.empty();
    CHECK(changes);
    text_.resize(write.offset);
    text_.append(write.text);
    edits.push_back((appends ? "+" : std::to_string(write.offset) + "|") + std::string(write.text));
  }
  const std::string& text() const { return text_; }

  std::vector<std::string> edits;

 private:
  std::string text_;
};

class ReplyFixture {
 public:
  explicit ReplyFixture(Rounds rounds = Rounds::Last, Thinking thinking = Thinking::None)
      : reply(rounds, thinking, document) {}

  /// Also the name of the message that the calls below are about.
  ReplyFixture& message(std::string id) {
    message_ = std::move(id);
    return event(plugins::MessageStarted{lane, message_});
  }
  ReplyFixture& start(int index, plugins::BlockKind kind = plugins::BlockKind::Text) {
    return event(plugins::BlockStarted{key(index), kind});
  }
  ReplyFixture& delta(int index, std::string_view text) {
    return event(plugins::TextDelta{key(index), text});
  }
  ReplyFixture& thinking(int index, std::string_view text) {
    return event(plugins::ThinkingDelta{key(index), text});
  }
  /// One whose block is not told.
  ReplyFixture& snapshot(std::string_view text) {
    return event(plugins::Snapshot{key(-1), plugins::BlockKind::Text, text});
  }
  ReplyFixture& snapshot(int index, std::string_view text) {
    return event(plugins::Snapshot{key(index), plugins::BlockKind::Text, text});
  }
  ReplyFixture& of(std::string id) {
    message_ = std::move(id);
    return *this;
  }
  ReplyFixture& end() { return event(plugins::MessageEnded{lane, message_, "end_turn", {}}); }
  ReplyFixture& abandon(int from) { return event(plugins::MessageEnded{lane, message_, "", from}); }
  ReplyFixture& tool(std::string_view id) {
    return event(plugins::ToolStarted{lane, id, "Bash", ""});
  }
  ReplyFixture& event(const plugins::AgentEvent& event) {
    reply.on_event(event);
    CHECK(document.text() == reply.text());
    return *this;
  }
  std::string finish() {
    reply.finish();
    CHECK(document.text() == reply.text());
    return document.text();
  }

  EditedText document;
  Reply reply;
  std::string lane;

 private:
  plugins::BlockKey key(int index) const { return {lane, message_, index}; }

  std::string message_ = "m";
};

}  // namespace agent_doc::turn
