// The agents' permission questions of one document on the client's screen: sent by
// `window/showMessageRequest`, withdrawn by `$/cancelRequest`. The answer goes to the session,
// which also hears the command agentDoc.answer; the first answer wins. Nothing is allowed by
// default, and questions do not time out. In a client that cannot ask, the question stays open for
// a code action.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/lifeline.hpp"
#include "server/lsp/messages.hpp"
#include "server/turn/turn.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace agent_doc::lsp {

/// How much of the agent's request goes into the message: VS Code silently cuts messages at 1000
/// characters. Of a longer request the beginning and the end are shown; all of it is in a file,
/// which the client is asked to show or the message names.
inline constexpr std::size_t kMaxPermissionMessageBytes = 800;
/// Number of its lines shown at the beginning and at the end.
inline constexpr std::size_t kPermissionMessageBegin = 20;
inline constexpr std::size_t kPermissionMessageEnd = 2;
/// How many times a client may ask to see a whole question: one that presses buttons automatically
/// would never stop.
inline constexpr int kMaxShowings = 20;

class Permissions {
 public:
  /// Called with the user's answer. An empty option means that the user closed the question.
  using Answered = std::function<void(const std::string& turn, const std::string& permission,
                                      const std::string& option)>;

  Permissions(Client& client, Environment& environment, Messages& messages, Answered answered);

  void ask(const std::string& turn, const turn::Permission& permission);
  /// Withdraws a question that is answered or void. A late answer of the client is ignored.
  void withdraw(const std::string& turn, const std::string& permission);

 private:
  using Name = std::pair<std::string, std::string>;  ///< turn, permission
  struct Question {
    turn::Permission permission;
    std::optional<protocol::Id> request;  ///< empty in a client that cannot ask
    int showings = 0;
    /// The whole question, when the message cannot hold it.
    std::unique_ptr<ShownFile> whole;
  };

  void send(const Name& name, Question& question);
  void answered(const Name& name, const protocol::Result& result);
  void cannot_ask(Question& question);
  void show_whole(Question& question);
  /// Returns a sentence that says where the whole question is, creating the file when needed. Empty
  /// when it cannot be created.
  std::string describe_whole_file(Question& question);

  Client& client_;
  Environment& environment_;
  Messages& messages_;
  Answered answered_;
  std::map<Name, Question> open_;
  Lifeline lifeline_;
};

/// Returns the name on the wire: "allow_once", "allow_always", "widen", "deny".
std::string_view name_of(plugins::OptionKind kind);

}  // namespace agent_doc::lsp
