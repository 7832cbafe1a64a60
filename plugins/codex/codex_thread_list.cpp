#include "plugins/codex/codex_thread_list.hpp"

#include "plugins/codex/codex_failure.hpp"

namespace agent_doc::plugins {
namespace {

constexpr std::int64_t kMillisecondsPerSecond = 1000;
constexpr std::int64_t kMaxSeconds = 253'402'300'799;  // the end of the year 9999

}  // namespace

/// Requests the threads that a user started in a terminal or an editor, and ours, which would be
/// missing by default.
void CodexThreadList::ask(JsonRpcLines& rpc, Actions& actions) {
  boost::json::object params{{"cwd", cwd_}, {"sortKey", "updated_at"}, {"sortDirection", "desc"}};
  params["sourceKinds"] = boost::json::array{"cli", "vscode", "exec", "appServer"};
  if (!list_.cursor().empty()) params["cursor"] = list_.cursor();
  static_cast<void>(rpc.request(kMethod, std::move(params), actions));
}

void CodexThreadList::on_answer(const RpcAnswer& answer, JsonRpcLines& rpc, Actions& actions) {
  if (answer.error && answer.error->code == kRpcMethodNotFound) return list_.unsupported(actions);
  if (answer.error)
    return list_.fail(codex_failure_of_text(answer.error->message, spec_).message, actions);
  const boost::json::object* result =
      answer.result != nullptr ? answer.result->if_object() : nullptr;
  if (result == nullptr) return list_.finish(actions);
  if (const boost::json::array* threads = array_of(*result, "data")) {
    for (const boost::json::value& value : *threads) {
      if (const boost::json::object* thread = value.if_object()) take(*thread);
    }
  }
  if (list_.goes_on(string_of(*result, "nextCursor"))) return ask(rpc, actions);
  list_.finish(actions);
}

void CodexThreadList::take(const boost::json::object& thread) {
  const std::string_view cwd = string_of(thread, "cwd");
  if (!cwd.empty() && cwd != cwd_) return;
  KeptSession session{std::string(string_of(thread, "id")), std::string(string_of(thread, "name"))};
  if (session.title.empty()) session.title = string_of(thread, "preview");
  const std::int64_t seconds = integer_of(thread, "updatedAt", 0);
  if (seconds > 0 && seconds <= kMaxSeconds) session.used_ms = seconds * kMillisecondsPerSecond;
  list_.add(std::move(session));
}

}  // namespace agent_doc::plugins
