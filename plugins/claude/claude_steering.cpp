#include "plugins/claude/claude_steering.hpp"

#include "plugins/json_line.hpp"
#include "plugins/version_number.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace agent_doc::plugins {
namespace {

/// The oldest version that this was seen with.
constexpr VersionNumber kFirstToTell = {2, 1, 328};

}  // namespace

std::string claude_user_line(const std::string& text, const std::string& id) {
  boost::json::object part{{"type", "text"}, {"text", text}};
  boost::json::array content;
  content.emplace_back(std::move(part));
  boost::json::object message{{"role", "user"}};
  message["content"] = std::move(content);
  boost::json::object line{{"type", "user"}};
  line["message"] = std::move(message);
  if (!id.empty()) line["uuid"] = id;
  return boost::json::serialize(line);
}

void ClaudeSteering::version_is(std::string_view version) {
  is_known_ = version_number(version) >= kFirstToTell;
}

void ClaudeSteering::begin_turn() {
  drop_request_.clear();
  if (unheard_) unwanted_ = std::exchange(unheard_, std::nullopt);
}

void ClaudeSteering::say(const SteerRequest& request, Actions& actions) {
  unheard_ = request.id;
  drop_request_.clear();
  actions.write_line(claude_user_line(request.text, request.id));
}

ClaudeSteering::News ClaudeSteering::on_lifecycle(const boost::json::object& line) {
  const std::string_view id = string_of(line, "command_uuid");
  const std::string_view state = string_of(line, "state");
  const bool is_unwanted = unwanted_ && id == *unwanted_;
  if (state == "queued" || (!is_unwanted && (!unheard_ || id != *unheard_))) return News::None;
  if (is_unwanted) {
    unwanted_.reset();
    return state == "started" ? News::Unwanted : News::None;
  }
  unheard_.reset();
  return state == "cancelled" ? News::Dropped : News::Started;
}

bool ClaudeSteering::take_back(Actions& actions) {
  if (!unheard_ || !drop_request_.empty()) return false;
  drop_request_ = "drop-" + *unheard_;
  boost::json::object line{{"type", "control_request"}, {"request_id", drop_request_}};
  line["request"] =
      boost::json::object{{"subtype", "cancel_async_message"}, {"message_uuid", *unheard_}};
  actions.write_line(boost::json::serialize(line));
  return true;
}

bool ClaudeSteering::is_drop_answer(const boost::json::object& control_response) {
  const boost::json::object* response = object_of(control_response, "response");
  if (response == nullptr || drop_request_.empty()) return false;
  if (string_of(*response, "request_id") != drop_request_) return false;
  drop_request_.clear();
  return true;
}

}  // namespace agent_doc::plugins
