#include "plugins/claude/claude_questions.hpp"

#include "plugins/json_line.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::plugins {
namespace {

constexpr std::string_view kAllow = "allow";
constexpr std::string_view kAllowAlways = "allow_always";
constexpr std::string_view kAllowWider = "allow_wider";
constexpr std::string_view kDeny = "deny";

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
    if (const std::string_view content = string_of(*rule, "ruleContent"); !content.empty())
      text.append("(").append(content).append(")");
  }
  return text;
}

/// Returns how long a suggestion applies, when that is longer than the session.
std::string_view reach_of(const boost::json::object& suggestion) {
  const std::string_view destination = string_of(suggestion, "destination");
  if (destination == "userSettings") return ", in all your projects";
  if (destination == "projectSettings") return ", for all who work in this project";
  if (destination == "localSettings") return ", in this project";
  return "";
}

bool adds_rules(const boost::json::value& suggestion) {
  const boost::json::object* object = suggestion.if_object();
  return object != nullptr && string_of(*object, "type") == "addRules" &&
         string_of(*object, "behavior") == "allow";
}

std::string words_of_mode(std::string_view mode) {
  const std::string named = " (mode " + std::string(mode) + ")";
  if (mode == "acceptEdits") return "all edits from now on" + named;
  if (mode == "bypassPermissions") return "everything from now on, without a question" + named;
  return "go on in mode " + std::string(mode);
}

std::string words_of(const boost::json::value& suggestion) {
  const boost::json::object* object = suggestion.if_object();
  if (object == nullptr) return boost::json::serialize(suggestion);
  if (adds_rules(suggestion)) return rules_of(*object).append(reach_of(*object));
  if (string_of(*object, "type") == "setMode")
    return words_of_mode(string_of(*object, "mode")).append(reach_of(*object));
  const boost::json::array* folders = array_of(*object, "directories");
  if (string_of(*object, "type") != "addDirectories" || folders == nullptr)
    return boost::json::serialize(suggestion);
  return "work in the folders " + boost::json::serialize(*folders).append(reach_of(*object));
}

/// Returns a label with the effects that the agent suggests.
std::string label_of(std::string_view begin, const boost::json::array& suggestions) {
  std::string label(begin);
  for (const boost::json::value& suggestion : suggestions)
    label += (&suggestion == suggestions.begin() ? " " : "; ") + words_of(suggestion);
  return label;
}

}  // namespace

void ClaudeQuestions::ask(std::string_view request_id, const boost::json::object& request,
                          Actions& actions) {
  Question question;
  question.request_id = request_id;
  question.tool = string_of(request, "tool_name");
  if (const boost::json::object* input = object_of(request, "input")) {
    question.arguments = arguments_to_show(*input);
    question.input = boost::json::value(*input, boost::json::storage_ptr());
  } else {
    question.input = boost::json::object();
  }
  append_other_fields(request,
                      {"subtype", "tool_name", "display_name", "input", "description",
                       "permission_suggestions", "server_policy_ask_only", "tool_use_id"},
                      question.arguments.more);
  if (const boost::json::array* suggestions = array_of(request, "permission_suggestions")) {
    for (const boost::json::value& suggestion : *suggestions) {
      boost::json::array& of_its_kind = adds_rules(suggestion) ? question.rules : question.wider;
      of_its_kind.push_back(boost::json::value(suggestion, boost::json::storage_ptr()));
    }
  }
  questions_.push_back(question);
  show(question, actions);
}

void ClaudeQuestions::show(const Question& question, Actions& actions) {
  PermissionAsked asked{
      question.request_id, question.tool, question.arguments.detail, {}, question.arguments.more};
  const auto offer = [&asked](std::string_view id, std::string label, OptionKind kind) {
    asked.options.push_back({std::string(id), std::move(label), kind});
  };
  offer(kAllow, "Allow once", OptionKind::AllowOnce);
  if (!question.rules.empty()) {
    offer(kAllowAlways, label_of("Always allow", question.rules), OptionKind::AllowAlways);
  }
  if (!question.wider.empty()) {
    offer(kAllowWider, label_of("Allow, and", question.wider), OptionKind::Widen);
  }
  offer(kDeny, "Deny", OptionKind::Deny);
  actions.emit(asked);
}

void ClaudeQuestions::withdraw(std::string_view request_id, Actions& actions) {
  const auto found =
      std::find_if(questions_.begin(), questions_.end(),
                   [request_id](const Question& q) { return q.request_id == request_id; });
  if (found == questions_.end()) return;
  questions_.erase(found);
  actions.emit(PermissionWithdrawn{request_id});
}

void ClaudeQuestions::answer(std::string_view request_id, std::string_view option,
                             Actions& actions) {
  const auto asked =
      std::find_if(questions_.begin(), questions_.end(),
                   [request_id](const Question& q) { return q.request_id == request_id; });
  if (asked == questions_.end()) return;
  const Question question = std::move(*asked);
  questions_.erase(asked);
  const bool always = option == kAllowAlways && !question.rules.empty();
  const bool wider = option == kAllowWider && !question.wider.empty();
  if (option == kAllow || always || wider) {
    boost::json::object allow{{"behavior", "allow"}};
    allow["updatedInput"] = question.input;
    if (always || wider) allow["updatedPermissions"] = always ? question.rules : question.wider;
    actions.write_line(response(question.request_id, std::move(allow)));
  } else {
    const std::string_view message =
        option == kDeny ? "The person denied this."
                        : "The question was closed without an answer: cancelled by the person.";
    actions.write_line(claude_denial(question.request_id, message));
  }
}

void ClaudeQuestions::cancel_all(Actions& actions) {
  for (const Question& question : questions_)
    actions.write_line(claude_denial(question.request_id, "The turn was cancelled by the person."));
  drop_all(actions);
}

void ClaudeQuestions::drop_all(Actions& actions) {
  const std::vector<Question> dropped = std::exchange(questions_, {});
  // From the last on, so that a display that shows one question at a time shows no other in
  // between.
  for (auto question = dropped.rbegin(); question != dropped.rend(); ++question)
    actions.emit(PermissionWithdrawn{question->request_id});
}

std::string claude_denial(std::string_view request_id, std::string_view message) {
  return response(request_id, boost::json::object{{"behavior", "deny"}, {"message", message}});
}

std::string claude_request_error(std::string_view request_id, std::string_view message) {
  boost::json::object line{{"type", "control_response"}};
  line["response"] =
      boost::json::object{{"subtype", "error"}, {"request_id", request_id}, {"error", message}};
  return boost::json::serialize(line);
}

}  // namespace agent_doc::plugins
