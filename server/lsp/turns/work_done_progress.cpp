#include "server/lsp/turns/work_done_progress.hpp"

#include <utility>
#include <variant>

namespace agent_doc::lsp {

namespace {

constexpr std::string_view kTokenPrefix = "agentDoc/";

std::string token_of(const std::string& turn) {
  return std::string(kTokenPrefix) + turn;
}

std::string message_of(const session::TurnView& view) {
  return view.status.empty() ? std::string(turn::name_of(view.phase)) : view.status;
}

/// Returns the final message, which some clients keep on the screen for a while.
std::string outcome_of(const session::TurnView& view) {
  return std::string(turn::name_of(view.state));
}

}  // namespace

void WorkDoneProgress::show(const session::TurnView& view) {
  if (!client_.can.workDoneProgress) return;
  const bool over = turn::is_terminal(view.state);
  if (view.turn != turn_) {
    end({});
    turn_ = view.turn;
    over_ = over;
    title_ = "agent-doc: " + view.agent;
    message_ = message_of(view);
    if (!over) create();
    return;
  }
  over_ = over;
  if (over) return end(outcome_of(view));
  std::string message = message_of(view);
  if (message == message_) return;
  message_ = std::move(message);
  if (state_ == State::Shown) {
    client_.endpoint->notify("$/progress",
                             protocol::encode_progress_report(token_of(turn_), message_));
  }
}

void WorkDoneProgress::create() {
  state_ = State::Creating;
  auto on_created = [this, turn = turn_](const protocol::Result& result) {
    if (state_ != State::Creating || turn != turn_) return;
    state_ = State::Idle;
    if (std::holds_alternative<boost::json::value>(result) && !over_) begin();
  };
  client_.endpoint->request("window/workDoneProgress/create",
                            protocol::encode_progress_create(token_of(turn_)),
                            lifeline_.tie(std::move(on_created)));
}

void WorkDoneProgress::begin() {
  state_ = State::Shown;
  client_.endpoint->notify("$/progress",
                           protocol::encode_progress_begin(token_of(turn_), title_, message_));
}

void WorkDoneProgress::end(const std::string& message) {
  if (state_ == State::Shown) {
    client_.endpoint->notify("$/progress", protocol::encode_progress_end(token_of(turn_), message));
  }
  if (state_ != State::Creating) state_ = State::Idle;
}

void bind_progress_cancel(protocol::Endpoint& endpoint,
                          std::function<void(const std::string& turn)> stop) {
  endpoint.on_notification("window/workDoneProgress/cancel",
                           [stop = std::move(stop)](const boost::json::value& params) {
                             const std::string token = protocol::decode_progress_cancel(params);
                             if (token.starts_with(kTokenPrefix)) {
                               stop(token.substr(kTokenPrefix.size()));
                             }
                           });
}

}  // namespace agent_doc::lsp
