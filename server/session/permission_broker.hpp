// What it is: the permission questions of one turn after the other: one is shown at a time, the
// person's policy may answer by itself, and each question gets exactly one answer. Nothing is ever
// allowed by default, and no question runs out of time. What widens more than was asked is asked
// once more.
// What it is not: the question on a screen (server/lsp/turns/permissions.hpp,
// editors/cli/permission_prompt.hpp), nor the agent's own modes (plugins).
// Thread rule: not thread-safe; one per document.
#pragma once

#include "plugins/agent.hpp"
#include "server/turn/turn.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace agent_doc::session {

class PermissionBrokerOwner {
 public:
  virtual ~PermissionBrokerOwner() = default;
  virtual void show_permission(const turn::Permission& permission) = 0;
  /// What show_permission() showed is answered or void.
  virtual void hide_permission(const std::string& id) = 0;
  /// To the agent; an empty option means cancelled. The agent may ask the next question from within
  /// the call.
  virtual void answer_permission(const std::string& id, const std::string& option) = 0;
  /// By the policy, without asking.
  virtual void permission_denied(const turn::Permission& permission) = 0;
};

class PermissionBroker {
 public:
  explicit PermissionBroker(PermissionBrokerOwner& owner) : owner_(owner) {}

  /// A turn begins; nothing is asked any more of the one before.
  void begin(plugins::PermissionPolicy policy);
  void asked(const plugins::PermissionAsked& question);
  /// The agent took the question back.
  void withdrawn(std::string_view id);
  /// False when `id` is not shown, or `option` is neither empty nor one of its options.
  bool answer(std::string_view id, const std::string& option);
  /// All questions that are open are cancelled.
  void cancel_all();
  /// … and all that come until the next turn.
  void close();
  /// The turn is over: the agent waits for no answer.
  void drop_all();

 private:
  /// What is on the screen: the first question, or whether it is really meant.
  turn::Permission shown() const;
  void first_is_done();
  void ask_once_more(const plugins::PermissionOption& option);

  PermissionBrokerOwner& owner_;
  plugins::PermissionPolicy policy_ = plugins::PermissionPolicy::Ask;
  bool closed_ = false;
  std::deque<turn::Permission> questions_;  ///< the first one is shown …
  std::optional<plugins::PermissionOption> meant_ =
      {};  ///< … or whether this option of it is meant
};

}  // namespace agent_doc::session
