// What it is: agents without processes: a launcher whose children say what the test says, in
// claude's stream-json, and remember what was written to them.
// What it is not: an agent that answers by itself.
// Thread rule: one thread.
#pragma once

#include "server/process/child.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

/// One launched agent; it stays after its Child is destroyed.
struct ScriptedAgent {
  plugins::Launch launch;
  process::ChildObserver* observer = nullptr;  ///< null once the Child is destroyed or has ended
  std::vector<std::string> written;
  std::vector<std::string> signals;  ///< "interrupt", "stop", "stop at once"; "killed" when the
                                     ///< Child was destroyed while it ran
  bool ended = false;
  std::string claude_version = {};  ///< that say_session() tells; empty: none

  void say(std::string_view line) { observer->on_line(line); }
  void say_session(const std::string& id) {
    say(R"({"type":"system","subtype":"init","cwd":"/w","session_id":")" + id +
        R"(","tools":[],"model":"model-1")" +
        (claude_version.empty() ? "" : ",\"claude_code_version\":\"" + claude_version + "\"") +
        "}");
  }
  /// What becomes of the message `id`, that was said in the middle of a turn.
  void say_lifecycle(const std::string& id, const std::string& state) {
    say(R"({"type":"command_lifecycle","command_uuid":")" + id + R"(","state":")" + state +
        R"(","session_id":"s"})");
  }
  void say_message_start(const std::string& id) {
    say(R"({"type":"stream_event","event":{"type":"message_start","message":{"id":")" + id +
        R"(","role":"assistant","content":[]}},"session_id":"s","parent_tool_use_id":null})");
    say(R"({"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},"parent_tool_use_id":null})");
  }
  /// `json_text` as it stands in a JSON string.
  void say_text(const std::string& json_text) {
    say(R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
        json_text + R"("}},"parent_tool_use_id":null})");
  }
  void say_permission(const std::string& id) {
    say(R"({"type":"control_request","request_id":")" + id +
        R"(","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"file_path":"/w/out.txt"}}})");
  }
  void say_permission_withdrawn(const std::string& id) {
    say(R"({"type":"control_cancel_request","request_id":")" + id + R"("})");
  }
  void say_result(const std::string& session) {
    say(R"({"type":"result","subtype":"success","is_error":false,"result":"","session_id":")" +
        session + R"(","terminal_reason":"completed"})");
  }
  void say_aborted() {
    say(R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","terminal_reason":"aborted_streaming"})");
  }
  void exit(int code = 0) {
    ended = true;
    std::exchange(observer, nullptr)->on_exit({code, 0, {}});
  }

  bool was_told(std::string_view piece) const {
    return std::any_of(written.begin(), written.end(), [&](const std::string& line) {
      return line.find(piece) != std::string::npos;
    });
  }
};

class ScriptedLauncher final : public process::ChildLauncher {
 public:
  boost::system::result<std::unique_ptr<process::Child>> launch(
      const plugins::Launch& launch, process::ChildObserver& observer) override {
    if (error) return error;
    auto agent = std::make_shared<ScriptedAgent>();
    agent->launch = launch;
    agent->observer = &observer;
    agents.push_back(agent);
    return std::unique_ptr<process::Child>(std::make_unique<ScriptedProcess>(agent));
  }

  ScriptedAgent& last() { return *agents.back(); }

  boost::system::error_code error;
  std::vector<std::shared_ptr<ScriptedAgent>> agents;

 private:
  class ScriptedProcess final : public process::Child {
   public:
    explicit ScriptedProcess(std::shared_ptr<ScriptedAgent> agent) : agent_(std::move(agent)) {}
    ~ScriptedProcess() override {
      if (!agent_->ended) agent_->signals.push_back("killed");
      agent_->observer = nullptr;
    }
    void write_line(std::string line) override { agent_->written.push_back(std::move(line)); }
    void close_stdin() override { agent_->written.push_back("<end>"); }
    void send_signal(plugins::Signal) override { agent_->signals.push_back("interrupt"); }
    void end(process::StopUrgency urgency) override {
      const std::string name = urgency == process::StopUrgency::Shutdown ? "end at once" : "end";
      if (agent_->signals.empty() || agent_->signals.back() != name)
        agent_->signals.push_back(name);
    }
    void stop(process::StopUrgency urgency) override {
      const std::string name = urgency == process::StopUrgency::Shutdown ? "stop at once" : "stop";
      if (agent_->signals.empty() || agent_->signals.back() != name)
        agent_->signals.push_back(name);
    }
    int pid() const override { return 1; }

   private:
    std::shared_ptr<ScriptedAgent> agent_;
  };
};

}  // namespace agent_doc::fakes
