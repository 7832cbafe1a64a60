#include "plugins/acp/acp_questions.hpp"

#include "plugins/acp/acp_mode.hpp"
#include "plugins/acp/acp_updates.hpp"
#include "plugins/permission_policy.hpp"
#include "plugins/tool_question.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// Shown in place of the action when the agent never named it.
constexpr std::string_view kNameless = "something it does not name";

/// An option of an unknown kind may allow anything, so it is never treated as a denial.
OptionKind kind_of(const boost::json::object& option, std::string_view kind_of_tool) {
  const std::string_view kind = string_of(option, "kind");
  if (kind == "reject_once" || kind == "reject_always") return OptionKind::Deny;
  if (names_wider_mode(string_of(option, "optionId")) ||
      names_wider_mode(string_of(option, "name")))
    return OptionKind::Widen;
  if (kind == "allow_once") return OptionKind::AllowOnce;
  return kind == "allow_always" && kind_of_tool != "switch_mode" ? OptionKind::AllowAlways
                                                                 : OptionKind::Widen;
}

/// Adds the complete texts of a file, or of a piece of it. The tool's input often repeats them.
void add_change(const boost::json::object& diff, const std::string& path,
                std::vector<PermissionPart>& parts) {
  const std::string before(string_of(diff, "oldText"));
  const std::string after(string_of(diff, "newText"));
  std::erase_if(parts, [&](const PermissionPart& part) {
    const bool is_old =
        part.name == "old_string" || part.name == "oldString" || part.name == "oldText";
    const bool is_new = part.name == "new_string" || part.name == "newString" ||
                        part.name == "newText" || part.name == "content";
    return !part.before && ((is_old && part.text == before) || (is_new && part.text == after));
  });
  parts.push_back({"change of " + (path.empty() ? "a file" : path), after, before});
}

/// Returns everything that the title does not say: what is to be done, and where.
std::vector<PermissionPart> parts_of(const boost::json::object& call, std::string_view detail) {
  std::vector<PermissionPart> parts;
  const auto add = [&parts, detail](std::string name, std::string_view text) {
    if (!text.empty() && detail != text) parts.push_back({std::move(name), std::string(text)});
  };
  if (const boost::json::object* input = object_of(call, "rawInput"))
    append_other_fields(*input, {}, parts);
  if (const boost::json::array* contents = array_of(call, "content")) {
    for (const boost::json::value& value : *contents) {
      const boost::json::object* content = value.if_object();
      if (content == nullptr) continue;
      const std::string path(string_of(*content, "path"));
      if (string_of(*content, "type") == "diff") add_change(*content, path, parts);
      if (const boost::json::object* said = object_of(*content, "content"))
        add("it says", string_of(*said, "text"));
    }
  }
  if (const boost::json::array* places = array_of(call, "locations")) {
    for (const boost::json::value& value : *places) {
      const boost::json::object* place = value.if_object();
      if (place != nullptr && detail.find(string_of(*place, "path")) == std::string_view::npos)
        add("place", string_of(*place, "path"));
    }
  }
  std::erase_if(
      parts, [detail](const PermissionPart& part) { return !part.before && part.text == detail; });
  return parts;
}

/// Returns an empty list when no option can be shown, or there are too many.
std::vector<PermissionOption> options_of(const boost::json::object& params,
                                         std::string_view kind_of_tool) {
  std::vector<PermissionOption> options;
  const boost::json::array* offered = array_of(params, "options");
  if (offered == nullptr || offered->size() > kMaxPermissionOptions) return options;
  for (const boost::json::value& value : *offered) {
    const boost::json::object* option = value.if_object();
    if (option == nullptr) continue;
    const std::string_view id = string_of(*option, "optionId");
    const std::string_view label = string_of(*option, "name");
    if (!id.empty())
      options.push_back({std::string(id), std::string(label.empty() ? id : label),
                         kind_of(*option, kind_of_tool)});
  }
  return options;
}

