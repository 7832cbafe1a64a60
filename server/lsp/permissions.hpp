// What it is: the agents' permission questions of one document, on the client's screen: `window/showMessageRequest`, taken back by
// `$/cancelRequest`.
// What it is not: a decision: the person's answer goes to the session, which also hears the command agentDoc.answer; the first of them wins.
// Nothing is ever allowed by default, and no question runs out of time. In a client that cannot ask, the question stays open for a code action.
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/lsp/messages.hpp"
#include "server/turn/turn.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace agent_doc::lsp {

/// Of what the agent wants to do; the rest is counted.
inline constexpr std::size_t kMaxPermissionDetailBytes = 2000;

class Permissions {
 public:
  /// An empty option: the person closed the question.
  using Answered = std::function<void(const std::string& turn, const std::string& permission, const std::string& option)>;

  Permissions(Client& client, Messages& messages, Answered answered);

  void ask(const std::string& turn, const turn::Permission& permission);
  /// The question is answered or void. What the client still says to it is ignored.
  void withdraw(const std::string& turn, const std::string& permission);

 private:
  using Question = std::pair<std::string, std::string>;  ///< turn, permission

  Client& client_;
  Messages& messages_;
  Answered answered_;
  std::map<Question, protocol::Id> open_;
  Lifeline lifeline_;
};

/// The wire name: "allow_once", "allow_always", "deny".
std::string_view name_of(plugins::OptionKind kind);

}  // namespace agent_doc::lsp
