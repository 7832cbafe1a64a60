// What it is: a world for one Conversation without any I/O: a strict editor that holds the text, an
// agent whose lines the test says, and a clock that the test moves. Everything is queued and
// delivered by step(), so nothing is re-entrant, as in the real server.
// What it is not: an editor that misbehaves (tests/simulation has those).
// Thread rule: one thread.
#pragma once

#include "server/session/conversation.hpp"
#include "server/text/text_buffer.hpp"
#include "tests/fakes/journal_in_memory.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace agent_doc::fakes {

class ScriptedChild final : public process::Child {
 public:
  explicit ScriptedChild(std::vector<std::string>& written) : written_(written) {}
  void write_line(std::string line) override { written_.push_back(std::move(line)); }
  void close_stdin() override { written_.push_back("<eof>"); }
  void send_signal(plugins::Signal signal) override {
    written_.push_back(signal == plugins::Signal::Interrupt ? "<int>" : "<signal>");
  }
  void end(process::StopUrgency urgency) override {
    written_.push_back(urgency == process::StopUrgency::Shutdown ? "<end for shutdown>" : "<end>");
  }
  void stop(process::StopUrgency urgency) override {
    written_.push_back(urgency == process::StopUrgency::Shutdown ? "<shutdown>" : "<stop>");
  }
  int pid() const override { return 1; }

 private:
  std::vector<std::string>& written_;
};

/// How a change is told: as the client of plain files does, or as one of LSP.
enum class Tells { Bytes, Ranges };

