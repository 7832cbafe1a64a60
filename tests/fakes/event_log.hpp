// What it is: what an AgentProtocol wants done, for tests: each event as one short line, and what was written and signalled.
// What it is not: it judges nothing; a protocol's whole turns are played by tests/transcripts/player.hpp.
// Thread rule: one thread.
#pragma once

#include "plugins/agent.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::tests {

class EventLog : public plugins::Actions {
 public:
  void emit(const plugins::AgentEvent& event) override { log.push_back(std::visit(Teller{}, event)); }
  void write_line(std::string line) override { written.push_back(std::move(line)); }
  void close_stdin() override { closed_stdin = true; }
  void send_signal(plugins::Signal signal) override { signals.push_back(signal); }
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

  std::vector<std::string> log;
  std::vector<std::string> written;
  bool closed_stdin = false;
  std::vector<plugins::Signal> signals;

 private:
  struct Teller {
    using Text = std::string;
    static Text key(const plugins::BlockKey& key) {
      return (key.lane.empty() ? Text() : Text(key.lane) + ":") + Text(key.message) + "/" + std::to_string(key.index) + " ";
    }
    static Text kind(plugins::BlockKind kind) {
      return kind == plugins::BlockKind::Text ? "text " : kind == plugins::BlockKind::Thinking ? "thinking " : "tool ";
    }
    static Text kind(plugins::FailureKind kind) {
      switch (kind) {
        case plugins::FailureKind::Auth: return "auth ";
        case plugins::FailureKind::RateLimit: return "rate_limit ";
        case plugins::FailureKind::Invalid: return "invalid ";
        case plugins::FailureKind::Network: return "network ";
        case plugins::FailureKind::Refused: return "refused ";
        case plugins::FailureKind::MaxTokens: return "max_tokens ";
        case plugins::FailureKind::SessionUnknown: return "session_unknown ";
        case plugins::FailureKind::ForkUnsupported: return "fork_unsupported ";
        case plugins::FailureKind::Crashed: return "crashed ";
        case plugins::FailureKind::Unknown: break;
      }
      return "unknown ";
    }
    Text operator()(const plugins::SessionStarted& e) const { return "session " + Text(e.session_id) + " " + Text(e.model); }
    Text operator()(const plugins::MessageStarted& e) const { return "message " + Text(e.message); }
    Text operator()(const plugins::BlockStarted& e) const { return "block " + key(e.key) + kind(e.kind); }
    Text operator()(const plugins::TextDelta& e) const { return "delta " + key(e.key) + Text(e.text); }
    Text operator()(const plugins::ThinkingDelta& e) const { return "thinking " + key(e.key) + Text(e.text); }
    Text operator()(const plugins::ToolInputDelta& e) const { return "input " + key(e.key) + Text(e.json); }
    Text operator()(const plugins::Snapshot& e) const { return "snapshot " + key(e.key) + kind(e.kind) + Text(e.text); }
    Text operator()(const plugins::BlockEnded& e) const { return "block end " + key(e.key); }
    Text operator()(const plugins::MessageEnded& e) const { return "message end " + Text(e.message); }
    Text operator()(const plugins::ToolStarted& e) const {
      return "tool " + Text(e.id) + " " + Text(e.name) + (e.summary.empty() ? "" : ": " + Text(e.summary));
    }
    Text operator()(const plugins::ToolEnded& e) const { return "tool " + Text(e.id) + " ended" + (e.is_error ? " with an error" : ""); }
    Text operator()(const plugins::PermissionAsked& e) const { return "asked " + Text(e.id) + " " + Text(e.tool) + " " + Text(e.detail); }
    Text operator()(const plugins::PermissionWithdrawn& e) const { return "withdrawn " + Text(e.id); }
    Text operator()(const plugins::Usage& e) const {
      Text text = "usage";
      for (const std::int64_t count : {e.input, e.output, e.cache_read, e.cache_write, e.cost_micros}) text += " " + std::to_string(count);
      return text;
    }
    Text operator()(const plugins::Notice& e) const { return (e.kind == plugins::NoticeKind::Warning ? "warning " : "status ") + Text(e.text); }
    Text operator()(const plugins::Failure& e) const { return "failure " + kind(e.kind) + Text(e.message); }
    Text operator()(const plugins::TurnEnded& e) const {
      const Text how = e.outcome == plugins::Outcome::Done ? "done" : e.outcome == plugins::Outcome::Failed ? "failed" : "cancelled";
      return "ended " + how + (e.text.empty() ? "" : ": " + Text(e.text));
    }
    Text operator()(const plugins::Unrecognised& e) const { return "unrecognised " + Text(e.type); }
    Text operator()(const plugins::Malformed& e) const { return "malformed " + Text(e.line); }
  };
};

}  // namespace agent_doc::tests
