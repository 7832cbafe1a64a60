#include "editors/cli/line_explainer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace cli_line_explainer_test {

using namespace agent_doc;

/// A turn of an agent whose lines are explained, as the trial does it.
struct Trial final : plugins::Actions {
  explicit Trial(const plugins::AgentSpec& spec)
      : explainer(spec, [this](std::string_view text) { told += text; }),
        protocol(plugins::make_protocol(spec)) {
    protocol->launch({});
    protocol->begin_turn({"Hello?"}, *this);
  }
  void line(std::string_view line) {
    explainer.line_begins(line);
    protocol->on_line(line, *this);
    explainer.line_ended();
  }
  void emit(const plugins::AgentEvent& event) override { explainer.event(event); }
  void write_line(std::string) override {}
  void close_stdin() override {}
  void send_signal(plugins::Signal) override {}
  void read_file(plugins::FileRead) override {}
  void write_file(plugins::FileWrite) override {}

  std::string told;
  cli::LineExplainer explainer;
  std::unique_ptr<plugins::AgentProtocol> protocol;
};

TEST_CASE("explain: what each line of an unknown agent was taken for, and why") {
  Trial trial({"mine", "generic", "program", {}, {}});
  trial.line(R"({"event":"start","model":"m"})");
  trial.line(R"({"type":"status","message":"loading"})");
  trial.line(R"({"delta":{"content":"He\u001b[0m"}})");
  trial.line("loading …");
  trial.line(R"({"type":"surprise","body":"x"})");
  trial.line(R"({"type":"thinking","text":"Hm"})");
  trial.line(R"({"event":"done"})");
  trial.protocol->on_exit({0, 0, {}}, trial);
  CHECK(trial.told ==
        "line 1: {\"event\":\"start\",\"model\":\"m\"}\n    why: a begin, by its name\n"
        "line 2: {\"type\":\"status\",\"message\":\"loading\"}\n    why: a message about the "
        "agent's state: it stands in the status line\n"
        "    for the status line: \"loading\"\n"
        "line 3: {\"delta\":{\"content\":\"He\\u001b[0m\"}}\n    why: new text (field "
        "`delta.content`)\n    new text: \"He<U+001B>[0m\"\n"
        "line 4: loading …\n    for the status line: \"loading …\"\n"
        "line 5: {\"type\":\"surprise\",\"body\":\"x\"}\n    why: not understood: no field that is "
        "known to hold text\n    not understood: \"surprise\"\n"
        "line 6: {\"type\":\"thinking\",\"text\":\"Hm\"}\n    why: thinking (field `text`)\n    "
        "new thinking: \"Hm\"\n"
        "line 7: {\"event\":\"done\"}\n    why: an end, by its name\n"
        "at its end\n    the turn is done\n");
}

TEST_CASE("explain: a known agent's lines by its own protocol") {
  Trial trial({"gemini-stream", "gemini-stream", "program", {}, {}});
  trial.line(R"({"type":"message","role":"assistant","content":"Hi","delta":true})");
  trial.line("{broken");
  CHECK(trial.told.starts_with(
      "line 1: {\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Hi\",\"delta\":true}\n"));
  CHECK(trial.told.find("    new text: \"Hi\"\n") != std::string::npos);
  CHECK(trial.told.ends_with("line 2: {broken\n    no JSON, or broken: \"{broken\"\n"));
}

}  // namespace cli_line_explainer_test
