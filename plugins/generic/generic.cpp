// The dialect `generic`: an agent that agent-doc does not know, as the user's configuration
// describes it: one process per turn that prints JSON lines (parsed by GenericLines) or plain text.
#include "plugins/arguments.hpp"
#include "plugins/failure_words.hpp"
#include "plugins/generic/generic_lines.hpp"
#include "plugins/one_shot/one_shot.hpp"
#include "server/text/shortened.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// How much printed text is kept, for failures that are reported nowhere else.
constexpr std::size_t kMaxKeptText = 4096;
constexpr std::string_view kModel = "{model}";
constexpr std::string_view kSessionId = "{session_id}";

bool has(const std::vector<std::string>& args, std::string_view placeholder) {
  return std::any_of(args.begin(), args.end(), [placeholder](const std::string& arg) {
    return arg.find(placeholder) != std::string::npos;
  });
}

/// Replaces `placeholder` by `value`. Without a value the argument is dropped, and the option
/// before it when the placeholder is the whole argument. Sets `refused` to a value that would
/// become an option.
std::vector<std::string> filled(const std::vector<std::string>& args, std::string_view placeholder,
                                const std::string& value, std::string& refused) {
  std::vector<std::string> result;
  for (const std::string& arg : args) {
    const std::size_t at = arg.find(placeholder);
    const bool is_whole = arg == placeholder;
    const bool follows_option = is_whole && !result.empty() && result.back().starts_with("-");
    if (at == std::string::npos) {
      result.push_back(arg);
    } else if (value.empty()) {
      if (follows_option) result.pop_back();
    } else if (is_whole && value.starts_with('-')) {
      if (!follows_option || !result.back().starts_with("--")) {
        refused = value;
        continue;
      }
      const std::string option = std::move(result.back());
      result.pop_back();
      add_option(result, option, value);
    } else {
      result.push_back(std::string(arg).replace(at, placeholder.size(), value));
    }
  }
  return result;
}

}  // namespace

class GenericProtocol final : public OneShotProtocol {
 public:
  explicit GenericProtocol(const AgentSpec& agent)
      : OneShotProtocol(agent), lines_(agent.generic) {}

  SessionSupport session_support() const override;
  Launch launch(const LaunchRequest& request) override;
  void begin_turn(const TurnRequest& request, Actions& actions) override;
  void on_line(std::string_view line, Actions& actions) override;
  void on_output(std::string_view piece, Actions& actions) override;
  void on_exit(const ExitStatus& status, Actions& actions) override;

 private:
  bool prints_text() const { return spec().generic.format == GenericAgent::Format::Text; }
  void on_object(const boost::json::object& line, Actions& actions) override;
  void judge(const ExitStatus& status);
  AgentFailure failure_of_exit(const ExitStatus& status) const override;
  std::string not_understood() const;

  GenericLines lines_;
  std::string printed_text_;  ///< the end of the text, for agents that print text
  std::string refused_;       ///< a value that would have become an option
};

SessionSupport GenericProtocol::session_support() const {
  if (prints_text()) return {.resume = false, .fork = false};
  const bool in_args = has(spec().args, kSessionId);
  const GenericAgent& agent = spec().generic;
  return {.resume = in_args || has(agent.resume_args, kSessionId),
          .fork = has(agent.fork_args, kSessionId) || (in_args && !agent.fork_args.empty())};
}

Launch GenericProtocol::launch(const LaunchRequest& request) {
  std::vector<std::string> args = spec().args;
  const GenericAgent& agent = spec().generic;
  if (request.start == SessionStart::Resume)
    args.insert(args.end(), agent.resume_args.begin(), agent.resume_args.end());
  if (request.start == SessionStart::Fork)
    args.insert(args.end(), agent.fork_args.begin(), agent.fork_args.end());
  args = filled(args, kModel, request.model, refused_);
  args = filled(args, kSessionId, request.session_id, refused_);
  Launch launch = launch_as(request, std::move(args));
  if (prints_text()) launch.output = OutputForm::Text;
  return launch;
}

void GenericProtocol::begin_turn(const TurnRequest& turn, Actions& actions) {
  if (!refused_.empty()) {
    const std::string text =
        "\"" + refused_ +
        "\" looks like an option of the program, so it was not given to it as a model or session";
    fail(describe_failure(FailureKind::Invalid, text, spec()));
    OneShotProtocol::begin_turn({}, actions);
    return actions.send_signal(Signal::Interrupt);
  }
  OneShotProtocol::begin_turn(turn, actions);
  if (!session_support().resume && !request().model.empty())
    actions.emit(SessionStarted{{}, request().model, {}});
}

