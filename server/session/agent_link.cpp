#include "server/session/agent_link.hpp"

#include <utility>
#include <variant>

namespace agent_doc::session {

namespace agent_link_internal {

plugins::FileAnswer nobody_is_there() { return {false, "this session is over: no file is read or written for it any more"}; }

}  // namespace agent_link_internal

AgentLink::AgentLink(plugins::AgentSpec spec, std::unique_ptr<plugins::AgentProtocol> protocol, AgentLinkOwner& owner)
    : spec_(std::move(spec)), protocol_(std::move(protocol)), owner_(owner) {}

boost::system::result<void> AgentLink::start(const plugins::LaunchRequest& request, const Launcher& launcher) {
  request_ = request;
  const plugins::Launch launch = protocol_->launch(request);
  lifetime_ = launch.lifetime;
  auto child = launcher(launch, *this);
  if (!child) return child.error();
  child_ = std::move(*child);
  return {};
}

void AgentLink::begin_turn(const plugins::TurnRequest& request) {
  in_turn_ = true;
  protocol_->begin_turn(request, *this);
}

void AgentLink::cancel() { protocol_->cancel(*this); }

void AgentLink::answer(std::string_view permission, std::string_view option) { protocol_->answer(permission, option, *this); }

void AgentLink::stop(process::StopUrgency urgency) {
  if (!running()) return;
  child_->close_stdin();
  child_->stop(urgency);
}

void AgentLink::retire(process::StopUrgency urgency) {
  if (!std::exchange(disowned_, true) && running()) protocol_->end(*this);
  if (in_turn_) return stop(urgency);
  if (running()) child_->end(urgency);
}

void AgentLink::emit(const plugins::AgentEvent& event) {
  if (std::holds_alternative<plugins::TurnEnded>(event)) in_turn_ = false;
  if (!disowned_) owner_.on_agent_event(event);
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

void AgentLink::read_file(plugins::FileRead request) {
  protocol_->file_answered(request.id, disowned_ ? agent_link_internal::nobody_is_there() : owner_.read_file(request), *this);
}

void AgentLink::write_file(plugins::FileWrite request) {
  protocol_->file_answered(request.id, disowned_ ? agent_link_internal::nobody_is_there() : owner_.write_file(request), *this);
}

void AgentLink::on_line(std::string_view line) {
  const bool heard = !disowned_;  // the line's last event may be what disowns it
  if (heard) owner_.on_agent_line(line.size());
  protocol_->on_line(line, *this);
  if (heard) owner_.on_agent_settled();
}

void AgentLink::on_line_too_long(std::size_t bytes) {
  const bool heard = !disowned_;
  if (heard) owner_.on_agent_line(bytes);
  emit(plugins::Malformed{"a line over the limit"});
  emit(plugins::Notice{plugins::NoticeKind::Warning, "a line of " + std::to_string(bytes) + " bytes from the agent was skipped: it is over the limit"});
  if (heard) owner_.on_agent_settled();
}

void AgentLink::on_exit(const plugins::ExitStatus& status) {
  gone_ = true;
  lease_.reset();
  protocol_->on_exit(status, *this);
  owner_.on_agent_settled();
}

}  // namespace agent_doc::session
