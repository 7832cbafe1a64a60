#include "server/session/permission_broker.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace permission_broker_internal {

/// The option that says no; empty (cancelled) when there is none.
std::string denial(const turn::Permission& permission) {
  const auto deny = std::find_if(permission.options.begin(), permission.options.end(),
                                 [](const plugins::PermissionOption& option) { return option.kind == plugins::OptionKind::Deny; });
  return deny == permission.options.end() ? std::string() : deny->id;
}

}  // namespace permission_broker_internal

void PermissionBroker::begin(plugins::PermissionPolicy policy) {
  policy_ = policy;
  closed_ = false;
}

void PermissionBroker::asked(const plugins::PermissionAsked& question) {
  turn::Permission permission{std::string(question.id), std::string(question.tool), std::string(question.detail), question.options};
  if (closed_) return owner_.answer_permission(permission.id, {});
  if (policy_ == plugins::PermissionPolicy::Deny) {
    owner_.permission_denied(permission);
    return owner_.answer_permission(permission.id, permission_broker_internal::denial(permission));
  }
  questions_.push_back(std::move(permission));
  if (questions_.size() == 1) owner_.show_permission(questions_.front());
}

void PermissionBroker::withdrawn(std::string_view id) {
  if (!questions_.empty() && questions_.front().id == id) return first_is_done();
  std::erase_if(questions_, [id](const turn::Permission& permission) { return permission.id == id; });
}

bool PermissionBroker::answer(std::string_view id, const std::string& option) {
  if (questions_.empty() || questions_.front().id != id) return false;
  const auto& options = questions_.front().options;
  const bool offered = std::any_of(options.begin(), options.end(), [&](const plugins::PermissionOption& one) { return one.id == option; });
  if (!option.empty() && !offered) return false;
  const std::string answered = questions_.front().id;
  first_is_done();
  owner_.answer_permission(answered, option);
  return true;
}

void PermissionBroker::cancel_all() {
  const std::deque<turn::Permission> cancelled = std::exchange(questions_, {});
  if (cancelled.empty()) return;
  owner_.hide_permission(cancelled.front().id);
  for (const turn::Permission& permission : cancelled) owner_.answer_permission(permission.id, {});
}

void PermissionBroker::close() {
  closed_ = true;
  cancel_all();
}

void PermissionBroker::drop_all() {
  if (questions_.empty()) return;
  const std::string shown = questions_.front().id;
  questions_.clear();
  owner_.hide_permission(shown);
}

void PermissionBroker::first_is_done() {
  const std::string id = questions_.front().id;
  questions_.pop_front();
  owner_.hide_permission(id);
  if (!questions_.empty()) owner_.show_permission(questions_.front());
}

}  // namespace agent_doc::session
