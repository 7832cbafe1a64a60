#include "server/session/agent_link.hpp"

#include "plugins/permission_policy.hpp"

#include <exception>
#include <new>
#include <utility>
#include <variant>

namespace agent_doc::session {

namespace {

plugins::FileAnswer nobody_is_there() {
  return {false, "this session is over: no file is read or written for it any more"};
}

plugins::FileAnswer not_allowed(const std::string& path) {
  return {false,
          "the person's configuration allows no change of files: say in your reply what should be "
          "changed in " +
              path};
}

}  // namespace

std::string_view said_outside_of_turn(const plugins::AgentEvent& event) {
  const auto* said = std::get_if<plugins::Snapshot>(&event);
  const bool is_said =
      said != nullptr && said->kind == plugins::BlockKind::Text && said->key.lane.empty();
  return is_said ? said->text : std::string_view();
}

AgentLink::AgentLink(plugins::AgentSpec spec, std::unique_ptr<plugins::AgentProtocol> protocol,
                     AgentLinkOwner& owner)
    : spec_(std::move(spec)), protocol_(std::move(protocol)), owner_(owner) {}

boost::system::result<void> AgentLink::start(const plugins::LaunchRequest& request,
                                             const Launcher& launcher) {
  request_ = request;
  plugins::Launch launch;
  try {
    launch = protocol_->launch(request);
  } catch (const std::bad_alloc&) {
    return boost::system::errc::make_error_code(boost::system::errc::not_enough_memory);
  } catch (...) {
    return boost::system::errc::make_error_code(boost::system::errc::state_not_recoverable);
  }
  lifetime_ = launch.lifetime;
  auto child = launcher(launch, *this);
  if (!child) return child.error();
  child_ = std::move(*child);
  return {};
}

void AgentLink::begin_turn(const plugins::TurnRequest& request) {
  in_turn_ = true;
  if (broken()) return tell_of_break();
  guarded([&] { protocol_->begin_turn(request, *this); });
}

void AgentLink::list_sessions() {
  guarded([&] { protocol_->list_sessions(*this); });
}

void AgentLink::steer(const plugins::SteerRequest& request) {
  guarded([&] { protocol_->steer(request, *this); });
}

void AgentLink::cancel() {
  guarded([&] { protocol_->cancel(*this); });
}

void AgentLink::answer(std::string_view permission, std::string_view option) {
  guarded([&] { protocol_->answer(permission, option, *this); });
}

void AgentLink::stop(process::StopUrgency urgency) {
  if (!running()) return;
  child_->close_stdin();
  child_->stop(urgency);
}

void AgentLink::retire(process::StopUrgency urgency, const std::string& turn) {
  if (!std::exchange(disowned_, true)) {
    if (!in_turn_) last_turn_ = turn;
    if (running()) guarded([&] { protocol_->end(*this); });
  }
  if (in_turn_) return stop(urgency);
  if (running()) child_->end(urgency);
}

void AgentLink::emit(const plugins::AgentEvent& event) {
  const bool ends = std::holds_alternative<plugins::TurnEnded>(event);
  const bool in_turn = std::exchange(in_turn_, in_turn_ && !ends);
  if (disowned_) return hear_last_words(event);
  if (std::holds_alternative<plugins::Unrecognised>(event)) not_understood_ = true;
  if (std::holds_alternative<plugins::Printed>(event)) not_understood_ = false;
  try {
    if (ends) tell_line_not_understood();
    owner_.on_agent_event(event);
  } catch (...) {
    in_turn_ = in_turn;  // whoever did not hear the end hears it again
    throw;
  }
}

void AgentLink::tell_line_not_understood() {
  if (!std::exchange(not_understood_, false) || line_.empty() || disowned_) return;
  owner_.on_agent_event(plugins::Printed{line_});
}

void AgentLink::hear_last_words(const plugins::AgentEvent& event) {
  const std::string_view text = said_outside_of_turn(event);
  if (!last_turn_.empty() && !text.empty()) owner_.on_last_words(spec_.name, last_turn_, text);
}

void AgentLink::write_line(std::string line) {
  if (running()) child_->write_line(std::move(line));
}

void AgentLink::close_stdin() {
  if (running()) child_->close_stdin();
}

void AgentLink::send_signal(plugins::Signal signal) {
  if (running()) child_->send_signal(signal);
}

void AgentLink::prompt_sent() {
  if (!disowned_) owner_.on_prompt_sent();
}

void AgentLink::read_file(plugins::FileRead request) {
  protocol_->file_answered(request.id, disowned_ ? nobody_is_there() : owner_.read_file(request),
                           *this);
}

void AgentLink::write_file(plugins::FileWrite request) {
  plugins::FileAnswer answer = not_allowed(request.path);
  if (disowned_) {
    answer = nobody_is_there();
  } else if (plugins::may_change_files(request_.permissions)) {
    answer = owner_.write_file(request);
  }
  protocol_->file_answered(request.id, answer, *this);
}

void AgentLink::on_line(std::string_view line) {
  guarded([&] {
    const bool heard = !disowned_;  // the line's last event may be what disowns it
    if (heard) owner_.on_agent_line(line.size());
    line_ = line;
    not_understood_ = false;
    protocol_->on_line(line, *this);
    tell_line_not_understood();
    line_ = {};
    if (heard) owner_.on_agent_settled();
  });
}

void AgentLink::on_text(std::string_view piece) {
  guarded([&] {
    const bool heard = !disowned_;
    if (heard) owner_.on_agent_line(piece.size());
    protocol_->on_output(piece, *this);
    if (heard) owner_.on_agent_settled();
  });
}

void AgentLink::on_stderr(std::string_view bytes) {
  guarded([&] {
    if (disowned_) return;
    owner_.on_agent_stderr(bytes);
    owner_.on_agent_settled();
  });
}

void AgentLink::on_line_too_long(std::size_t bytes) {
  guarded([&] {
    const bool heard = !disowned_;
    if (heard) owner_.on_agent_line(bytes);
    emit(plugins::Malformed{"a line over the limit"});
    emit(plugins::Notice{plugins::NoticeKind::Warning,
                         "a line of " + std::to_string(bytes) +
                             " bytes from the agent was skipped: it is over the limit"});
    if (heard) owner_.on_agent_settled();
  });
}

void AgentLink::on_exit(const plugins::ExitStatus& status) {
  gone_ = true;
  lease_.reset();
  if (broken()) return tell_of_break();
  guarded([&] {
    protocol_->on_exit(status, *this);
    owner_.on_agent_settled();
  });
}

template <class Call>
void AgentLink::guarded(Call&& call) {
  if (broken()) return;
  try {
    return call();
  } catch (const std::exception& error) {
    broken_by_ = error.what();
  } catch (...) {
    broken_by_ = "an unknown exception";
  }
  tell_of_break();
}

// What is told may throw, too, as when the memory is gone: then the end of the process tells it
// again.
void AgentLink::tell_of_break() {
  line_ = {};  // it may be gone
  try {
    if (in_turn_) {
      emit(plugins::Failure{plugins::FailureKind::Unknown,
                            "agent-doc could not go on with what " + spec_.name + " said (" +
                                *broken_by_ +
                                "): this is a mistake in agent-doc, please report it. The agent is "
                                "stopped; to go on, run it again."});
      emit(plugins::TurnEnded{plugins::Outcome::Failed, {}});
    }
    stop(process::StopUrgency::Normal);
    owner_.on_agent_settled();
  } catch (...) {
    stop(process::StopUrgency::Normal);
  }
}

}  // namespace agent_doc::session
