// `workspace/executeCommand`: a table of command names and handlers, which features add to.
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
  /// Handles a command. `argument` is the first of the command's arguments and is valid during the
  /// call only.
  using Handler = std::function<void(const protocol::Fields& argument, protocol::Replier reply)>;

  enum class Target {
    /// `argument` has a `uri`. Without one, a client means the only document that it has open.
    Document,
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

/// Returns a session's refusal as it goes over the wire.
protocol::Error to_error(const session::Refusal& refusal);
/// Replies with `error`. Clients that are no plugin of ours also get it as a message, because some
/// editors do not show errors of commands.
void refuse(const Client& client, protocol::Replier reply, const protocol::Error& error);
/// Returns the error for a command on an unknown document.
protocol::Error not_open(const std::string& uri);

}  // namespace agent_doc::lsp
