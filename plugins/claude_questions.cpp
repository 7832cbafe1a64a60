#include "plugins/claude_questions.hpp"

#include "plugins/claude_messages.hpp"
#include "plugins/json_line.hpp"

#include <algorithm>

namespace agent_doc::plugins {
namespace claude_questions_internal {

constexpr std::string_view kAllow = "allow";
constexpr std::string_view kAllowAlways = "allow_always";
constexpr std::string_view kDeny = "deny";
/// Of what a question shows of the tool's input, in bytes.
constexpr std::size_t kMaxDetail = 2000;

std::string response(std::string_view request_id, boost::json::object answer) {
  boost::json::object response{{"subtype", "success"}, {"request_id", request_id}};
  response["response"] = std::move(answer);
  boost::json::object line{{"type", "control_response"}};
  line["response"] = std::move(response);
  return boost::json::serialize(line);
}

std::string rules_of(const boost::json::object& suggestion) {
  std::string text;
  const boost::json::array* rules = array_of(suggestion, "rules");
  if (rules == nullptr) return text;
  for (const boost::json::value& value : *rules) {
    const boost::json::object* rule = value.if_object();
    if (rule == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += string_of(*rule, "toolName");
    if (const std::string_view content = string_of(*rule, "ruleContent"); !content.empty()) text.append("(").append(content).append(")");
  }
  return text;
}

/// What "always" would mean, by what the agent suggests.
std::string label_of_always(const boost::json::array& suggestions) {
  const boost::json::object* first = suggestions.front().if_object();
  if (suggestions.size() > 1 || first == nullptr) return "Allow always";
  const std::string_view type = string_of(*first, "type");
  if (type == "setMode" && string_of(*first, "mode") == "acceptEdits") return "Allow, and all edits from now on";
  if (type == "setMode") return "Allow, and go on in mode " + std::string(string_of(*first, "mode"));
  if (type == "addRules" && string_of(*first, "behavior") == "allow") return "Always allow " + rules_of(*first);
  return "Allow always";
}

}  // namespace claude_questions_internal

void ClaudeQuestions::ask(std::string_view request_id, const boost::json::object& request, Actions& actions) {
  Question question;
  question.request_id = request_id;
  question.tool = string_of(request, "tool_name");
  if (const boost::json::object* input = object_of(request, "input")) {
    question.detail = describe_tool_input(*input, claude_questions_internal::kMaxDetail);
    question.input = boost::json::value(*input, boost::json::storage_ptr());
  } else {
    question.input = boost::json::object();
  }
  if (const boost::json::array* suggestions = array_of(request, "permission_suggestions")) {
    question.suggestions = boost::json::array(*suggestions, boost::json::storage_ptr());
  }
  questions_.push_back(std::move(question));
  if (questions_.size() == 1) show_first(actions);
}

void ClaudeQuestions::show_first(Actions& actions) const {
  const Question& question = questions_.front();
  PermissionAsked asked{question.request_id, question.tool, question.detail, {}};
  asked.options.push_back({std::string(claude_questions_internal::kAllow), "Allow once", OptionKind::AllowOnce});
  if (!question.suggestions.empty()) {
    asked.options.push_back({std::string(claude_questions_internal::kAllowAlways),
                             claude_questions_internal::label_of_always(question.suggestions), OptionKind::AllowAlways});
  }
  asked.options.push_back({std::string(claude_questions_internal::kDeny), "Deny", OptionKind::Deny});
  actions.emit(asked);
}

void ClaudeQuestions::withdraw(std::string_view request_id, Actions& actions) {
  const auto found =
      std::find_if(questions_.begin(), questions_.end(), [request_id](const Question& q) { return q.request_id == request_id; });
  if (found == questions_.end()) return;
  const bool shown = found == questions_.begin();
  questions_.erase(found);
  if (!shown) return;
  actions.emit(PermissionWithdrawn{request_id});
  if (!questions_.empty()) show_first(actions);
}

void ClaudeQuestions::answer(std::string_view request_id, std::string_view option, Actions& actions) {
  if (questions_.empty() || questions_.front().request_id != request_id) return;
  const Question question = std::move(questions_.front());
  questions_.pop_front();
  if (option == claude_questions_internal::kAllow || option == claude_questions_internal::kAllowAlways) {
    boost::json::object allow{{"behavior", "allow"}};
    allow["updatedInput"] = question.input;
    if (option == claude_questions_internal::kAllowAlways && !question.suggestions.empty())
      allow["updatedPermissions"] = question.suggestions;
    actions.write_line(claude_questions_internal::response(question.request_id, std::move(allow)));
  } else {
    const std::string_view message = option == claude_questions_internal::kDeny
                                         ? "The person denied this."
                                         : "The question was closed without an answer: cancelled by the person.";
    actions.write_line(claude_denial(question.request_id, message));
  }
  if (!questions_.empty()) show_first(actions);
}

void ClaudeQuestions::cancel_all(Actions& actions) {
  for (const Question& question : questions_)
    actions.write_line(claude_denial(question.request_id, "The turn was cancelled by the person."));
  drop_all(actions);
}

void ClaudeQuestions::drop_all(Actions& actions) {
  if (questions_.empty()) return;
  const std::string shown = std::move(questions_.front().request_id);
  questions_.clear();
  actions.emit(PermissionWithdrawn{shown});
}

std::string claude_denial(std::string_view request_id, std::string_view message) {
  return claude_questions_internal::response(request_id, boost::json::object{{"behavior", "deny"}, {"message", message}});
}

std::string claude_request_error(std::string_view request_id, std::string_view message) {
  boost::json::object line{{"type", "control_response"}};
  line["response"] = boost::json::object{{"subtype", "error"}, {"request_id", request_id}, {"error", message}};
  return boost::json::serialize(line);
}

}  // namespace agent_doc::plugins