void select(const RpcId& id, const PermissionOption& option, JsonRpcLines& rpc, Actions& actions) {
  boost::json::object result;
  result["outcome"] = boost::json::object{{"outcome", "selected"}, {"optionId", option.id}};
  rpc.answer(id, std::move(result), actions);
}

/// Decides by the kind or by the contents, because not every agent sends the kind.
bool changes_files(const boost::json::object& call) {
  const std::string_view kind = kind_of_tool_call(call);
  if (kind == "edit" || kind == "delete" || kind == "move" || kind == "switch_mode") return true;
  const boost::json::array* contents = array_of(call, "content");
  return contents != nullptr &&
         std::any_of(contents->begin(), contents->end(), [](const boost::json::value& value) {
           const boost::json::object* content = value.if_object();
           return content != nullptr && string_of(*content, "type") == "diff";
         });
}

}  // namespace

AcpQuestions::Settled AcpQuestions::ask(const RpcRequest& request, const boost::json::object& call,
                                        JsonRpcLines& rpc, Actions& actions) {
  const std::string_view kind = kind_of_tool_call(call);
  Question question{"permission-" + std::to_string(++last_), request.id,
                    std::string(string_of(call, "toolCallId")), options_of(request.params, kind)};
  if (question.options.empty()) {
    cancel_question(request.id, rpc, actions);
    actions.emit(Unrecognised{"session/request_permission without options"});
    return {Result::Denied, question.tool};
  }
  std::string detail = describe_tool_call(call, std::string::npos);
  std::vector<PermissionPart> parts = parts_of(call, detail);
  const About about = detail.empty() && parts.empty() ? About::Nothing : About::Something;
  if (about == About::Nothing) detail = kNameless;
  if (!is_denied_by_policy(call, about)) {
    actions.emit(PermissionAsked{question.name, kind, detail, question.options, std::move(parts)});
    questions_.push_back(std::move(question));
    return {};
  }
  const auto denial =
      std::find_if(question.options.begin(), question.options.end(),
                   [](const PermissionOption& option) { return option.kind == OptionKind::Deny; });
  if (denial != question.options.end()) {
    select(request.id, *denial, rpc, actions);
  } else {
    cancel_question(request.id, rpc, actions);
  }
  const std::string text = "denied by your settings: " + detail;
  actions.emit(Notice{NoticeKind::Status, text});
  return {Result::Denied, question.tool};
}

bool AcpQuestions::is_denied_by_policy(const boost::json::object& call, About about) const {
  if (may_change_files(policy_)) return false;
  return policy_ == PermissionPolicy::Deny || about == About::Nothing || changes_files(call);
}

AcpQuestions::Settled AcpQuestions::answer(std::string_view name, std::string_view option,
                                           JsonRpcLines& rpc, Actions& actions) {
  const auto found = std::find_if(questions_.begin(), questions_.end(),
                                  [name](const Question& q) { return q.name == name; });
  if (found == questions_.end()) return {};
  const Question question = std::move(*found);
  questions_.erase(found);
  const auto chosen = std::find_if(question.options.begin(), question.options.end(),
                                   [option](const PermissionOption& o) { return o.id == option; });
  if (chosen == question.options.end()) {
    cancel_question(question.id, rpc, actions);
    return {Result::Denied, question.tool};
  }
  select(question.id, *chosen, rpc, actions);
  return {chosen->kind == OptionKind::Deny ? Result::Denied : Result::Allowed, question.tool};
}

void AcpQuestions::cancel_all(JsonRpcLines& rpc, Actions& actions) {
  for (const Question& question : questions_) cancel_question(question.id, rpc, actions);
  drop_all(actions);
}

void AcpQuestions::drop_all(Actions& actions) {
  const std::vector<Question> questions = std::exchange(questions_, {});
  for (const Question& question : questions) actions.emit(PermissionWithdrawn{question.name});
}

void cancel_question(const RpcId& id, JsonRpcLines& rpc, Actions& actions) {
  boost::json::object result;
  result["outcome"] = boost::json::object{{"outcome", "cancelled"}};
  rpc.answer(id, std::move(result), actions);
}

}  // namespace agent_doc::plugins
