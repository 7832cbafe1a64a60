#include "plugins/codex/codex_questions.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::string_view kCommand = "item/commandExecution/requestApproval";
constexpr std::string_view kFileChange = "item/fileChange/requestApproval";
constexpr std::string_view kPermissions = "item/permissions/requestApproval";
constexpr std::string_view kElicitation = "mcpServer/elicitation/request";

boost::json::value answer_of(boost::json::value value) {
  boost::json::object result;
  result["decision"] = std::move(value);
  return result;
}

/// Returns an answer. `persist` says for how long it applies; empty: this once.
boost::json::value mcp_answer(std::string_view action, std::string_view persist) {
  boost::json::object result{{"action", action}, {"content", nullptr}, {"_meta", nullptr}};
  if (action == "accept") result["content"] = boost::json::object();
  if (!persist.empty()) result["_meta"] = boost::json::object{{"persist", persist}};
  return result;
}

/// Returns true when the question is whether a tool of an MCP server may be called. It has the form
/// of questions by such a server, which we do not support.
bool is_mcp_call(const RpcRequest& request) {
  const boost::json::object* about = object_of(request.params, "_meta");
  return request.method == kElicitation && about != nullptr &&
         string_of(*about, "codex_approval_kind") == "mcp_tool_call";
}

/// Returns true when `object[key]` is an array that contains `text`.
bool has_text(const boost::json::object& object, std::string_view key, std::string_view text) {
  const boost::json::array* values = array_of(object, key);
  if (values == nullptr) return false;
  return std::any_of(values->begin(), values->end(), [text](const boost::json::value& value) {
    const boost::json::string* string = value.if_string();
    return string != nullptr && std::string_view(string->data(), string->size()) == text;
  });
}

boost::json::value grant(boost::json::value permissions, std::string_view scope) {
  boost::json::object result;
  result["permissions"] = std::move(permissions);
  result["scope"] = scope;
  return result;
}

/// Returns the requested permissions without the parts that are null, in the form in which they are
/// granted.
boost::json::object wanted_permissions(const boost::json::object& params) {
  boost::json::object wanted;
  const boost::json::object* permissions = object_of(params, "permissions");
  if (permissions == nullptr) return wanted;
  for (const auto& [name, value] : *permissions) {
    if (!value.is_null()) wanted[name] = boost::json::value(value, boost::json::storage_ptr());
  }
  return wanted;
}

/// Returns the command line prefix that a rule allows.
std::string rule_of(const boost::json::object& amendment) {
  std::string text;
  const boost::json::array* words = array_of(amendment, "execpolicy_amendment");
  if (words == nullptr) return text;
  for (const boost::json::value& word : *words) {
    if (!text.empty()) text += ' ';
    if (const boost::json::string* part = word.if_string()) text.append(part->data(), part->size());
  }
  return text;
}

/// Returns everything that a yes allows: what is asked for, and every unknown field, because it may
/// be allowed as well.
ToolArguments wanted_by(std::string_view method, const boost::json::object& params,
                        const std::vector<PermissionPart>& changes) {
  ToolArguments wanted;
  if (method == kElicitation) {
    const boost::json::object* arguments = object_of(*object_of(params, "_meta"), "tool_params");
    return arguments != nullptr ? arguments_to_show(*arguments) : wanted;
  }
  if (method == kPermissions) wanted.detail = boost::json::serialize(wanted_permissions(params));
  if (method == kCommand) wanted.detail = string_of(params, "command");
  if (const boost::json::object* network = object_of(params, "networkApprovalContext")) {
    wanted.more.push_back({"network access to", std::string(string_of(*network, "host"))});
  }
  if (const std::string_view root = string_of(params, "grantRoot"); !root.empty())
    wanted.more.push_back({"all files in", std::string(root)});
  if (method == kFileChange) wanted.more.insert(wanted.more.end(), changes.begin(), changes.end());
  append_other_fields(
      params,
      {"kind", "threadId", "turnId", "itemId", "approvalId", "startedAtMs", "environmentId",
       "command", "commandActions", "reason", "permissions", "grantRoot", "networkApprovalContext",
       "proposedExecpolicyAmendment", "proposedNetworkPolicyAmendments", "availableDecisions"},
      wanted.more);
  if (const std::string_view reason = string_of(params, "reason"); !reason.empty())
    wanted.more.push_back({"its reason", std::string(reason)});
  return wanted;
}

std::string key_of(const RpcId& id) {
  const std::int64_t* number = std::get_if<std::int64_t>(&id);
  return number != nullptr ? std::to_string(*number) : "\"" + std::get<std::string>(id) + "\"";
}

}  // namespace

bool CodexQuestions::is_question(const RpcRequest& request) {
  const std::string_view method = request.method;
  return method == kCommand || method == kFileChange || method == kPermissions ||
         is_mcp_call(request);
}

/// Returns a choice without an id for a decision that is not offered to the user.
CodexQuestions::Choice CodexQuestions::choice_of(const boost::json::value& decision) {
  const auto result = [&decision] {
    return answer_of(boost::json::value(decision, boost::json::storage_ptr()));
  };
  if (const boost::json::string* name = decision.if_string()) {
    if (*name == "accept") return {{"accept", "Allow once", OptionKind::AllowOnce}, result()};
    if (*name == "acceptForSession")
      return {{"acceptForSession", "Allow for this session", OptionKind::AllowAlways}, result()};
  }
  const boost::json::object* object = decision.if_object();
  const boost::json::object* rule =
      object != nullptr ? object_of(*object, "acceptWithExecpolicyAmendment") : nullptr;
  if (rule == nullptr) return {};
  const std::string label = "Always allow what begins with: " + rule_of(*rule);
  return {{"acceptWithRule", label, OptionKind::AllowAlways}, result()};
}

