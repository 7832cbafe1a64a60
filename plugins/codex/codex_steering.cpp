#include "plugins/codex/codex_steering.hpp"

#include "plugins/json_line.hpp"

#include <boost/json/array.hpp>

#include <string_view>
#include <utility>

namespace agent_doc::plugins {
namespace {

/// The oldest version that this was seen with.
constexpr VersionNumber kFirstToSteer = {0, 169, 0};

std::string text_of_user(const boost::json::object& item) {
  std::string text;
  const boost::json::array* content = array_of(item, "content");
  if (content == nullptr) return text;
  for (const boost::json::value& value : *content) {
    const boost::json::object* part = value.if_object();
    if (part != nullptr) text += string_of(*part, "text");
  }
  return text;
}

}  // namespace

boost::json::object codex_input(const std::string& thread, const std::string& text) {
  boost::json::object part{{"type", "text"}, {"text", text}};
  part["text_elements"] = boost::json::array();
  boost::json::array input;
  input.emplace_back(std::move(part));
  boost::json::object params{{"threadId", thread}};
  params["input"] = std::move(input);
  return params;
}

bool CodexSteering::is_known() const {
  return version_ >= kFirstToSteer;
}

void CodexSteering::begin_turn(std::string prompt) {
  prompt_ = std::move(prompt);
  prompt_repeated_ = false;
  unheard_.reset();
  request_ = 0;
  was_heard_ = false;
}

void CodexSteering::say(const std::string& text, const Turn& turn, JsonRpcLines& rpc,
                        Actions& actions) {
  unheard_ = text;
  boost::json::object params = codex_input(turn.thread, text);
  params["expectedTurnId"] = turn.turn;
  request_ = rpc.request("turn/steer", std::move(params), actions);
}

bool CodexSteering::hears(const boost::json::object& item) {
  if (string_of(item, "type") != "userMessage") return false;
  const std::string text = text_of_user(item);
  const bool is_prompt = !std::exchange(prompt_repeated_, true) && text == prompt_;
  if (is_prompt || !unheard_ || text != *unheard_) return false;
  unheard_.reset();
  was_heard_ = true;
  return true;
}

bool CodexSteering::is_refused_by(const RpcAnswer& answer) {
  if (answer.id != request_ || !answer.error || !unheard_) return false;
  unheard_.reset();
  return true;
}

}  // namespace agent_doc::plugins
