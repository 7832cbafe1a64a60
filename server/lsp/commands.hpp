// What it is: `workspace/executeCommand`: a table of command names and their handlers. Features add
// their own.
// What it is not: any command itself (turn_commands.hpp, fork_command.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/agent_doc.hpp"
#include "protocol/endpoint.hpp"
#include "protocol/fields.hpp"
#include "server/lsp/client.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::session {

struct Refusal;

}  // namespace agent_doc::session

namespace agent_doc::lsp {

class Documents;

class Commands {
 public:
  /// `argument` is the first of the command's arguments; it is gone when the handler returns.
  using Handler = std::function<void(const protocol::Fields& argument, protocol::Replier reply)>;

  enum class Target {
    Document,  ///< `argument` has a `uri`; a client that sends none means the one document that it
               ///< has open
    Other,
  };

  void add(std::string_view name, Target target, Handler handler);
  std::vector<std::string> names() const;

  void bind(protocol::Endpoint& endpoint, const Documents& documents);

 private:
  struct Command {
    Target target;
    Handler handler;
  };

  std::map<std::string, Command, std::less<>> commands_;
};

/// How a session's refusal goes over the wire.
protocol::Error to_error(const session::Refusal& refusal);
/// Answers `error`. Some editors show the person nothing of an error, so clients that are no plugin
/// of ours get it as a message, too.
void refuse(const Client& client, protocol::Replier reply, const protocol::Error& error);
/// For a command on a document that we do not have.
protocol::Error not_open(const std::string& uri);

}  // namespace agent_doc::lsp
