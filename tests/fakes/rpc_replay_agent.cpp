// What it is: a program that plays the agent's half of a recording of JSON-RPC lines (codex
// app-server, ACP agents).
//
//   rpc_replay_agent [--chunk N | --cut-at BYTE] [--copy FILE] RECORDING [flags of the agent,
//   ignored]
//
// What an ACP agent is sent is held against the schema of the protocol (acp_wire_check.hpp); what
// is not valid ends the program with code 2.
//
// RECORDING has every frame with its direction: {"dir":"send","frame":…} is what the recorded host
// wrote, {"dir":"recv","frame":…} what the agent did. Each frame of the host is waited for: a
// request or notification by its method, an answer by the agent's own id; an answer with another
// result or error code than the recorded one ends the program with code 2. The agent's frames come
// out as they are, but for two things: an answer carries the id that was really sent (and is left
// out when nobody asked), and /srv/proj is this process' working folder. A request that is not
// recorded is refused (-32601) at once, such a notification is passed over. Where the recorded host
// wrote its prompt into the middle of the old turns that the agent was telling it again, it is
// expected behind them. --cut-at and --copy are replay_agent's. It ends with the end of standard
// input.
// What it is not: a model of an agent.
// Thread rule: one thread.
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/fakes/fake_claude.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

namespace rpc_replay_internal {

constexpr std::string_view kProgram = "rpc_replay_agent";
constexpr std::string_view kRecordedFolder = "/srv/proj";

/// A frame of the recording.
struct Step {
  bool host = false;
  boost::json::object frame;
  std::string bytes;
};

std::string method_of(const boost::json::object& frame) {
  return text_at(frame, "/method");
}

/// Ids are numbers or strings.
std::string id_of(const boost::json::object& frame) {
  const boost::json::value* id = frame.if_contains("id");
  return id != nullptr ? boost::json::serialize(*id) : std::string();
}

std::string here(std::string bytes) {
  const std::string folder = std::filesystem::current_path().string();
  for (std::size_t at = 0; (at = bytes.find(kRecordedFolder, at)) != std::string::npos;
       at += folder.size()) {
    bytes.replace(at, kRecordedFolder.size(), folder);
  }
  return bytes;
}

bool tells_an_old_prompt(const Step& step) {
  return text_at(step.frame, "/params/update/sessionUpdate") == "user_message_chunk";
}
bool tells_the_commands(const Step& step) {
  return text_at(step.frame, "/params/update/sessionUpdate") == "available_commands_update";
}

/// gemini tells the old turns after its answer to session/load, and its commands before it answers
/// a prompt.
void put_prompt_behind_old_turns(std::vector<Step>& steps) {
  const auto prompt = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
    return step.host && method_of(step.frame) == "session/prompt";
  });
  if (prompt == steps.end() || std::none_of(prompt, steps.end(), tells_an_old_prompt)) return;
  std::rotate(prompt, prompt + 1, std::find_if(prompt, steps.end(), tells_the_commands));
}

std::vector<Step> load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) usage_error(kProgram, "there is no recording " + path);
  std::vector<Step> steps;
  for (std::string line; std::getline(file, line);) {
    const boost::json::value entry = parse(line);
    const boost::json::value* frame =
        entry.is_object() ? entry.as_object().if_contains("frame") : nullptr;
    if (frame == nullptr || !frame->is_object())
      usage_error(kProgram, "the recording has a line without a frame");
    const std::size_t begin = line.find("\"frame\":") + 8;
    steps.push_back({text_at(entry, "/dir") == "send", frame->as_object(),
                     here(line.substr(begin, line.rfind('}') - begin)) + '\n'});
  }
  put_prompt_behind_old_turns(steps);
  return steps;
}

class Player {
 public:
  Player(std::vector<Step> steps, OutputShape shape)
      : steps_(std::move(steps)), output_(std::move(shape)) {}

  [[noreturn]] void play() {
    for (at_ = 0; at_ < steps_.size(); ++at_) {
      if (steps_[at_].host) {
        output_.print(std::exchange(unprinted_, {}));
        wait_for(steps_[at_].frame);
      } else {
        say(steps_[at_]);
      }
    }
    output_.print(unprinted_);
    while (true) take(next_line());
  }

