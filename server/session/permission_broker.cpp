#include "server/session/permission_broker.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::session {

namespace {

constexpr std::string_view kMeant = "meant";
constexpr std::string_view kBack = "back";

/// The option that says no; empty (cancelled) when there is none.
std::string denial(const turn::Permission& permission) {
  const auto deny = std::find_if(permission.options.begin(), permission.options.end(),
                                 [](const plugins::PermissionOption& option) {
                                   return option.kind == plugins::OptionKind::Deny;
                                 });
  return deny == permission.options.end() ? std::string() : deny->id;
}

/// The question whether `option` of `asked` is really meant.
turn::Permission once_more(const turn::Permission& asked, const plugins::PermissionOption& option) {
  return {asked.id + "?",
          asked.tool,
          "Really? You chose: " + option.label +
              ". That allows more than what was asked, from now on.\nIt was asked: " + asked.detail,
          {{std::string(kBack), "No, ask me again", plugins::OptionKind::Deny},
           {std::string(kMeant), "Yes: " + option.label, plugins::OptionKind::AllowOnce}}};
}

}  // namespace

void PermissionBroker::begin(plugins::PermissionPolicy policy) {
  policy_ = policy;
  closed_ = false;
  meant_.reset();
}

void PermissionBroker::asked(const plugins::PermissionAsked& question) {
  turn::Permission permission = turn::shown(question);
  if (closed_) return owner_.answer_permission(permission.id, {});
  if (policy_ == plugins::PermissionPolicy::Deny) {
    owner_.permission_denied(permission);
    return owner_.answer_permission(permission.id, denial(permission));
  }
  questions_.push_back(std::move(permission));
  if (questions_.size() == 1) owner_.show_permission(questions_.front());
}

void PermissionBroker::withdrawn(std::string_view id) {
  if (!questions_.empty() && questions_.front().id == id) return first_is_done();
  std::erase_if(questions_,
                [id](const turn::Permission& permission) { return permission.id == id; });
}

bool PermissionBroker::answer(std::string_view id, const std::string& option) {
  if (questions_.empty()) return false;
  const turn::Permission asked = shown();
  if (asked.id != id) return false;
  const auto chosen = std::find_if(asked.options.begin(), asked.options.end(),
                                   [&](const auto& one) { return one.id == option; });
  if (!option.empty() && chosen == asked.options.end()) return false;
  const bool meant = meant_ && option == kMeant;
  if (meant_ && !meant) {
    owner_.hide_permission(asked.id);
    meant_.reset();
    owner_.show_permission(questions_.front());
    return true;
  }
  if (!meant_ && chosen != asked.options.end() && chosen->kind == plugins::OptionKind::Widen) {
    ask_once_more(*chosen);
    return true;
  }
  const std::string answered = questions_.front().id;
  const std::string answer = meant ? meant_->id : option;
  first_is_done();
  owner_.answer_permission(answered, answer);
  return true;
}

void PermissionBroker::ask_once_more(const plugins::PermissionOption& option) {
  owner_.hide_permission(questions_.front().id);
  meant_ = option;
  owner_.show_permission(shown());
}

turn::Permission PermissionBroker::shown() const {
  return meant_ ? once_more(questions_.front(), *meant_) : questions_.front();
}

void PermissionBroker::cancel_all() {
  if (questions_.empty()) return;
  const std::string id = shown().id;
  meant_.reset();
  const std::deque<turn::Permission> cancelled = std::exchange(questions_, {});
  owner_.hide_permission(id);
  for (const turn::Permission& permission : cancelled) owner_.answer_permission(permission.id, {});
}

void PermissionBroker::close() {
  closed_ = true;
  cancel_all();
}

void PermissionBroker::drop_all() {
  if (questions_.empty()) return;
  const std::string id = shown().id;
  meant_.reset();
  questions_.clear();
  owner_.hide_permission(id);
}

void PermissionBroker::first_is_done() {
  const std::string id = shown().id;
  meant_.reset();
  questions_.pop_front();
  owner_.hide_permission(id);
  if (!questions_.empty()) owner_.show_permission(questions_.front());
}

}  // namespace agent_doc::session
