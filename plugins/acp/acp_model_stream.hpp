// The model's own stream, which claude-agent-acp forwards in notifications of its own to a client
// that wants it. Only this stream says why each message of the model ended: after `max_tokens` the
// agent lets its model go on, and ACP itself shows two messages without a connection.
#pragma once

#include <boost/json/object.hpp>

#include <string_view>

namespace agent_doc::plugins {

/// The notification that carries a piece of the stream.
inline constexpr std::string_view kAcpModelStream = "_claude/sdkMessage";

/// Returns what to ask for in `_meta.claudeCode` of the request that begins a session.
boost::json::object wanted_model_stream();

/// Returns why a message of the main agent ended (end_turn, tool_use, max_tokens, …), if
/// `params` of the notification say so; otherwise an empty text.
std::string_view stop_reason_in_model_stream(const boost::json::object& params);

}  // namespace agent_doc::plugins
