#include "plugins/acp/acp_model_stream.hpp"

#include "plugins/json_line.hpp"

#include <boost/json/array.hpp>

namespace agent_doc::plugins {
namespace {

constexpr std::string_view kStreamEvent = "stream_event";

}  // namespace

boost::json::object wanted_model_stream() {
  boost::json::array filters;
  filters.push_back(boost::json::object{{"type", kStreamEvent}});
  return {{"emitRawSDKMessages", std::move(filters)}};
}

std::string_view stop_reason_in_model_stream(const boost::json::object& params) {
  const boost::json::object* message = object_of(params, "message");
  if (message == nullptr || string_of(*message, "type") != kStreamEvent) return {};
  if (!string_of(*message, "parent_tool_use_id").empty()) return {};  // a sub-agent's
  const boost::json::object* event = object_of(*message, "event");
  if (event == nullptr || string_of(*event, "type") != "message_delta") return {};
  const boost::json::object* delta = object_of(*event, "delta");
  return delta != nullptr ? string_of(*delta, "stop_reason") : std::string_view();
}

}  // namespace agent_doc::plugins
