// What it is: looks at all that goes over one connection, both ways, and says what is not as
// protocol/agent-doc.schema.json has it: a message, command or field of ours that is not described,
// or is described otherwise; arguments that the schema forbids and the server took, and the other
// way round.
// What it is not: a client. It answers nothing; a message that is no JSON-RPC, and what LSP itself
// says of a message, is not its business.
// Thread rule: one thread; one object per connection.
#pragma once

#include "protocol/jsonrpc.hpp"
#include "tests/fakes/json_schema.hpp"

#include <boost/json/value.hpp>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::fakes {

/// protocol/agent-doc.schema.json, read once.
const JsonSchema& protocol_schema();

class WireCheck {
 public:
  using Names = std::set<std::string, std::less<>>;

  /// One body each, in the order in which they were sent.
  void from_client(std::string_view body);
  void from_server(std::string_view body);

  /// What was found since the last call, with the message that it is in.
  std::vector<std::string> take_problems();
  /// The definitions of the schema that something of this connection was.
  const Names& seen() const { return seen_; }

 private:
  /// A request whose answer was not seen yet.
  struct Asked {
    std::string method;
    std::string command;          ///< of workspace/executeCommand; empty for other requests
    bool names_document = false;  ///< the argument has a `uri`
    bool is_ambiguous =
        false;  ///< two requests with one id: which of them is answered cannot be told
    std::vector<std::string> argument_problems{};  ///< by the schema
  };

  void client_request(const protocol::Request& request);
  Asked asked_command(const boost::json::value& params);
  void announced(const boost::json::value& initialize_params);
  void server_says(std::string_view method, const boost::json::value& params);
  void server_answers(const protocol::Response& response);
  void refused(const Asked& asked, const protocol::Error& error);
  void carried_out(const Asked& asked, const boost::json::value& result);
  void initialized(const boost::json::value& result);
  /// The commands of ours that stand anywhere in `value`: of code actions and lenses.
  void offered_commands(const boost::json::value& value);

  /// Notes it as seen when nothing is wrong.
  std::vector<std::string> look(std::string_view definition, const boost::json::value& value);
  void demand(std::string_view definition, const boost::json::value& value);
  void problem(std::string text);

  std::map<protocol::Id, Asked> asked_;                  ///< by the client
  std::map<protocol::Id, std::string> asked_of_client_;  ///< methods
  boost::json::value announced_;                         ///< `experimental.agentDoc` of the client
  std::string_view body_;                                ///< that is looked at
  std::vector<std::string> problems_;
  Names seen_;
};

}  // namespace agent_doc::fakes
