#include "server/lsp/turns/turn_commands.hpp"

#include "server/lsp/documents/documents.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/places.hpp"
#include "server/lsp/turns/turn_updates.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

/// Returns the reason why nothing can be written into any document of this client, if there is one.
std::optional<protocol::Error> obstacle(const Client& client) {
  if (client.can.applyEdit) return std::nullopt;
  return protocol::refused(protocol::RefusalReason::Invalid, missing_apply_edit_message(client));
}

/// Returns the reason why nothing can run in `document` regardless of its text, if there is one.
std::optional<protocol::Error> obstacle(const Client& client, const Documents& documents,
                                        const Document& document) {
  if (auto error = obstacle(client)) return error;
  const Document* twin = documents.twin_of(document, Documents::Twin::RunsTurn);
  if (twin == nullptr) return std::nullopt;
  return protocol::refused(protocol::RefusalReason::Busy,
                           document.place().path + " is the same file as " + twin->place().path +
                               ", in which a turn is running: stop it there or wait for its end");
}

/// Handles run and steer.
using RunCommand =
    session::Outcome<std::string> (session::Conversation::*)(const session::RunRequest&);
void run(const Client& client, Documents& documents, RunCommand command,
         const protocol::Fields& argument, protocol::Replier reply) {
  const auto params = protocol::decode_run(argument);
  Document* document = documents.find_file(params.uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(params.uri));
  if (auto error = obstacle(client, documents, *document))
    return refuse(client, std::move(reply), std::move(*error));
  session::RunRequest request{params.position, std::nullopt, params.prompt, params.agent,
                              params.model};
  if (params.prompt_end) request.prompt_end = offset_of(client, *document, *params.prompt_end);
  const auto outcome = document->with_session(
      [&](session::Conversation& session) { return (session.*command)(request); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client, std::move(reply), to_error(*refusal));
  json::object result{{"turn", std::get<std::string>(outcome)}};
  if (document->session().is_queued()) result["queued"] = true;
  if (document->session().is_steering()) result["steered"] = true;
  reply.result(std::move(result));
}

std::string_view name_of_start(plugins::SessionStart start) {
  switch (start) {
    case plugins::SessionStart::Resume:
      return "resume";
    case plugins::SessionStart::Fork:
      return "fork";
    case plugins::SessionStart::New:
      break;
  }
  return "new";
}

std::string_view name_of_shape(turn::Shape shape) {
  switch (shape) {
    case turn::Shape::Changes:
      return "changes";
    case turn::Shape::Document:
      return "document";
    case turn::Shape::Prompt:
    case turn::Shape::Nothing:
      break;
  }
  return "prompt";
}

void preview(const Client& client, Documents& documents, const protocol::Fields& argument,
             protocol::Replier reply) {
  const auto params = protocol::decode_run(argument);
  Document* document = documents.find_file(params.uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(params.uri));
  const session::RunRequest request{params.position, std::nullopt, params.prompt, params.agent,
                                    params.model};
  auto outcome = document->with_session(
      [&](session::Conversation& session) { return session.preview(request); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client, std::move(reply), to_error(*refusal));
  auto& preview = std::get<session::Preview>(outcome);
  protocol::PreviewResult result;
  result.agent = std::move(preview.agent);
  result.sessionId = std::move(preview.session);
  result.session = name_of_start(preview.start);
  result.shape = name_of_shape(preview.prompt.shape);
  result.known = !preview.prompt.is_unknown;
  result.text = std::move(preview.prompt.text);
  result.changes = std::move(preview.prompt.changes);
  result.places = preview.prompt.places;
  reply.result(protocol::encode(result));
}

void retry(const Client& client, Documents& documents, const protocol::Fields& argument,
           protocol::Replier reply) {
  const std::string uri = argument.string("uri");
  Document* document = documents.find_file(uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(uri));
  if (auto error = obstacle(client, documents, *document))
    return refuse(client, std::move(reply), std::move(*error));
  const auto outcome =
      document->with_session([](session::Conversation& session) { return session.retry(); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client, std::move(reply), to_error(*refusal));
  reply.result(json::object{{"turn", std::get<std::string>(outcome)}});
}

void stop(const Client& client, Documents& documents, const protocol::Fields& argument,
          protocol::Replier reply) {
  const std::string uri = argument.string("uri");
  Document* document = documents.find_file(uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(uri));
  const bool stopped =
      document->with_session([](session::Conversation& session) { return session.stop(); });
  reply.result(json::object{{"stopped", stopped}});
}

void unqueue(const Client& client, Documents& documents, const protocol::Fields& argument,
             protocol::Replier reply) {
  const std::string uri = argument.string("uri");
  Document* document = documents.find_file(uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(uri));
  const bool unqueued =
      document->with_session([](session::Conversation& session) { return session.unqueue(); });
  reply.result(json::object{{"unqueued", unqueued}});
}

/// Handles newSession, continueReply and recoverReply, which take a document and return nothing.
void run_session_command(const Client& client, Documents& documents,
                         session::Outcome<std::string> (session::Conversation::*command)(),
                         const protocol::Fields& argument, protocol::Replier reply) {
  const std::string uri = argument.string("uri");
  Document* document = documents.find_file(uri);
  if (document == nullptr) return refuse(client, std::move(reply), not_open(uri));
  if (auto error = obstacle(client)) return refuse(client, std::move(reply), std::move(*error));
  const auto outcome =
      document->with_session([&](session::Conversation& session) { return (session.*command)(); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refuse(client, std::move(reply), to_error(*refusal));
  reply.result(json::object{});
}

void answer(Documents& documents, const protocol::Fields& argument, protocol::Replier reply) {
  const auto params = protocol::decode_answer(argument);
  Document* document = documents.find_turn(params.turn);
  const bool accepted =
      document != nullptr && document->with_session([&](session::Conversation& session) {
        return session.answer(params.turn, params.permission, params.option);
      });
  reply.result(json::object{{"accepted", accepted}});
}

void status(Documents& documents, const protocol::Fields& argument, protocol::Replier reply) {
  const auto uri = argument.optional_string("uri");
  const Document* asked = uri ? documents.find_file(*uri) : nullptr;
  json::array turns;
  for (const Document* document : documents.all()) {
    if (uri && document != asked) continue;
    if (const auto view = document->session().turn_view())
      turns.push_back(protocol::encode(turn_params(document->place().uri, *view)));
  }
  reply.result(json::object{{"turns", std::move(turns)}});
}

}  // namespace

void add_turn_commands(Commands& commands, const Client& client, Documents& documents) {
  using protocol::Fields;
  using protocol::Replier;
  commands.add(protocol::kRunCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 run(client, documents, &session::Conversation::run, argument, std::move(reply));
               });
  commands.add(protocol::kSteerCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 run(client, documents, &session::Conversation::steer, argument, std::move(reply));
               });
  commands.add(protocol::kPreviewCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 preview(client, documents, argument, std::move(reply));
               });
  commands.add(protocol::kRetryCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 retry(client, documents, argument, std::move(reply));
               });
  commands.add(protocol::kStopCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 stop(client, documents, argument, std::move(reply));
               });
  commands.add(protocol::kUnqueueCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 unqueue(client, documents, argument, std::move(reply));
               });
  commands.add(protocol::kNewSessionCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 run_session_command(client, documents, &session::Conversation::new_session,
                                     argument, std::move(reply));
               });
  commands.add(protocol::kContinueReplyCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 run_session_command(client, documents, &session::Conversation::continue_reply,
                                     argument, std::move(reply));
               });
  commands.add(protocol::kRecoverReplyCommand, Commands::Target::Document,
               [&client, &documents](const Fields& argument, Replier reply) {
                 run_session_command(client, documents, &session::Conversation::recover_reply,
                                     argument, std::move(reply));
               });
  commands.add(protocol::kAnswerCommand, Commands::Target::Other,
               [&documents](const Fields& argument, Replier reply) {
                 answer(documents, argument, std::move(reply));
               });
  commands.add(protocol::kStatusCommand, Commands::Target::Other,
               [&documents](const Fields& argument, Replier reply) {
                 status(documents, argument, std::move(reply));
               });
}

}  // namespace agent_doc::lsp
