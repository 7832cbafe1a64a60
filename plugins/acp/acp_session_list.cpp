#include "plugins/acp/acp_session_list.hpp"

#include "plugins/acp/acp_failure.hpp"
#include "plugins/acp/acp_session.hpp"

namespace agent_doc::plugins {

void AcpSessionList::ask(JsonRpcLines& rpc, Actions& actions) {
  boost::json::object params{{"cwd", cwd_}};
  if (!list_.cursor().empty()) params["cursor"] = list_.cursor();
  rpc.request(kMethod, std::move(params), actions);
}

void AcpSessionList::on_answer(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error && answer.error->code == kRpcMethodNotFound) return list_.unsupported(actions);
  if (answer.error) return list_.fail(failure_of_acp_error(*answer.error, spec_).message, actions);
  const boost::json::object& result = acp_result_of(answer);
  if (const boost::json::array* sessions = array_of(result, "sessions")) {
    for (const boost::json::value& value : *sessions) {
      if (const boost::json::object* entry = value.if_object()) take(*entry);
    }
  }
  if (list_.goes_on(string_of(result, "nextCursor"))) return ask(rpc, actions);
  list_.finish(actions);
}

/// Not all agents respect the folder in the request.
void AcpSessionList::take(const boost::json::object& entry) {
  const std::string_view cwd = string_of(entry, "cwd");
  if (!cwd.empty() && cwd != cwd_) return;
  list_.add({std::string(string_of(entry, "sessionId")), std::string(string_of(entry, "title")),
             milliseconds_of(string_of(entry, "updatedAt"))});
}

}  // namespace agent_doc::plugins
