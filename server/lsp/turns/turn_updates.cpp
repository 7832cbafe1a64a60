#include "server/lsp/turns/turn_updates.hpp"

#include "server/lsp/turns/permissions.hpp"

#include <utility>

namespace agent_doc::lsp {

namespace {

protocol::PermissionParams permission_params(const turn::Permission& permission) {
  protocol::PermissionParams params{permission.id, permission.tool, permission.detail, {}};
  for (const plugins::PermissionOption& option : permission.options) {
    params.options.push_back({option.id, option.label, std::string(name_of(option.kind))});
  }
  return params;
}

std::string_view permission_id(const session::TurnView& view) {
  return view.permission ? std::string_view(view.permission->id) : "";
}

}  // namespace

protocol::TurnParams turn_params(const std::string& uri, const session::TurnView& view) {
  protocol::TurnParams params;
  params.uri = uri;
  params.turn = view.turn;
  params.state = turn::name_of(view.state);
  params.phase = turn::name_of(view.phase);
  params.status = view.status;
  params.agent = view.agent;
  params.model = view.model;
  params.sessionId = view.session_id;
  params.usage = {view.usage.input, view.usage.output, view.usage.cache_read,
                  view.usage.cache_write, view.usage.cost_micros};
  params.elapsedMs = view.elapsed.count();
  params.replyLanded = view.reply_landed;
  params.canContinue = view.can_continue;
  params.queued = view.queued;
  params.failure = view.failure;
  params.health = view.health;
  if (view.permission) params.permission = permission_params(*view.permission);
  return params;
}

TurnUpdates::TurnUpdates(Client& client, Environment& environment, std::string uri)
    : client_(client), environment_(environment), uri_(std::move(uri)), progress_(client) {}

bool TurnUpdates::turn_changed(const session::TurnView& view) {
  const bool urgent = is_urgent(view);
  latest_ = view;
  const auto due = sent_at_ + kTurnUpdateInterval;
  if (urgent || environment_.now() >= due) {
    send();
  } else if (!later_) {
    later_ = environment_.schedule(due, [this] { send(); });
  }
  return urgent;
}

void TurnUpdates::reply_changed(const std::string& turn, std::size_t offset,
                                std::string_view text) {
  if (!client_.can.reply) return;
  client_.endpoint->notify(
      protocol::kReplyNotification,
      protocol::encode(protocol::ReplyParams{uri_, turn, offset, std::string(text)}));
}

bool TurnUpdates::is_urgent(const session::TurnView& view) const {
  if (!latest_ || view.turn != latest_->turn || view.state != latest_->state ||
      view.can_continue != latest_->can_continue || view.queued != latest_->queued)
    return true;
  if (permission_id(view) != permission_id(*latest_)) return true;
  return turn::is_terminal(view.state);
}

void TurnUpdates::send() {
  later_.reset();
  sent_at_ = environment_.now();
  progress_.show(*latest_);
  if (client_.can.turn)
    client_.endpoint->notify(protocol::kTurnNotification,
                             protocol::encode(turn_params(uri_, *latest_)));
}

}  // namespace agent_doc::lsp