class SessionWorld final : public session::World,
                           public session::DocumentClient,
                           public session::AgentDirectory,
                           public process::ChildLauncher {
 public:
  explicit SessionWorld(std::string text, session::Pace pace = session::kPaceForOurPlugins)
      : session({"file:///w/doc.md", "/w/doc.md", "/w/doc.md"}, text::PositionEncoding::Utf16, pace,
                *this, *this),
        editor(std::move(text)) {
    session.did_open(version, editor.text());
  }

  // --- the editor ---
  /// The person replaces [begin, end) by `typed`; the server hears of it at the next step().
  void type(std::size_t begin, std::size_t end, std::string typed) {
    const text::Edit change{begin, end, std::move(typed)};
    const sync::ContentChange told = as_told(change);
    editor.apply(change);
    changes.push_back({++version, told});
  }
  /// `change`, which the text does not have yet, as the client tells it.
  sync::ContentChange as_told(const text::Edit& change) const {
    if (tells == Tells::Bytes) return change;
    const auto at = [this](std::size_t offset) {
      return editor.position_of(offset, text::PositionEncoding::Utf16);
    };
    return sync::ReplaceRange{{at(change.begin), at(change.end)}, change.replacement};
  }
  /// Types behind the first `mark` of the text.
  void type_behind(std::string_view mark, std::string typed) {
    const std::size_t at = editor.text().find(mark) + mark.size();
    type(at, at, std::move(typed));
  }
  /// Delivers the oldest thing that is under way: a change of the person, then the edit of the
  /// server. False when nothing is.
  bool step() {
    if (!changes.empty()) {
      const auto [v, change] = changes.front();
      changes.pop_front();
      session.did_change(v, {change});
      return true;
    }
    if (!edit) return false;
    const sync::OutgoingEdit sent = *edit;
    edit.reset();
    if (refuse_edits || sent.base_version != version) {
      ++refused;
      session.edit_answered(sync::Answer::Refused);
      return true;
    }
    const sync::ContentChange told = as_told(sent.edit);
    editor.apply(sent.edit);
    ++applied;
    session.did_change(++version, {told});
    session.edit_answered(sync::Answer::Applied);
    return true;
  }
  /// Until nothing is under way and no timer is due within `horizon`.
  void run_until_quiet(std::chrono::milliseconds horizon = std::chrono::milliseconds{1000}) {
    const session::TimePoint until = clock + horizon;
    for (;;) {
      while (step()) {
      }
      const std::optional<session::TimePoint> due = session.next_wakeup();
      if (!due || *due > until) return;
      clock = std::max(clock, *due);
      session.wake();
    }
  }

  // --- the agent ---
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
  void say_text(const std::string& json_text) {
    say(R"({"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":")" +
        json_text + R"("}},"parent_tool_use_id":null})");
  }
  void say_tool(const std::string& id) {
    say(R"({"type":"assistant","message":{"id":"m-)" + id +
        R"(","role":"assistant","content":[{"type":"tool_use","id":")" + id +
        R"(","name":"Bash","input":{"command":"echo hi"}}]},"parent_tool_use_id":null})");
  }
  void say_permission(const std::string& id) {
    say(R"({"type":"control_request","request_id":")" + id +
        R"(","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"file_path":"/w/out.txt"}}})");
  }
  void say_result(const std::string& id) {
    say(R"({"type":"result","subtype":"success","is_error":false,"result":"","session_id":")" + id +
        R"(","terminal_reason":"completed"})");
  }
  void say_aborted() {
    say(R"({"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","terminal_reason":"aborted_streaming"})");
  }
  void exit(plugins::ExitStatus status) { observer->on_exit(status); }

  // --- DocumentClient ---
  void send_edit(const sync::OutgoingEdit& e) override { edit = e; }
  void turn_changed(const session::TurnView& view) override { views.push_back(view); }
  void reply_changed(const std::string&, std::size_t offset, std::string_view text) override {
    reply.resize(offset);
    reply += text;
  }
  void ask_permission(const std::string&, const turn::Permission& permission) override {
    asked.push_back(permission.id);
  }
  void withdraw_permission(const std::string&, const std::string& permission) override {
    withdrawn.push_back(permission);
  }
  plugins::FileAnswer read_file(const plugins::FileRead& request,
                                const std::string& folder) override {
    return {true, "read " + request.path + " in " + folder};
  }
  plugins::FileAnswer write_file(const plugins::FileWrite& request, const std::string&) override {
    file_writes.push_back(request.path + ": " + request.text);
    return {true, {}};
  }
  session::WorkFolder work_folder() override { return folder_of_work; }
  void show_message(session::MessageKind, std::string_view message) override {
    messages.emplace_back(message);
  }
  void log(std::string_view) override {}
  void wakeup_changed() override {}

  // --- World ---
  process::ChildLauncher& launcher() override { return *this; }
  const session::AgentDirectory& agents() const override { return *this; }
  boost::system::result<std::unique_ptr<process::Child>> launch(
      const plugins::Launch& l, process::ChildObserver& o) override {
    if (launch_error) return launch_error;
    launches.push_back(l);
    observer = &o;
    return std::unique_ptr<process::Child>(std::make_unique<ScriptedChild>(written));
  }
  store::Journal& journal() override { return recorded; }
  session::LeaseOutcome lease_session(const std::string& agent, const std::string& session_id,
                                      const std::string& path) override {
    return leases.lease(agent, session_id, path);
  }
  std::string make_uuid() override { return "uuid-" + std::to_string(++uuids); }
  session::TimePoint now() const override { return clock; }
  session::FolderPlace folder_inside(const std::string&, const std::string& path) const override {
    const auto link = links.find(path);
    if (link == links.end()) return {path, {}};
    return link->second.empty() ? session::FolderPlace{{}, "leads out of it"}
                                : session::FolderPlace{link->second, {}};
  }

  // --- AgentDirectory ---
  std::optional<plugins::AgentSpec> find(std::string_view name) const override {
    if (const auto other = other_agents.find(name); other != other_agents.end())
      return other->second;
    if (name == "acp") return plugins::AgentSpec{"acp", "acp", "agent", {}, {}};
    if (name != "claude" && name != "other") return std::nullopt;
    return plugins::AgentSpec{std::string(name), "claude", "claude", {}, {}};
  }
  std::string default_agent() const override { return "claude"; }
  std::vector<std::string> names() const override { return {"claude", "other"}; }
  bool is_installed(std::string_view) const override { return true; }
  std::string how_to_get(std::string_view) const override { return "install it"; }

  std::map<std::string, plugins::AgentSpec, std::less<>> other_agents;  ///< by name
  std::string claude_version;  ///< that say_session() tells; empty: none
  session::TimePoint clock{std::chrono::hours{1}};
  std::int64_t version = 1;
  std::deque<std::pair<std::int64_t, sync::ContentChange>> changes;
  Tells tells = Tells::Bytes;
  std::optional<sync::OutgoingEdit> edit;
  bool refuse_edits = false;
  int refused = 0;
  int applied = 0;
  int uuids = 0;
  std::vector<session::TurnView> views;
  std::string reply;
  std::vector<std::string> asked, withdrawn, messages, written, file_writes;
  std::vector<plugins::Launch> launches;
  std::map<std::string, std::string>
      links;  ///< folders that are links; empty: out of the workspace
  session::WorkFolder folder_of_work{"/w", {}};
  boost::system::error_code launch_error;
  process::ChildObserver* observer = nullptr;
  JournalInMemory recorded;
  LeasesInMemory leases;
  session::Conversation session;
  text::TextBuffer editor;
};

}  // namespace agent_doc::fakes
