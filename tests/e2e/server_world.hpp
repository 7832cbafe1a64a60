// What it is: the real program as an editor's language server, in a home of its own, with the
// agents of a configuration of its own; and a strict editor that has one document open.
// What it is not: a fake of anything of the product.
// Thread rule: one thread.
#pragma once

#include "protocol/agent_doc.hpp"
#include "server/lsp/uri.hpp"
#include "tests/fakes/editor_model.hpp"
#include "tests/fakes/lsp_client.hpp"
#include "tests/unit/process_fixture.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

namespace json = boost::json;

/// A folder with everything that the program may write to.
class Home {
 public:
  /// Below the configuration that every test needs: none of its agents is one of this machine.
  explicit Home(const std::string& configuration = "default_agent = \"tour\"\n") {
    for (const char* name : {"config/agent-doc", "state", "runtime", "temporary", "work"})
      std::filesystem::create_directories(folder_ / name);
    tests::write_file(folder_ / "config/agent-doc/config.toml", configuration);
  }

  fakes::ProgramOptions program() const {
    return {AGENT_DOC_BINARY,
            {"serve"},
            {"HOME=" + folder_.path(), "XDG_CONFIG_HOME=" + (folder_ / "config"),
             "XDG_STATE_HOME=" + (folder_ / "state"), "XDG_RUNTIME_DIR=" + (folder_ / "runtime"),
             "TMPDIR=" + (folder_ / "temporary"), "AGENT_DOC_TOUR_PACE=0"},
            folder_ / "work"};
  }
  std::string operator/(std::string_view name) const { return folder_ / name; }
  std::string document() const { return folder_ / "work/doc.md"; }
  /// Names of all files below.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path()))
      names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  tests::TemporaryFolder folder_;
};

/// `[agents.fake]`: a replay_agent that streams `deltas` deltas and writes the numbers of its
/// processes down.
inline std::string streaming_agent(int deltas, int interval_ms, const std::string& pid_file = {}) {
  std::string args = "\"--deltas\", \"" + std::to_string(deltas) + "\", \"--interval-ms\", \"" +
                     std::to_string(interval_ms) + "\"";
  if (!pid_file.empty()) args += ", \"--pid-file\", \"" + pid_file + "\"";
  return "default_agent = \"fake\"\n[agents.fake]\ndialect = \"claude\"\ncommand = \"" REPLAY_AGENT
         "\"\nargs = [" +
         args + "]\n";
}

inline bool is_over(const json::value& turn) {
  const auto& state = turn.at("state").as_string();
  return state == "done" || state == "failed" || state == "cancelled" || state == "interrupted";
}

class ServerWorld {
 public:
  explicit ServerWorld(const Home& home, std::string text = "Hello?\n")
      : uri(lsp::uri_of(home.document())), client(home.program()), editor(client.endpoint()) {
    client.on_notification("agentDoc/reply", [this](const json::value& params) {
      const auto part = protocol::decode_reply(params);
      reply.resize(part.offset);
      reply += part.text;
    });
    json::object capabilities = fakes::LspClient::standard_capabilities();
    capabilities["experimental"] = json::object{
        {"agentDoc", json::object{{"turn", true}, {"reply", true}, {"strictEdits", true}}}};
    client.initialize(capabilities);
    editor.open(uri, std::move(text));
  }

  fakes::EditorModel& document() { return editor.document(uri); }
  json::value command(std::string_view name, json::object argument = {}) {
    if (!argument.contains("uri")) argument["uri"] = uri;
    return client.request(
        "workspace/executeCommand",
        json::object{{"command", name}, {"arguments", json::array{std::move(argument)}}});
  }
  std::string run(json::object argument = {}) {
    return std::string(command("agentDoc.run", std::move(argument)).at("turn").as_string());
  }
  /// The last agentDoc/turn: over, and everything is in the text.
  json::value wait_for_end(const std::string& turn) {
    return client.wait_for_notification("agentDoc/turn", [&](const json::value& params) {
      return params.at("turn").as_string() == turn && is_over(params) &&
             params.at("replyLanded").as_bool();
    });
  }
  json::value run_to_end(json::object argument = {}) {
    return wait_for_end(run(std::move(argument)));
  }
  void wait_for_text(std::string_view piece) {
    client.wait_until("the text has " + std::string(piece),
                      [&] { return document().text().find(piece) != std::string::npos; });
  }

  std::string uri;
  fakes::LspClient client;
  fakes::Editor editor;
  std::string reply;  ///< of the last turn, from agentDoc/reply
};

}  // namespace agent_doc::e2e
