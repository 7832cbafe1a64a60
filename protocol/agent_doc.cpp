#include "protocol/agent_doc.hpp"

#include "protocol/fields.hpp"
#include "protocol/lsp.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <utility>

namespace agent_doc::protocol {

namespace json = boost::json;

namespace {

struct NamedReason {
  RefusalReason reason;
  std::string_view name;
};
constexpr std::array kReasons{
    NamedReason{RefusalReason::Busy, "busy"},
    NamedReason{RefusalReason::NothingToSend, "nothing-to-send"},
    NamedReason{RefusalReason::UnknownAgent, "unknown-agent"},
    NamedReason{RefusalReason::NoSession, "no-session"},
    NamedReason{RefusalReason::NotOpen, "not-open"},
    NamedReason{RefusalReason::Unsupported, "unsupported"},
    NamedReason{RefusalReason::Invalid, "invalid"},
};

json::value encode_permission(const PermissionParams& permission) {
  json::array options;
  for (const PermissionOptionParams& option : permission.options) {
    options.push_back(
        json::object{{"id", option.id}, {"label", option.label}, {"kind", option.kind}});
  }
  return json::object{{"id", permission.id},
                      {"tool", permission.tool},
                      {"detail", permission.detail},
                      {"options", std::move(options)}};
}

PermissionParams decode_permission(const Fields& fields) {
  PermissionParams permission{
      fields.string("id"), fields.string("tool"), fields.string("detail"), {}};
  for (const Fields& option : fields.objects("options")) {
    permission.options.push_back(
        {option.string("id"), option.string("label"), option.string("kind")});
  }
  return permission;
}

UsageParams decode_usage(const Fields& fields) {
  return {fields.integer("input"), fields.integer("output"), fields.integer("cacheRead"),
          fields.integer("cacheWrite"), fields.integer("costMicros")};
}

}  // namespace

RunParams decode_run(const Fields& argument) {
  RunParams run;
  run.uri = argument.string("uri");
  if (const auto position = argument.optional_object("position"))
    run.position = decode_position(*position);
  if (const auto end = argument.optional_object("promptEnd"))
    run.prompt_end = decode_position(*end);
  run.prompt = argument.optional_string("prompt").value_or("");
  run.agent = argument.optional_string("agent").value_or("");
  run.model = argument.optional_string("model").value_or("");
  return run;
}

ForkParams decode_fork(const Fields& argument) {
  const auto turn = argument.optional_integer("turn", {1, kUnsignedRange.most});
  return {argument.string("uri"), argument.optional_string("target").value_or(""),
          turn ? std::optional<std::uint64_t>(*turn) : std::nullopt};
}

LeaveOutParams decode_leave_out(const Fields& argument) {
  LeaveOutParams params{argument.string("uri"), std::nullopt};
  if (const auto position = argument.optional_object("position"))
    params.position = decode_position(*position);
  return params;
}

AnswerParams decode_answer(const Fields& argument) {
  return {argument.string("turn"), argument.string("permission"),
          argument.optional_string("option").value_or("")};
}

SessionsParams decode_sessions(const Fields& argument) {
  return {argument.optional_string("uri").value_or(""),
          argument.optional_string("agent").value_or(""),
          argument.optional_string("folder").value_or("")};
}

json::value encode(const std::vector<AgentEntry>& agents) {
  json::array list;
  for (const AgentEntry& agent : agents) {
    json::object entry{{"name", agent.name},           {"dialect", agent.dialect},
                       {"installed", agent.installed}, {"default", agent.isDefault},
                       {"canResume", agent.canResume}, {"canFork", agent.canFork},
                       {"canList", agent.canList}};
    if (!agent.howToGet.empty()) entry["howToGet"] = agent.howToGet;
    list.push_back(std::move(entry));
  }
  return json::object{{"agents", std::move(list)}};
}

json::value encode(const SessionsResult& result) {
  json::array list;
  for (const SessionEntry& session : result.sessions) {
    json::object entry{{"sessionId", session.sessionId}, {"title", session.title}};
    entry["usedMs"] = session.usedMs ? json::value(*session.usedMs) : json::value();
    list.push_back(std::move(entry));
  }
  return json::object{{"agent", result.agent},
                      {"folder", result.folder},
                      {"complete", result.complete},
                      {"sessions", std::move(list)}};
}

std::size_t estimated_tokens(std::string_view text) {
  constexpr std::size_t kBytesPerToken = 4;
  return (text.size() + kBytesPerToken - 1) / kBytesPerToken;
}

json::value encode(const PreviewResult& result) {
  return json::object{
      {"agent", result.agent},       {"sessionId", result.sessionId},
      {"session", result.session},   {"shape", result.shape},
      {"known", result.known},       {"text", result.text},
      {"bytes", result.text.size()}, {"estimatedTokens", estimated_tokens(result.text)},
      {"changes", result.changes},   {"places", result.places}};
}

std::string_view name_of(RefusalReason reason) {
  for (const auto& named : kReasons) {
    if (named.reason == reason) return named.name;
  }
  return "invalid";
}

Error refused(RefusalReason reason, std::string message) {
  return {ErrorCode::RequestFailed, std::move(message), json::object{{"reason", name_of(reason)}}};
}

std::optional<RefusalReason> reason_of(const Error& error) {
  if (error.code != ErrorCode::RequestFailed || !error.data.is_object()) return std::nullopt;
  const json::value* reason = error.data.get_object().if_contains("reason");
  if (reason == nullptr || !reason->is_string()) return std::nullopt;
  for (const auto& named : kReasons) {
    if (named.name == std::string_view(reason->get_string())) return named.reason;
  }
  return std::nullopt;
}

json::value encode(const TurnParams& turn) {
  json::object params{
      {"uri", turn.uri},
      {"turn", turn.turn},
      {"state", turn.state},
      {"phase", turn.phase},
      {"status", turn.status},
      {"agent", turn.agent},
      {"model", turn.model},
      {"sessionId", turn.sessionId},
      {"usage", json::object{{"input", turn.usage.input},
                             {"output", turn.usage.output},
                             {"cacheRead", turn.usage.cacheRead},
                             {"cacheWrite", turn.usage.cacheWrite},
                             {"costMicros", turn.usage.costMicros}}},
      {"elapsedMs", turn.elapsedMs},
      {"replyLanded", turn.replyLanded},
      {"canContinue", turn.canContinue},
      {"health", turn.health},
  };
  if (turn.queued) params["queued"] = true;
  if (!turn.failure.empty()) params["failure"] = turn.failure;
  if (turn.permission) params["permission"] = encode_permission(*turn.permission);
  return params;
}

TurnParams decode_turn(const json::value& params) {
  const Fields fields(params, "params");
  TurnParams turn;
  turn.uri = fields.string("uri");
  turn.turn = fields.string("turn");
  turn.state = fields.string("state");
  turn.phase = fields.string("phase");
  turn.status = fields.string("status");
  turn.agent = fields.string("agent");
  turn.model = fields.string("model");
  turn.sessionId = fields.string("sessionId");
  turn.usage = decode_usage(fields.object("usage"));
  turn.elapsedMs = fields.integer("elapsedMs");
  turn.replyLanded = fields.boolean("replyLanded");
  turn.canContinue = fields.boolean("canContinue");
  turn.queued = fields.optional_boolean("queued").value_or(false);
  turn.failure = fields.optional_string("failure").value_or("");
  turn.health = fields.string("health");
  if (const auto permission = fields.optional_object("permission"))
    turn.permission = decode_permission(*permission);
  return turn;
}

json::value encode(const ReplyParams& reply) {
  return json::object{
      {"uri", reply.uri}, {"turn", reply.turn}, {"offset", reply.offset}, {"text", reply.text}};
}

ReplyParams decode_reply(const json::value& params) {
  const Fields fields(params, "params");
  return {fields.string("uri"), fields.string("turn"),
          static_cast<std::uint64_t>(fields.integer("offset", {0})), fields.string("text")};
}

}  // namespace agent_doc::protocol