CodexQuestions::Question CodexQuestions::read(const RpcRequest& request,
                                              const std::vector<PermissionPart>& changes) {
  Question question;
  question.id = request.id;
  question.key = key_of(request.id);
  question.wanted = wanted_by(request.method, request.params, changes);
  if (request.method == kPermissions) {
    read_permissions(request.params, question);
  } else if (request.method == kElicitation) {
    read_mcp_call(request.params, question);
  } else {
    question.tool = request.method == kCommand ? "command" : "edit";
    read_decisions(request.params, question);
  }
  return question;
}

void CodexQuestions::read_decisions(const boost::json::object& params, Question& question) {
  if (const boost::json::array* available = array_of(params, "availableDecisions")) {
    for (const boost::json::value& value : *available) {
      if (Choice choice = choice_of(value); !choice.option.id.empty())
        question.choices.push_back(std::move(choice));
    }
  } else {
    question.choices.push_back(choice_of("accept"));
    question.choices.push_back(choice_of("acceptForSession"));
  }
  question.choices.push_back({{"decline", "Deny", OptionKind::Deny}, answer_of("decline")});
  question.cancelled = answer_of("cancel");
}

void CodexQuestions::read_permissions(const boost::json::object& params, Question& question) {
  question.tool = "more permissions";
  const boost::json::object wanted = wanted_permissions(params);
  question.choices.push_back(
      {{"turn", "Allow for this turn", OptionKind::AllowOnce}, grant(wanted, "turn")});
  question.choices.push_back(
      {{"session", "Allow for this session", OptionKind::Widen}, grant(wanted, "session")});
  question.choices.push_back(
      {{"decline", "Deny", OptionKind::Deny}, grant(boost::json::object(), "turn")});
  question.cancelled = question.choices.back().result;
}

void CodexQuestions::read_mcp_call(const boost::json::object& params, Question& question) {
  const boost::json::object& about = *object_of(params, "_meta");
  question.tool = std::string(string_of(params, "serverName"))
                      .append(".")
                      .append(string_of(about, "tool_name"));
  question.choices.push_back(
      {{"accept", "Allow once", OptionKind::AllowOnce}, mcp_answer("accept", "")});
  if (has_text(about, "persist", "session")) {
    question.choices.push_back({{"session", "Allow for this session", OptionKind::AllowAlways},
                                mcp_answer("accept", "session")});
  }
  question.choices.push_back({{"decline", "Deny", OptionKind::Deny}, mcp_answer("decline", "")});
  question.cancelled = mcp_answer("cancel", "");
}

void CodexQuestions::ask(const RpcRequest& request, const std::vector<PermissionPart>& changes,
                         JsonRpcLines& rpc, Actions& actions) {
  if (questions_.size() >= kMaxCodexQuestions) return deny(request, rpc, actions);
  const Question question = read(request, changes);
  questions_.push_back(question);
  PermissionAsked asked{
      question.key, question.tool, question.wanted.detail, {}, question.wanted.more};
  for (const Choice& choice : question.choices) asked.options.push_back(choice.option);
  actions.emit(asked);
}

void CodexQuestions::deny(const RpcRequest& request, JsonRpcLines& rpc, Actions& actions) {
  Question question = read(request, {});
  rpc.answer(question.id, std::move(question.choices.back().result), actions);
}

void CodexQuestions::withdraw(const RpcId& id, Actions& actions) {
  const auto found = std::find_if(questions_.begin(), questions_.end(),
                                  [&id](const Question& question) { return question.id == id; });
  if (found == questions_.end()) return;
  const std::string key = found->key;
  questions_.erase(found);
  actions.emit(PermissionWithdrawn{key});
}

CodexQuestions::Answer CodexQuestions::answer(std::string_view key, std::string_view option,
                                              JsonRpcLines& rpc, Actions& actions) {
  const auto asked = std::find_if(questions_.begin(), questions_.end(),
                                  [key](const Question& question) { return question.key == key; });
  if (asked == questions_.end()) return Answer::Ignored;
  Question question = std::move(*asked);
  questions_.erase(asked);
  const auto chosen =
      std::find_if(question.choices.begin(), std::prev(question.choices.end()),
                   [option](const Choice& choice) { return choice.option.id == option; });
  const bool denies = chosen->option.kind == OptionKind::Deny;
  rpc.answer(question.id, std::move(chosen->result), actions);
  return denies ? Answer::No : Answer::Yes;
}

void CodexQuestions::cancel_all(JsonRpcLines& rpc, Actions& actions) {
  for (Question& question : questions_)
    rpc.answer(question.id, std::move(question.cancelled), actions);
  drop_all(actions);
}

void CodexQuestions::drop_all(Actions& actions) {
  const std::vector<Question> dropped = std::exchange(questions_, {});
  // From the last on, so that a display that shows one question at a time shows no other in
  // between.
  for (auto question = dropped.rbegin(); question != dropped.rend(); ++question)
    actions.emit(PermissionWithdrawn{question->key});
}

}  // namespace agent_doc::plugins
