#include "editors/cli/line_explainer.hpp"

#include "server/text/visible.hpp"
#include "server/turn/question.hpp"

#include <utility>
#include <variant>

namespace agent_doc::cli {

namespace {

class Nowhere final : public plugins::Actions {
 public:
  void emit(const plugins::AgentEvent&) override {}
  void write_line(std::string) override {}
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}
};

std::string quoted(std::string_view text) {
  return "\"" + text::visible_line(turn::without_middle(text, kMaxExplainedText)) + "\"";
}

std::string of_lane(std::string_view lane) {
  return lane.empty() ? "" : " of a sub-agent, which is not shown";
}

struct Words {
  std::string operator()(const plugins::SessionStarted& e) const {
    return "the session " + quoted(e.session_id) +
           (e.model.empty() ? "" : ", model " + quoted(e.model));
  }
  std::string operator()(const plugins::MessageStarted& e) const {
    return "a message begins" + of_lane(e.lane);
  }
  std::string operator()(const plugins::BlockStarted& e) const {
    const char* kind = e.kind == plugins::BlockKind::Text       ? "text"
                       : e.kind == plugins::BlockKind::Thinking ? "thinking"
                                                                : "a tool call";
    return std::string("a block begins: ") + kind + of_lane(e.key.lane);
  }
  std::string operator()(const plugins::TextDelta& e) const {
    return "new text" + of_lane(e.key.lane) + ": " + quoted(e.text);
  }
  std::string operator()(const plugins::ThinkingDelta& e) const {
    return "new thinking" + of_lane(e.key.lane) + ": " + quoted(e.text);
  }
  std::string operator()(const plugins::ToolInputDelta&) const {
    return "a piece of a tool's arguments";
  }
  std::string operator()(const plugins::Snapshot& e) const {
    const char* kind = e.kind == plugins::BlockKind::Text ? "text" : "thinking";
    return std::string("the whole ") + kind + " of a block so far" + of_lane(e.key.lane) + ": " +
           quoted(e.text);
  }
  std::string operator()(const plugins::BlockEnded&) const { return "a block ends"; }
  std::string operator()(const plugins::MessageEnded&) const { return "a message ends"; }
  std::string operator()(const plugins::ToolStarted& e) const {
    return "a tool is called: " + quoted(e.name) + " " + quoted(e.summary);
  }
  std::string operator()(const plugins::ToolEnded& e) const {
    return e.is_error ? "a tool has failed" : "a tool has ended";
  }
  std::string operator()(const plugins::PermissionAsked& e) const {
    return "a permission question: " + quoted(e.tool) + " (denied in this trial)";
  }
  std::string operator()(const plugins::PermissionWithdrawn&) const {
    return "a permission question is taken back";
  }
  std::string operator()(const plugins::Usage&) const { return "what was used"; }
  std::string operator()(const plugins::Notice& e) const {
    return "for the status line: " + quoted(e.text);
  }
  std::string operator()(const plugins::Failure& e) const {
    return "the turn fails: " + text::visible_line(e.message);
  }
  std::string operator()(const plugins::TurnEnded& e) const {
    return e.outcome == plugins::Outcome::Done     ? "the turn is done"
           : e.outcome == plugins::Outcome::Failed ? "the turn has failed"
                                                   : "the turn is cancelled";
  }
  std::string operator()(const plugins::SteerHeard&) const {
    return "what was said in the middle of the turn is read";
  }
  std::string operator()(const plugins::SteerRefused&) const {
    return "what was said in the middle of the turn is not read";
  }
  std::string operator()(const plugins::SessionsListed&) const { return "a list of sessions"; }
  std::string operator()(const plugins::Printed&) const { return "kept for `agent-doc log`"; }
  std::string operator()(const plugins::Unrecognised& e) const {
    return "not understood: " + quoted(e.type);
  }
  std::string operator()(const plugins::Malformed& e) const {
    return "no JSON, or broken: " + quoted(e.line);
  }
};

}  // namespace

LineExplainer::LineExplainer(const plugins::AgentSpec& spec, Write write)
    : write_(std::move(write)) {
  if (spec.dialect == "generic" && spec.generic.format != plugins::GenericAgent::Format::Text) {
    generic_ = std::make_unique<plugins::GenericLines>(spec.generic);
  }
}

void LineExplainer::line_begins(std::string_view line) {
  in_line_ = true;
  ++lines_;
  line_ = turn::without_middle(line, kMaxExplainedLine);
  if (generic_) read_again(line);
}

void LineExplainer::read_again(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos ||
      (line[begin] != '{' && !line.substr(begin).starts_with("data:")))
    return;
  Nowhere nowhere;
  json_.begin(line);
  while (const boost::json::object* object = json_.next()) {
    generic_->on_object(*object, nowhere);
    findings_.push_back("why: " + generic_->reading());
  }
}

void LineExplainer::event(const plugins::AgentEvent& event) {
  if (std::holds_alternative<plugins::Printed>(event)) return;  // every line that yields nothing
  findings_.push_back(std::visit(Words{}, event));
  if (!in_line_) {
    write_("at its end\n    " + findings_.back() + "\n");
    findings_.clear();
  }
}

void LineExplainer::line_ended() {
  in_line_ = false;
  std::string text = "line " + std::to_string(lines_) + ": " + text::visible_line(line_) + "\n";
  if (findings_.empty()) findings_.push_back("nothing of it is needed");
  for (const std::string& finding : std::exchange(findings_, {})) text += "    " + finding + "\n";
  write_(text);
}

}  // namespace agent_doc::cli
