// What it is: a host for one AgentProtocol without a process: what the protocol says and wants
// becomes short lines that a test compares.
// What it is not: the turn and the document (tests/transcripts/player.hpp).
// Thread rule: one thread.
#pragma once

#include "plugins/agent.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::tests {
namespace protocol_host_internal {

inline std::string told(std::string_view text) {
  return "'" + std::string(text) + "'";
}

inline std::string told(const plugins::BlockKey& key) {
  return (key.lane.empty() ? "" : std::string(key.lane) + "/") + std::string(key.message) + "#" +
         std::to_string(key.index);
}

/// An event as one short line.
struct Teller {
  std::string operator()(const plugins::SessionStarted& e) const {
    return "session " + std::string(e.session_id) + " " + std::string(e.model);
  }
  std::string operator()(const plugins::MessageStarted& e) const {
    return "message " + std::string(e.lane) + std::string(e.message);
  }
  std::string operator()(const plugins::BlockStarted& e) const {
    return "block " + told(e.key) +
           (e.kind == plugins::BlockKind::Text       ? " text"
            : e.kind == plugins::BlockKind::Thinking ? " thinking"
                                                     : " tool");
  }
  std::string operator()(const plugins::TextDelta& e) const {
    return "text " + told(e.key) + " " + told(e.text);
  }
  std::string operator()(const plugins::ThinkingDelta& e) const {
    return "thinking " + told(e.key) + " " + told(e.text);
  }
  std::string operator()(const plugins::ToolInputDelta& e) const {
    return "input " + told(e.key) + " " + told(e.json);
  }
  std::string operator()(const plugins::Snapshot& e) const {
    return (e.kind == plugins::BlockKind::Text ? "snapshot " : "thought ") + told(e.key) + " " +
           told(e.text);
  }
  std::string operator()(const plugins::BlockEnded& e) const { return "end " + told(e.key); }
  std::string operator()(const plugins::MessageEnded& e) const {
    return "message end " + std::string(e.message) + " " + std::string(e.stop_reason) +
           (e.abandoned_from ? " from " + std::to_string(*e.abandoned_from) : "");
  }
  std::string operator()(const plugins::ToolStarted& e) const {
    return "tool " + std::string(e.id) + " " + std::string(e.name) + " " + told(e.summary);
  }
  std::string operator()(const plugins::ToolEnded& e) const {
    return "tool end " + std::string(e.id) + (e.is_error ? " error" : "");
  }
  std::string operator()(const plugins::PermissionAsked& e) const {
    std::string text =
        "asked " + std::string(e.id) + " " + std::string(e.tool) + " " + told(e.detail);
    for (const plugins::PermissionPart& part : e.more)
      text += " {" + part.name + ": " + (part.before ? *part.before + " -> " : std::string()) +
              part.text + "}";
    for (const plugins::PermissionOption& option : e.options) {
      text += " [" + option.id + ": " + option.label +
              (option.kind == plugins::OptionKind::Widen ? ", wider]" : "]");
    }
    return text;
  }
  std::string operator()(const plugins::PermissionWithdrawn& e) const {
    return "withdrawn " + std::string(e.id);
  }
  std::string operator()(const plugins::Usage& e) const {
    return "usage " + std::to_string(e.input) + " " + std::to_string(e.output) + " " +
           std::to_string(e.cache_read) + " " + std::to_string(e.cache_write) + " " +
           std::to_string(e.cost_micros);
  }
  std::string operator()(const plugins::Notice& e) const { return "notice " + told(e.text); }
  std::string operator()(const plugins::Failure& e) const {
    return "failure " + std::to_string(static_cast<int>(e.kind)) + " " + std::string(e.message);
  }
  std::string operator()(const plugins::TurnEnded& e) const {
    return std::string(e.outcome == plugins::Outcome::Done     ? "done "
                       : e.outcome == plugins::Outcome::Failed ? "failed "
                                                               : "cancelled ") +
           told(e.text);
  }
  std::string operator()(const plugins::SteerHeard& e) const { return "heard " + told(e.text); }
  std::string operator()(const plugins::SteerRefused&) const { return "not heard"; }
  std::string operator()(const plugins::SessionsListed& e) const {
    std::string text = e.listing == plugins::Listing::Whole ? "sessions"
                       : e.listing == plugins::Listing::Cut ? "sessions, cut"
                       : e.listing == plugins::Listing::Unsupported
                           ? "cannot list"
                           : "not listed " + told(e.problem);
    for (const plugins::KeptSession& session : e.sessions) {
      text += " [" + session.id + " " + (session.used_ms ? std::to_string(*session.used_ms) : "-") +
              " " + session.title + "]";
    }
    return text;
  }
  std::string operator()(const plugins::Printed& e) const { return "printed " + told(e.text); }
  std::string operator()(const plugins::Unrecognised& e) const {
    return "unrecognised " + std::string(e.type);
  }
  std::string operator()(const plugins::Malformed& e) const {
    return "malformed " + std::string(e.line);
  }
};

}  // namespace protocol_host_internal

using Told = std::vector<std::string>;

class ProtocolHost : public plugins::Actions {
 public:
  explicit ProtocolHost(std::unique_ptr<plugins::AgentProtocol> spoken)
      : protocol(std::move(spoken)) {}

  void emit(const plugins::AgentEvent& event) override {
    events_.push_back(std::visit(protocol_host_internal::Teller{}, event));
  }
  void write_line(std::string line) override { written_.push_back(std::move(line)); }
  void close_stdin() override { written_.emplace_back("(closed)"); }
  void send_signal(plugins::Signal) override { written_.emplace_back("(signal)"); }
  void read_file(plugins::FileRead request) override { reads.push_back(std::move(request)); }
  void write_file(plugins::FileWrite request) override { writes.push_back(std::move(request)); }

  /// Gives a line; the events since the last call.
  Told line(std::string_view text) {
    protocol->on_line(text, *this);
    return events();
  }
  Told events() { return std::exchange(events_, {}); }
  Told written() { return std::exchange(written_, {}); }
  void begin(const std::string& prompt = "prompt") {
    protocol->begin_turn({prompt}, *this);
    written_.clear();
  }
  Told exit(const plugins::ExitStatus& status) {
    protocol->on_exit(status, *this);
    return events();
  }

  std::unique_ptr<plugins::AgentProtocol> protocol;
  std::vector<plugins::FileRead> reads;
  std::vector<plugins::FileWrite> writes;

 private:
  Told events_;
  Told written_;
};

}  // namespace agent_doc::tests
