// What it is: one running agent process with the protocol that speaks with it, joined: its lines
// become events, what the protocol wants becomes lines and signals.
// What it is not: it knows no document and no turn but that one is running or not. No exception
// leaves it, of the protocol or of the owner: one ends the turn with a sentence, and the agent with
// it.
// Thread rule: not thread-safe; the server's thread only. The owner must not destroy it from inside
// an AgentLinkOwner call.
#pragma once

#include "plugins/registry.hpp"
#include "server/process/child.hpp"
#include "server/session/session_lease.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::session {

/// Returns what the agent says by an event that comes while no turn runs; empty when it says
/// nothing.
std::string_view said_outside_of_turn(const plugins::AgentEvent& event);

class AgentLinkOwner {
 public:
  virtual ~AgentLinkOwner() = default;
  /// Before the events of a line.
  virtual void on_agent_line(std::size_t bytes) = 0;
  virtual void on_agent_event(const plugins::AgentEvent& event) = 0;
  virtual void on_prompt_sent() {}
  /// Any bytes.
  virtual void on_agent_stderr(std::string_view bytes) { static_cast<void>(bytes); }
  virtual plugins::FileAnswer read_file(const plugins::FileRead& request) = 0;
  virtual plugins::FileAnswer write_file(const plugins::FileWrite& request) = 0;
  /// What the agent said after its last turn, `turn`, while it was being ended.
  virtual void on_last_words(const std::string& agent, const std::string& turn,
                             std::string_view text) {
    static_cast<void>(agent), static_cast<void>(turn), static_cast<void>(text);
  }
  /// After the last event of a line, and after the end of the process.
  virtual void on_agent_settled() = 0;
};

class AgentLink final : private plugins::Actions, private process::ChildObserver {
 public:
  using Launcher = std::function<boost::system::result<std::unique_ptr<process::Child>>(
      const plugins::Launch&, process::ChildObserver&)>;

  AgentLink(plugins::AgentSpec spec, std::unique_ptr<plugins::AgentProtocol> protocol,
            AgentLinkOwner& owner);

  /// Starts the process. On an error nothing is left of it.
  boost::system::result<void> start(const plugins::LaunchRequest& request,
                                    const Launcher& launcher);
  /// Precondition: running(), no turn is running.
  void begin_turn(const plugins::TurnRequest& request);
  /// In the place of begin_turn(): AgentProtocol::list_sessions().
  void list_sessions();
  /// AgentProtocol::can_steer() and steer().
  bool can_steer() const { return running() && !broken() && in_turn_ && protocol_->can_steer(); }
  void steer(const plugins::SteerRequest& request);
  void cancel();
  void answer(std::string_view permission, std::string_view option);
  /// Ends the process with its whole tree; its last events still come.
  void stop(process::StopUrgency urgency);
  /// Ends the process in order: an agent that is in no turn is told that its session is over, when
  /// it wants to know, and has time to write down what it keeps. From now on the owner hears
  /// nothing of it but that it is gone (on_agent_settled), and what it says to its last turn, when
  /// that is over: `turn`. May be called again, with more urgency.
  void retire(process::StopUrgency urgency, const std::string& turn = {});
  /// Gives `lease` back when the process is gone.
  void hold(std::unique_ptr<SessionLease> lease) {
    if (!gone()) lease_ = std::move(lease);
  }

  bool running() const { return child_ != nullptr && !gone_; }
  /// An exception came out of the protocol or the owner: nothing that the agent says is read any
  /// more, and it is stopped.
  bool broken() const { return broken_by_.has_value(); }
  bool gone() const { return gone_ || child_ == nullptr; }
  const plugins::AgentSpec& spec() const { return spec_; }
  const plugins::LaunchRequest& request() const { return request_; }
  bool lives_for_one_turn() const { return lifetime_ == plugins::ProcessLifetime::Turn; }

 private:
  void emit(const plugins::AgentEvent& event) override;
  void write_line(std::string line) override;
  void close_stdin() override;
  void send_signal(plugins::Signal signal) override;
  void read_file(plugins::FileRead request) override;
  void write_file(plugins::FileWrite request) override;
  void prompt_sent() override;
  void on_line(std::string_view line) override;
  void on_text(std::string_view piece) override;
  void on_stderr(std::string_view bytes) override;
  void on_line_too_long(std::size_t bytes) override;
  void on_exit(const plugins::ExitStatus& status) override;
  void hear_last_words(const plugins::AgentEvent& event);
  /// Tells the owner, as printed, the line of which something was not understood; once.
  void tell_line_not_understood();
  /// Does nothing when broken().
  template <class Call>
  void guarded(Call&& call);
  /// Ends the turn, if one is running, and the agent.
  void tell_of_break();

  plugins::AgentSpec spec_;
  std::unique_ptr<plugins::AgentProtocol> protocol_;
  AgentLinkOwner& owner_;
  bool disowned_ = false;
  std::string last_turn_;  ///< of a disowned link: the turn that its last words belong to; empty:
                           ///< nobody wants them
  bool in_turn_ = false;
  std::string_view line_;        ///< that is being read
  bool not_understood_ = false;  ///< something of line_, and nobody was told the line
  std::unique_ptr<SessionLease> lease_;
  std::unique_ptr<process::Child> child_;
  plugins::LaunchRequest request_;
  plugins::ProcessLifetime lifetime_ = plugins::ProcessLifetime::Session;
  bool gone_ = false;
  std::optional<std::string> broken_by_;
};

}  // namespace agent_doc::session
