// What it is: a program that is an ACP agent as a script has it.
//
//   scripted_acp_agent SCRIPT HEARD [flags of the agent, ignored]
//
// SCRIPT is a JSON object: for each method an array of entries, the first for the first request and
// so on, the last for all that come then. An entry:
//
//   {"do": [STEP…], "result": {…}, "then": [STEP…]}   or "error" in the place of "result"
//
// "do" comes before the answer, "then" after it. A request whose method is not in the script is
// refused (-32601), but for those that set a mode or an option, which are done. The first of the
// script's methods may be "start": its steps come before anything is read. A STEP is one of:
//
//   {"say": TEXT, "id": MESSAGE_ID}    an agent_message_chunk; "id" may be left out
//   {"update": {…}}                    any session/update
//   {"ask": {…}}                       session/request_permission with these fields; the answer is
//   waited for, and changes nothing
//   {"write": FILE, "asks_in": [MODE…], "as": {…}}   writes FILE below the working folder; in one
//   of the modes only after a yes to the question "as", an
//                                      answer whose option begins with "allow"
//   {"stderr": TEXT}
//   {"hear": METHOD}                   waits for a request or notification; what else comes
//   meanwhile is kept for later
//   {"gate": FIFO}                     waits until somebody opens the named pipe to write, and
//   closes it
//   {"exit": CODE}
//
// Every line that it gets is appended to the file HEARD. One that is not valid by the schema of the
// protocol (acp_wire_check.hpp) is followed by a line that begins with "INVALID", and ends the
// program with code 97.
// What it is not: a model of an agent. It ends with the end of standard input.
// Thread rule: one thread.
#include "tests/fakes/acp_wire_check.hpp"
#include "tests/fakes/fake_claude.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::fakes {

namespace scripted_acp_internal {

namespace json = boost::json;

constexpr std::string_view kProgram = "scripted_acp_agent";
constexpr int kInvalid = 97;

json::object load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  const json::value script = parse(text.str());
  if (!script.is_object())
    usage_error(kProgram, "there is no script, or no JSON object, in " + path);
  return script.get_object();
}

class Agent {
 public:
  Agent(json::object script, std::string heard)
      : script_(std::move(script)), heard_(std::move(heard)) {}

  [[noreturn]] void live() {
    if (const json::value* start = script_.if_contains("start")) perform(start->as_array());
    while (true) {
      const json::object line = next_line();
      const std::string method = text_at(line, "/method");
      if (!method.empty() && line.contains("id")) answer(line, method);
    }
  }

 private:
  // --- what it is sent ---

  json::object read_line() {
    while (input_.lines().empty()) {
      if (input_.wait() == Input::Event::End) std::exit(0);
    }
    const std::string text = std::exchange(input_.lines().front(), {});
    input_.lines().pop_front();
    std::ofstream heard(heard_, std::ios::app | std::ios::binary);
    heard << text << '\n';
    for (const std::string& problem : check_.from_client(text)) {
      heard << "INVALID " << problem << std::endl;
      std::_Exit(kInvalid);
    }
    return parse(text).as_object();
  }

  json::object next_line() {
    if (kept_.empty()) return read_line();
    json::object line = std::move(kept_.front());
    kept_.pop_front();
    return line;
  }

  template <typename Condition>
  json::object wait_for(Condition is_it) {
    for (auto line = kept_.begin(); line != kept_.end(); ++line) {
      if (!is_it(*line)) continue;
      json::object found = std::move(*line);
      kept_.erase(line);
      return found;
    }
    while (true) {
      json::object line = read_line();
      if (is_it(line)) return line;
      kept_.push_back(std::move(line));
    }
  }

  // --- what it says ---

  void print(json::object line) {
    json::object whole{{"jsonrpc", "2.0"}};
    for (auto& [name, value] : line) whole[name] = std::move(value);
    const std::string text = json::serialize(whole);
    check_.from_agent(text);
    output_.print(text + '\n');
  }

  void update(json::object update) {
    json::object params{{"sessionId", session_}};
    params["update"] = std::move(update);
    json::object line{{"method", "session/update"}};
    line["params"] = std::move(params);
    print(std::move(line));
  }

  void say(const json::object& step) {
    json::object chunk{{"sessionUpdate", "agent_message_chunk"}};
    if (const json::value* id = step.if_contains("id")) chunk["messageId"] = *id;
    chunk["content"] = json::object{{"type", "text"}, {"text", step.at("say")}};
    update(std::move(chunk));
  }

