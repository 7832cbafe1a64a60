#include "server/turn/thoughts.hpp"

#include <utility>
#include <variant>

namespace agent_doc::turn {

namespace {

std::string name_of(const plugins::BlockKey& key) {
  return std::string(key.message) + "/" + std::to_string(key.index);
}

}  // namespace

/// Takes the thoughts out of tags; the text around them is the reply's.
class Thoughts::Tags final : public TaggedText {
 public:
  explicit Tags(Thoughts& thoughts) : thoughts_(thoughts) {}
  void text(std::string_view) override {}
  void thinking(std::string_view thought) override { thoughts_.tell(std::string(thought)); }

 private:
  Thoughts& thoughts_;
};

void Thoughts::on_event(const plugins::AgentEvent& event) {
  using plugins::BlockKind;
  if (const auto* delta = std::get_if<plugins::ThinkingDelta>(&event)) {
    if (delta->key.lane.empty()) thought(delta->key, delta->text);
  } else if (const auto* added = std::get_if<plugins::TextDelta>(&event)) {
    if (added->key.lane.empty()) text(added->key, added->text);
  } else if (const auto* whole = std::get_if<plugins::Snapshot>(&event)) {
    if (!whole->key.lane.empty()) return;
    if (whole->kind == BlockKind::Thinking) whole_thought(whole->text);
    if (whole->kind != BlockKind::Text) return;
    tell_open();
    Tags tags(*this);
    TagFilter filter;
    filter.feed(whole->text, tags);
  } else if (std::holds_alternative<plugins::ToolStarted>(event) ||
             std::holds_alternative<plugins::MessageStarted>(event)) {
    tell_open();
  }
}

void Thoughts::finish() {
  tell_open();
}

void Thoughts::thought(const plugins::BlockKey& key, std::string_view text) {
  std::string block = name_of(key);
  if (block != of_) {
    tell_open();
    of_ = std::move(block);
  }
  open_ += text;
  if (open_.size() > kMaxThought) tell_open();
}

/// What is open and goes on so, or is this very text, is this thought.
void Thoughts::whole_thought(std::string_view text) {
  if (!text.starts_with(open_)) tell_open();
  open_ = text;
  tell_open();
}

void Thoughts::text(const plugins::BlockKey& key, std::string_view text) {
  tell_open();
  std::string block = name_of(key);
  if (block != text_of_) {
    text_of_ = std::move(block);
    tags_ = TagFilter();
  }
  Tags tags(*this);
  tags_.feed(text, tags);
}

void Thoughts::tell_open() {
  if (!open_.empty()) tell(std::exchange(open_, {}));
}

void Thoughts::tell(const std::string& thought) {
  std::string clean;
  Sanitiser().feed(thought, clean);
  if (clean.find_first_not_of(" \t\n") == std::string::npos) return;
  const bool is_new =
      known_.size() >= kMaxKnownThoughts || known_.insert(std::hash<std::string>()(clean)).second;
  if (is_new) tell_(clean);
}

}  // namespace agent_doc::turn
