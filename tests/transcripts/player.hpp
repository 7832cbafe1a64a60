// What it is: recordings of the real agents, played line by line through their protocol, the turn
// and the reply, and what a turn has become compared with what the recording's EXPECTED.json says.
// What it is not: bytes and processes: how stdout is cut into lines is tested with the line reader
// and end to end.
// Thread rule: one thread.
#pragma once

#include "plugins/registry.hpp"
#include "server/session/permission_broker.hpp"
#include "server/turn/turn.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::tests {

/// The agents of one process per turn: what all of them must do is tested with the recordings of
/// each.
inline constexpr std::string_view kOneShotDialects[] = {"gemini-stream", "opencode-run",
                                                        "cursor-agent"};

/// One recording of tests/data/transcripts/AGENT: NAME.ndjson, NAME.exit, NAME.stderr.
struct Recording {
  std::string name;
  std::vector<std::string> lines;
  plugins::ExitStatus exit;
};

Recording read_recording(std::string_view agent, const std::string& name);
/// Lines of a file of that folder.
std::vector<std::string> read_lines(std::string_view agent, const std::string& file);
/// EXPECTED.json of the agent's folder: {"recordings": {NAME: [turn, …]}}.
boost::json::value read_expected(std::string_view agent);

std::string_view name_of(plugins::FailureKind kind);

/// Applies the edits of a reply, as a document would.
class ReplyDocument final : public turn::RegionWrites {
 public:
  void write(const turn::RegionWrite& write) override;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// One agent process and the turns of its session.
class Player final : public plugins::Actions, private session::PermissionBrokerOwner {
 public:
  struct Played {
    ReplyDocument document;
    std::unique_ptr<turn::Turn> turn;
    int ends = 0;
  };

  Player(plugins::AgentSpec spec, turn::Rounds rounds, const plugins::LaunchRequest& request = {});

  void begin(const std::string& prompt);
  void line(std::string_view line);
  void exit(const plugins::ExitStatus& status) { protocol_->on_exit(status, *this); }
  void cancel() { protocol_->cancel(*this); }
  /// Answers the question that is asked.
  void answer(const std::string& option);

  void emit(const plugins::AgentEvent& event) override;
  void write_line(std::string line) override { written.push_back(std::move(line)); }
  void close_stdin() override { closed_stdin = true; }
  void send_signal(plugins::Signal signal) override { signals.push_back(signal); }
  void read_file(plugins::FileRead request) override { reads.push_back(std::move(request)); }
  void write_file(plugins::FileWrite request) override { writes.push_back(std::move(request)); }

  Played& last() { return *turns_.back(); }
  const std::vector<std::unique_ptr<Played>>& turns() const { return turns_; }
  plugins::AgentProtocol& protocol() { return *protocol_; }

  std::vector<std::string> written;
  std::vector<plugins::Signal> signals;
  std::vector<plugins::FileRead> reads;
  std::vector<plugins::FileWrite> writes;
  bool closed_stdin = false;
  plugins::Launch launch;

 private:
  void show_permission(const turn::Permission& permission) override {
    last().turn->ask(permission);
  }
  void hide_permission(const std::string&) override { last().turn->permission_answered(); }
  void answer_permission(const std::string& id, const std::string& option) override {
    protocol_->answer(id, option, *this);
  }
  void permission_denied(const turn::Permission&) override {}

  turn::Rounds rounds_;
  session::PermissionBroker permissions_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  std::vector<std::unique_ptr<Played>> turns_;
};

/// The text of the turn's rounds as `expectation` has them.
std::string expected_text(const boost::json::object& turn, turn::Rounds rounds);
/// Compares all that `expectation` tells: rounds, state, failure, session, model, usage. `agent`
/// begins every failure's message.
void check_turn(const Player::Played& played, const boost::json::object& expectation,
                turn::Rounds rounds, std::string_view agent);

}  // namespace agent_doc::tests
