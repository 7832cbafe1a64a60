#include "server/turn/heard.hpp"

#include <string_view>
#include <variant>

namespace agent_doc::turn {
namespace {

bool has_word(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

}  // namespace

class Heard::EventVisitor {
 public:
  explicit EventVisitor(Heard& heard) : heard_(heard) {}

  void operator()(const plugins::TextDelta& event) { text(event.text); }
  void operator()(const plugins::ThinkingDelta& event) { text(event.text); }
  void operator()(const plugins::Snapshot& event) { text(event.text); }
  void operator()(const plugins::TurnEnded& event) { text(event.text); }
  void operator()(const plugins::BlockStarted& event) {
    if (event.kind == plugins::BlockKind::ToolCall) heard_.anything_ = true;
  }
  void operator()(const plugins::ToolStarted&) { heard_.anything_ = true; }
  void operator()(const plugins::PermissionAsked&) { heard_.anything_ = true; }
  void operator()(const plugins::Failure&) { heard_.anything_ = true; }
  void operator()(const plugins::Notice& event) {
    if (event.kind == plugins::NoticeKind::Compaction) heard_.anything_ = true;
  }
  void operator()(const plugins::Unrecognised&) { ++heard_.not_understood_; }
  void operator()(const plugins::Malformed&) { ++heard_.not_understood_; }
  template <class Other>
  void operator()(const Other&) {}

 private:
  void text(std::string_view text) { heard_.anything_ = heard_.anything_ || has_word(text); }

  Heard& heard_;
};

void Heard::on_event(const plugins::AgentEvent& event) {
  std::visit(EventVisitor(*this), event);
}

}  // namespace agent_doc::turn
