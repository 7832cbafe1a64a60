// What it is: the agents' permission questions of one document, on the client's screen:
// `window/showMessageRequest`, taken back by `$/cancelRequest`.
// What it is not: a decision: the person's answer goes to the session, which also hears the command
// agentDoc.answer; the first of them wins. Nothing is ever allowed by default, and no question runs
// out of time. In a client that cannot ask, the question stays open for a code action.
// Thread rule: the server's thread only.
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

/// Of what the agent wants to do, in the message: VS Code cuts a message at 1000 characters,
/// without a word. Of what is longer, the begin and the end are in it; the whole is a file, which
/// the client is asked to show, or which the message names.
inline constexpr std::size_t kMaxPermissionMessageBytes = 800;
/// Lines of it, at the begin and at the end.
inline constexpr std::size_t kPermissionMessageBegin = 20;
inline constexpr std::size_t kPermissionMessageEnd = 2;
/// How often a client may ask to see the whole of one question: one that presses buttons by itself
/// would do so for ever.
inline constexpr int kMaxShowings = 20;

class Permissions {
 public:
  /// An empty option: the person closed the question.
  using Answered = std::function<void(const std::string& turn, const std::string& permission,
                                      const std::string& option)>;

  Permissions(Client& client, Environment& environment, Messages& messages, Answered answered);

  void ask(const std::string& turn, const turn::Permission& permission);
  /// The question is answered or void. What the client still says to it is ignored.
  void withdraw(const std::string& turn, const std::string& permission);

 private:
  using Name = std::pair<std::string, std::string>;  ///< turn, permission
  struct Question {
    turn::Permission permission;
    std::optional<protocol::Id> request;  ///< none in a client that cannot ask
    int showings = 0;
    std::unique_ptr<ShownFile> whole;  ///< when the message cannot hold it
  };

  void send(const Name& name, Question& question);
  void answered(const Name& name, const protocol::Result& result);
  void cannot_ask(Question& question);
  void show_whole(Question& question);
  /// Makes the file when there is none; a sentence, or nothing when it cannot be made.
  std::string where_whole_is(Question& question);

  Client& client_;
  Environment& environment_;
  Messages& messages_;
  Answered answered_;
  std::map<Name, Question> open_;
  Lifeline lifeline_;
};

/// The wire name: "allow_once", "allow_always", "widen", "deny".
std::string_view name_of(plugins::OptionKind kind);

}  // namespace agent_doc::lsp