 private:
  void say(const Step& step) {
    if (!method_of(step.frame).empty()) {
      check_.from_agent(step.bytes);
      unprinted_ += step.bytes;
      return;
    }
    const auto asked = ids_.find(id_of(step.frame));
    if (asked == ids_.end()) return;
    boost::json::object answer = parse(step.bytes).as_object();
    answer["id"] = asked->second;
    unprinted_ += boost::json::serialize(answer) + '\n';
  }

  void wait_for(const boost::json::object& recorded) {
    const std::string method = method_of(recorded);
    const auto is_it = [&](const boost::json::object& line) {
      return method.empty() ? method_of(line).empty() && id_of(line) == id_of(recorded)
                            : method_of(line) == method;
    };
    while (true) {
      const auto found = std::find_if(waiting_.begin(), waiting_.end(), is_it);
      if (found == waiting_.end()) {
        take(next_line());
        continue;
      }
      if (method.empty()) check_answer(*found, recorded);
      if (!method.empty() && found->contains("id")) ids_[id_of(recorded)] = found->at("id");
      waiting_.erase(found);
      return;
    }
  }

  static void check_answer(const boost::json::object& answer, const boost::json::object& recorded) {
    const auto part = [](const boost::json::value& frame, std::string_view pointer) {
      boost::system::error_code none;
      const boost::json::value* found = frame.find_pointer({pointer.data(), pointer.size()}, none);
      return found != nullptr ? *found : boost::json::value();
    };
    for (const std::string_view pointer : {"/result", "/error/code"}) {
      if (part(answer, pointer) != part(recorded, pointer))
        usage_error(kProgram, "this is not the recorded answer: " + boost::json::serialize(answer));
    }
  }

  /// A line of the host is kept until its turn comes, when it has one.
  void take(boost::json::object line) {
    const std::string method = method_of(line);
    const bool is_recorded =
        method.empty() ||
        std::any_of(steps_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, steps_.size())),
                    steps_.end(),
                    [&](const Step& step) { return step.host && method_of(step.frame) == method; });
    if (is_recorded) return waiting_.push_back(std::move(line));
    if (!line.contains("id")) return;
    const boost::json::object error{{"code", -32601},
                                    {"message", "\"Method not found\": " + method}};
    output_.print(boost::json::serialize(boost::json::object{
                      {"jsonrpc", "2.0"}, {"id", line.at("id")}, {"error", error}}) +
                  '\n');
  }

  boost::json::object next_line() {
    while (input_.lines().empty()) {
      if (input_.wait() == Input::Event::End) std::exit(0);
    }
    const boost::json::value line = parse(input_.lines().front());
    if (!line.is_object()) usage_error(kProgram, "this is no JSON-RPC: " + input_.lines().front());
    if (is_acp()) {
      for (const std::string& problem : check_.from_client(input_.lines().front())) {
        usage_error(kProgram, "this is no ACP: " + problem + ": " + input_.lines().front());
      }
    }
    input_.lines().pop_front();
    return line.as_object();
  }

  /// codex' app-server speaks otherwise.
  bool is_acp() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step& step) {
      const boost::json::value* params = step.host && method_of(step.frame) == "initialize"
                                             ? step.frame.if_contains("params")
                                             : nullptr;
      return params != nullptr && params->is_object() &&
             params->get_object().contains("protocolVersion");
    });
  }

  std::vector<Step> steps_;
  AcpWireCheck check_;
  std::size_t at_ = 0;
  Input input_;
  Output output_;
  std::string unprinted_;  ///< so that pieces do not end where lines end
  std::vector<boost::json::object> waiting_;
  std::map<std::string, boost::json::value>
      ids_;  ///< of the host's requests: the real one of a recorded one
};

}  // namespace rpc_replay_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  using namespace agent_doc::fakes;
  constexpr std::string_view kProgram = rpc_replay_internal::kProgram;
  OutputShape shape;
  int at = 1;
  for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
    const std::string_view option = argv[at];
    if (option == "--chunk") {
      shape.chunk = number(kProgram, option, argv[at + 1]);
    } else if (option == "--cut-at") {
      shape.cut_at = number(kProgram, option, argv[at + 1]);
    } else if (option == "--copy") {
      shape.copy = argv[at + 1];
    } else {
      usage_error(kProgram, "unknown option " + std::string(option) +
                                "; options of the fake come before the recording");
    }
  }
  if (at >= argc) usage_error(kProgram, "name a recording");
  rpc_replay_internal::Player(rpc_replay_internal::load(argv[at]), shape).play();
}
