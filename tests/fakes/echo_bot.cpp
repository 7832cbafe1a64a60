// The dialect `echo-bot`: a program that prints JSON lines: {"id": …} is its session, {"say": …}
// new text, {"done": true} its end.
#include "plugins/arguments.hpp"
#include "plugins/one_shot/one_shot.hpp"

#include <memory>
#include <utility>

namespace agent_doc::plugins {

class EchoBotProtocol final : public OneShotProtocol {
 public:
  using OneShotProtocol::OneShotProtocol;

  SessionSupport session_support() const override { return {.resume = true, .fork = false}; }

  Launch launch(const LaunchRequest& request) override {
    std::vector<std::string> args = {"answer", "--json"};
    if (!request.model.empty()) add_option(args, "--model", request.model);
    if (request.start == SessionStart::Resume) add_option(args, "--session", request.session_id);
    return launch_with(request, std::move(args));
  }

 private:
  void on_object(const boost::json::object& line, Actions& actions) override {
    if (line.contains("id")) {
      session_started(string_of(line, "id"), {}, {}, actions);
    } else if (line.contains("say")) {
      actions.emit(TextDelta{{{}, "answer", 0}, string_of(line, "say")});
    } else if (line.contains("error")) {
      fail(failure_in_words(string_of(line, "error"), FailureKind::Unknown, spec()));
    } else if (line.contains("done")) {
      complete({});
    } else {
      actions.emit(Unrecognised{"(no known field)"});
    }
  }
};

std::unique_ptr<AgentProtocol> make_echo_bot(const AgentSpec& spec) {
  return std::make_unique<EchoBotProtocol>(spec);
}

}  // namespace agent_doc::plugins