  /// The option that was chosen; empty when none was.
  std::string ask(json::object params) {
    const std::string id = "question-" + std::to_string(++questions_);
    params["sessionId"] = session_;
    json::object line{{"id", id}, {"method", "session/request_permission"}};
    line["params"] = std::move(params);
    print(std::move(line));
    return text_at(wait_for([&id](const json::object& heard) {
                     return !heard.contains("method") && text_at(heard, "/id") == id;
                   }),
                   "/result/outcome/optionId");
  }

  void answer(const json::object& request, const std::string& method) {
    take_note(request, method);
    json::object line{{"id", request.at("id")}};
    const json::value* entries = script_.if_contains(method);
    if (entries == nullptr) {
      const bool sets = method == "session/set_mode" || method == "session/set_config_option";
      if (sets)
        line["result"] = method == "session/set_mode"
                             ? json::object()
                             : json::object{{"configOptions", json::array()}};
      if (!sets)
        line["error"] =
            json::object{{"code", -32601}, {"message", "\"Method not found\": " + method}};
      return print(std::move(line));
    }
    const json::array& all = entries->as_array();
    const json::object& entry = all[std::min(used_[method]++, all.size() - 1)].as_object();
    if (const json::value* steps = entry.if_contains("do")) perform(steps->as_array());
    for (const char* part : {"result", "error"}) {
      if (entry.contains(part)) line[part] = entry.at(part);
    }
    if (line.contains("result")) begin_session(line.at("result"));
    print(std::move(line));
    if (const json::value* steps = entry.if_contains("then")) perform(steps->as_array());
  }

  /// The session and its mode, as the client wants them.
  void take_note(const json::object& request, const std::string& method) {
    if (const std::string session = text_at(request, "/params/sessionId"); !session.empty())
      session_ = session;
    if (method == "session/set_mode") mode_ = text_at(request, "/params/modeId");
    if (method == "session/set_config_option") mode_ = text_at(request, "/params/value");
  }

  void begin_session(const json::value& result) {
    if (const std::string session = text_at(result, "/sessionId"); !session.empty())
      session_ = session;
    for (const char* mode : {"/modes/currentModeId", "/configOptions/0/currentValue"}) {
      if (const std::string current = text_at(result, mode); !current.empty()) mode_ = current;
    }
  }

  void perform(const json::array& steps) {
    for (const json::value& step : steps) perform(step.as_object());
  }

  void perform(const json::object& step) {
    const std::string name = step.empty() ? std::string() : std::string(step.begin()->key());
    if (name == "say") return say(step);
    if (name == "update") return update(step.at("update").as_object());
    if (name == "ask") return static_cast<void>(ask(step.at("ask").as_object()));
    if (name == "write") return write(step);
    if (name == "gate") return wait_at(text_at(step, "/gate"));
    if (name == "exit") std::exit(static_cast<int>(step.at("exit").as_int64()));
    if (name == "hear") {
      wait_for([&](const json::object& line) {
        return text_at(line, "/method") == text_at(step, "/hear");
      });
    } else if (name == "stderr") {
      const std::string text = text_at(step, "/stderr");
      if (::write(STDERR_FILENO, text.data(), text.size()) < 0) std::exit(1);
    } else {
      usage_error(kProgram, "the script has an unknown step: " + json::serialize(step));
    }
  }

  void write(const json::object& step) {
    const json::array& asking = step.at("asks_in").as_array();
    const bool asks = std::any_of(asking.begin(), asking.end(), [&](const json::value& mode) {
      return mode == json::value(mode_);
    });
    if (asks && !ask(step.at("as").as_object()).starts_with("allow")) return;
    std::ofstream(text_at(step, "/write"), std::ios::binary)
        << "written in the mode " << mode_ << '\n';
  }

  static void wait_at(const std::string& fifo) {
    char byte = 0;
    const int gate = ::open(fifo.c_str(), O_RDONLY | O_CLOEXEC);
    if (gate < 0 || ::read(gate, &byte, 1) < 0) usage_error(kProgram, "there is no gate " + fifo);
    ::close(gate);
  }

  const json::object script_;
  const std::string heard_;
  Input input_;
  Output output_{OutputShape{}};
  AcpWireCheck check_;
  std::deque<json::object> kept_;
  std::map<std::string, std::size_t> used_;  ///< requests of each method
  std::string session_;
  std::string mode_;
  int questions_ = 0;
};

}  // namespace scripted_acp_internal

}  // namespace agent_doc::fakes

int main(int argc, char** argv) {
  using namespace agent_doc::fakes;
  if (argc < 3)
    usage_error(scripted_acp_internal::kProgram, "it needs a script and a file for what it hears");
  scripted_acp_internal::Agent(scripted_acp_internal::load(argv[1]), argv[2]).live();
}