void GenericProtocol::on_line(std::string_view line, Actions& actions) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (prints_text()) {
    on_output(std::string(line) + "\n", actions);
  } else if (begin == std::string_view::npos || line[begin] == '{' ||
             line.substr(begin).starts_with("data:")) {
    OneShotProtocol::on_line(line, actions);
  } else if (!line.substr(begin).starts_with("event:")) {
    actions.emit(Notice{NoticeKind::Status, line});
  }
  if (!prints_text() && !lines_.has_text()) actions.emit(Printed{line});
}

void GenericProtocol::on_output(std::string_view piece, Actions& actions) {
  const std::size_t begin =
      printed_text_.empty() ? std::min(piece.find_first_not_of(" \t\r\n"), piece.size()) : 0;
  printed_text_.append(piece.substr(begin));
  if (printed_text_.size() > 2 * kMaxKeptText)
    printed_text_.erase(0, printed_text_.size() - kMaxKeptText);
  actions.emit(TextDelta{{{}, "reply", 0}, piece});
}

void GenericProtocol::on_object(const boost::json::object& line, Actions& actions) {
  lines_.on_object(line, actions);
  if (session_support().resume) session_started(lines_.session_id(), lines_.model(), {}, actions);
}

void GenericProtocol::on_exit(const ExitStatus& status, Actions& actions) {
  if (lines_.usage()) actions.emit(*lines_.usage());
  judge(status);
  OneShotProtocol::on_exit(status, actions);
}

void GenericProtocol::judge(const ExitStatus& status) {
  const bool went_well = status.code == 0 && status.signal == 0;
  if (prints_text()) {
    if (went_well && printed_text_.empty())
      fail(describe_failure(FailureKind::Unknown, "it ended well but printed nothing", spec()));
    if (went_well) complete({});
  } else if (!lines_.error().empty() && !(went_well && lines_.said_done())) {
    fail(failure_in_words(lines_.error(), FailureKind::Unknown, spec()));
  } else if (went_well && lines_.objects() == 0) {
    const std::string text =
        "it ended without a line of JSON. If it prints plain text, set `format = \"text\"` in "
        "[agents." +
        spec().name + "] of config.toml";
    fail(describe_failure(FailureKind::Unknown, text, spec()));
  } else if (went_well && !lines_.has_text() && lines_.final_text().empty() &&
             lines_.not_understood() > 0) {
    fail(describe_failure(FailureKind::Unknown, not_understood(), spec()));
  } else if (went_well && !lines_.has_text() && lines_.final_text().empty() && !lines_.has_work()) {
    const std::string text = "its " + std::to_string(lines_.objects()) +
                             " lines held no text; `agent-doc doctor " + spec().name +
                             " --explain` shows what each was taken for";
    fail(describe_failure(FailureKind::Unknown, text, spec()));
  } else if (went_well) {
    complete(lines_.final_text());
  }
}

/// Uses the printed text, because many programs report errors on standard output.
AgentFailure GenericProtocol::failure_of_exit(const ExitStatus& status) const {
  if (!last_lines(status.stderr_tail).empty() || printed_text_.empty())
    return OneShotProtocol::failure_of_exit(status);
  const std::string said = last_lines(printed_text_);
  const FailureKind kind = kind_of_words(said);
  return describe_exit(kind == FailureKind::Unknown ? FailureKind::Crashed : kind, status, said,
                       spec());
}

std::string GenericProtocol::not_understood() const {
  const std::uint64_t count = lines_.not_understood();
  const std::string first = text::shortened(lines_.first_not_understood(), kMaxShownLine);
  return "it gave no text that was understood. " + std::to_string(count) +
         (count == 1 ? " line was" : " lines were") + " not understood, the first: " + first +
         "\nSay where its text is, by `text_field = \"…\"` in [agents." + spec().name +
         "] of config.toml; `agent-doc doctor " + spec().name +
         " --explain` shows what each line was taken for";
}

std::unique_ptr<AgentProtocol> make_generic(const AgentSpec& spec) {
  return std::make_unique<GenericProtocol>(spec);
}

}  // namespace agent_doc::plugins
