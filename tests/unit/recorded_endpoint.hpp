// What it is: endpoints whose output and log a test reads, and methods of every kind.
// What it is not: a transport.
// Thread rule: one thread.
#pragma once

#include "protocol/endpoint.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace agent_doc::protocol::endpoint_test {

using Lines = std::vector<std::string>;

/// An endpoint whose output and log are kept.
struct RecordedEndpoint {
  Lines sent;
  Lines log;
  std::shared_ptr<Endpoint> endpoint =
      Endpoint::make([this](std::string body) { sent.push_back(std::move(body)); },
                     [this](std::string_view line) { log.emplace_back(line); });

  /// What is sent while `body` is received.
  Lines receive(std::string_view body) {
    sent.clear();
    endpoint->receive(body);
    return std::exchange(sent, {});
  }
};

/// Two endpoints in memory; what one sends the other receives within the same call.
struct EndpointPair {
  Lines log;
  std::shared_ptr<Endpoint> client;
  std::shared_ptr<Endpoint> server;

  EndpointPair() {
    const auto logger = [this](std::string_view line) { log.emplace_back(line); };
    client = Endpoint::make([this](std::string body) { server->receive(body); }, logger);
    server = Endpoint::make([this](std::string body) { client->receive(body); }, logger);
  }
};

inline std::string outcome_text(const Result& result) {
  if (const auto* error = std::get_if<Error>(&result))
    return std::to_string(static_cast<int>(error->code)) + " " + error->message;
  return serialise_json(std::get<boost::json::value>(result));
}

inline ResultHandler record_outcome(Lines& outcomes) {
  return [&outcomes](const Result& result) { outcomes.push_back(outcome_text(result)); };
}

inline void bind_sample_methods(Endpoint& endpoint) {
  endpoint.on_request(
      "echo", [](const boost::json::value& params, Replier reply) { reply.result(params); });
  endpoint.on_request("refuse", [](const boost::json::value&, Replier reply) {
    reply.error(Error{ErrorCode::RequestFailed, "busy", boost::json::object{{"reason", "busy"}}});
  });
  endpoint.on_request("forget", [](const boost::json::value&, Replier) {});
  endpoint.on_request(
      "throw", [](const boost::json::value&, Replier) { throw std::runtime_error("secret"); });
  endpoint.on_request("throw-odd", [](const boost::json::value&, Replier) { throw 5; });
  endpoint.on_request("answer-then-throw", [](const boost::json::value&, Replier reply) {
    reply.result(1);
    throw std::runtime_error("too late");
  });
  endpoint.on_request("twice", [](const boost::json::value&, Replier reply) {
    reply.result(1);
    reply.result(2);
    reply.error({});
  });
  endpoint.on_request("field", [](const boost::json::value& params, Replier reply) {
    reply.result(
        boost::json::value(Fields(params, "params").object("textDocument").string("uri").size()));
  });
  endpoint.on_notification(
      "note", [](const boost::json::value& params) { Fields(params, "params").string("text"); });
  endpoint.on_notification("note-throw",
                           [](const boost::json::value&) { throw std::runtime_error("secret"); });
}

}  // namespace agent_doc::protocol::endpoint_test
