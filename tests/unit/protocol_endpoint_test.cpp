#include "protocol/endpoint.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace agent_doc::protocol {
namespace {

using Lines = std::vector<std::string>;

/// An endpoint whose output and log are kept.
struct RecordedEndpoint {
  Lines sent;
  Lines log;
  std::shared_ptr<Endpoint> endpoint = Endpoint::make([this](std::string body) { sent.push_back(std::move(body)); },
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

std::string outcome_text(const Result& result) {
  if (const auto* error = std::get_if<Error>(&result)) return std::to_string(static_cast<int>(error->code)) + " " + error->message;
  return serialise_json(std::get<boost::json::value>(result));
}

ResultHandler record_outcome(Lines& outcomes) {
  return [&outcomes](const Result& result) { outcomes.push_back(outcome_text(result)); };
}

void bind_sample_methods(Endpoint& endpoint) {
  endpoint.on_request("echo", [](const boost::json::value& params, Replier reply) { reply.result(params); });
  endpoint.on_request("refuse", [](const boost::json::value&, Replier reply) {
    reply.error(Error{ErrorCode::RequestFailed, "busy", boost::json::object{{"reason", "busy"}}});
  });
  endpoint.on_request("forget", [](const boost::json::value&, Replier) {});
  endpoint.on_request("throw", [](const boost::json::value&, Replier) { throw std::runtime_error("secret"); });
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
    reply.result(boost::json::value(Fields(params, "params").object("textDocument").string("uri").size()));
  });
  endpoint.on_notification("note", [](const boost::json::value& params) { Fields(params, "params").string("text"); });
  endpoint.on_notification("note-throw", [](const boost::json::value&) { throw std::runtime_error("secret"); });
}

TEST_CASE("what is answered, byte for byte") {
  struct Case {
    std::string_view body;
    Lines answers;
    Lines log;
  };
  for (
      const Case& it : {
          Case{R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1]}})", {R"({"jsonrpc":"2.0","id":1,"result":{"a":[1]}})"}, {}},
          Case{R"({"jsonrpc":"2.0","id":"1","method":"echo"})", {R"({"jsonrpc":"2.0","id":"1","result":null})"}, {}},
          Case{R"({"jsonrpc":"2.0","id":2,"method":"refuse"})",
               {R"({"jsonrpc":"2.0","id":2,"error":{"code":-32803,"message":"busy","data":{"reason":"busy"}}})"},
               {}},
          Case{R"({"jsonrpc":"2.0","id":3,"method":"forget"})",
               {R"({"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"forget ended without an answer"}})"},
               {"forget: the handler gave no answer"}},
          Case{R"({"jsonrpc":"2.0","id":4,"method":"throw"})",
               {R"({"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error in throw; the log says more"}})"},
               {"throw: the handler threw: secret"}},
          Case{R"({"jsonrpc":"2.0","id":4,"method":"throw-odd"})",
               {R"({"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error in throw-odd; the log says more"}})"},
               {"throw-odd: the handler threw something that is no std::exception"}},
          Case{R"({"jsonrpc":"2.0","id":5,"method":"answer-then-throw"})",
               {R"({"jsonrpc":"2.0","id":5,"result":1})"},
               {"answer-then-throw: the handler threw: too late"}},
          Case{R"({"jsonrpc":"2.0","id":6,"method":"twice"})",
               {R"({"jsonrpc":"2.0","id":6,"result":1})"},
               {"twice: a second answer was ignored", "twice: a second answer was ignored"}},
          Case{R"({"jsonrpc":"2.0","id":7,"method":"field","params":{"textDocument":{"uri":"file"}}})",
               {R"({"jsonrpc":"2.0","id":7,"result":4})"},
               {}},
          Case{R"({"jsonrpc":"2.0","id":7,"method":"field","params":{"textDocument":{"uri":5}}})",
               {R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"params.textDocument.uri: expected a string"}})"},
               {"field: params.textDocument.uri: expected a string"}},
          Case{R"({"jsonrpc":"2.0","id":7,"method":"field"})",
               {R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"params: expected an object"}})"},
               {"field: params: expected an object"}},
          Case{R"({"jsonrpc":"2.0","id":8,"method":"no\nsuch"})",
               {R"({"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"there is no method \"no\\nsuch\""}})"},
               {}},
          Case{R"({"jsonrpc":"2.0","id":8,"method":"$/unknown"})",
               {R"({"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"there is no method \"$/unknown\""}})"},
               {}},
          Case{R"({"jsonrpc":"2.0","method":"note","params":{"text":"x"}})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"note","params":{}})", {}, {"note: params.text: expected a string"}},
          Case{R"({"jsonrpc":"2.0","method":"note-throw"})", {}, {"note-throw: the handler threw: secret"}},
          Case{R"({"jsonrpc":"2.0","method":"unknown"})", {}, {"ignored the unknown notification \"unknown\""}},
          Case{R"({"jsonrpc":"2.0","method":"$/unknown"})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":[99]})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest"})", {}, {}},
          Case{R"({"jsonrpc":"2.0","id":99,"result":1})", {}, {"ignored an answer to the unknown request 99"}},
          Case{R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}})", {}, {"ignored an answer to the unknown request \"x\""}},
          Case{R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})",
               {},
               {"the other side could not read a message: what?"}},
          Case{R"({"jsonrpc":"2.0","id":null,"result":1})", {}, {"the other side could not read a message: it answered without an id"}},
          Case{
              R"([])",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send every message on its own"}})"},
              {"could not read a message: batches are not supported: send every message on its own"}},
          Case{
              R"([{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","id":2,"method":"echo"}])",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send every message on its own"}})"},
              {"could not read a message: batches are not supported: send every message on its own"}},
          Case{R"({"jsonrpc":"2.0","id":1.5,"method":"echo"})",
               {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id must be an integer or a string"}})"},
               {"could not read a message: the id must be an integer or a string"}},
          Case{R"({"jsonrpc":"2.0","id":9,"method":[]})",
               {R"({"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"the method must be a string"}})"},
               {"could not read a message: the method must be a string"}},
          Case{"{\"jsonrpc\":",
               {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid JSON: incomplete JSON"}})"},
               {"could not read a message: the message is not valid JSON: incomplete JSON"}},
          Case{"\xff",
               {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid JSON: syntax error"}})"},
               {"could not read a message: the message is not valid JSON: syntax error"}},
      }) {
    CAPTURE(it.body);
    RecordedEndpoint end;
    bind_sample_methods(*end.endpoint);
    CHECK(end.receive(it.body) == it.answers);
    CHECK(end.log == it.log);
    // Whatever came, the connection goes on.
    CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"echo"})") == Lines{R"({"jsonrpc":"2.0","id":1,"result":null})"});
  }
}

TEST_CASE("a long method name is cut where it is shown") {
  RecordedEndpoint end;
  const std::string long_name(100'000, 'm');
  const Lines answers = end.receive(R"({"jsonrpc":"2.0","id":1,"method":")" + long_name + "\"}");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0] ==
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no method \")" + std::string(200, 'm') + R"~(\" (cut)"}})~");
  end.receive(R"({"jsonrpc":"2.0","method":")" + long_name + "\"}");
  CHECK(end.log == Lines{"ignored the unknown notification \"" + std::string(200, 'm') + "\" (cut)"});
}

TEST_CASE("an answer may come later, and only once") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"a","method":"later"})").empty());
  CHECK_FALSE(kept.answered());
  kept.result("done");
  CHECK(kept.answered());
  kept.result("again");
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":"a","result":"done"})"});
  CHECK(end.log == Lines{"later: a second answer was ignored"});

  end.receive(R"({"jsonrpc":"2.0","id":"b","method":"later"})");
  kept = Replier();
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":"b","error":{"code":-32603,"message":"later ended without an answer"}})"});
  CHECK(kept.answered());
}

TEST_CASE("a Replier that is overwritten answers first") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":2,"method":"later"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"later ended without an answer"}})"});
  Replier& same = kept;
  kept = std::move(same);
  kept.result(2);
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":2,"result":2})"});
}

TEST_CASE("a handler that keeps its Replier and throws is answered with the exception") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request("m", [&](const boost::json::value&, Replier reply) {
    kept = std::move(reply);
    throw std::runtime_error("secret");
  });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error in m; the log says more"}})"});
  CHECK(kept.answered());
}

TEST_CASE("an id that is still being answered cannot be used again, an answered one can") {
  RecordedEndpoint end;
  std::vector<Replier> kept;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) { kept.push_back(std::move(reply)); });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with the id 1 is still being answered"}})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"1","method":"later"})").empty());
  kept[0].result(nullptr);
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})").empty());
  kept[2].result(true);
  kept[1].result(false);
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":1,"result":true})", R"({"jsonrpc":"2.0","id":"1","result":false})"});
}

TEST_CASE("a cancelled request is answered at once, its handler is told, its answer is ignored") {
  RecordedEndpoint end;
  std::vector<Replier> kept;
  int told = 0;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) {
    reply.on_cancel([&] { ++told; });
    kept.push_back(std::move(reply));
  });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  CHECK(end.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the request was cancelled"}})"});
  CHECK(told == 1);
  CHECK(kept[0].answered());
  CHECK(end.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})").empty());
  CHECK(told == 1);

  // The id is free again; the old Replier must not answer for the new request.
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  kept[0].result("old");
  kept.erase(kept.begin());
  CHECK(end.sent.empty());
  kept[0].result("new");
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":1,"result":"new"})"});
  CHECK(told == 1);
  CHECK(end.log.empty());
}

TEST_CASE("a cancel callback may answer, throw, and cancel from within the handler") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request("inside", [&](const boost::json::value&, Replier reply) {
    reply.on_cancel([&] {
      kept.result("too late");
      throw std::runtime_error("secret");
    });
    kept = std::move(reply);
    end.endpoint->receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"x"}})");
  });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"x","method":"inside"})") ==
        Lines{R"({"jsonrpc":"2.0","id":"x","error":{"code":-32800,"message":"the request was cancelled"}})"});
  CHECK(end.log == Lines{"inside: the handler threw: secret"});
}

TEST_CASE("too many requests at once are refused") {
  RecordedEndpoint end;
  std::vector<Replier> kept;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) { kept.push_back(std::move(reply)); });
  for (std::size_t i = 0; i < kMaxPendingRequests; ++i)
    end.receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(i) + R"(,"method":"later"})");
  CHECK(kept.size() == kMaxPendingRequests);
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":"more","method":"later"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":"more","error":{"code":-32803,"message":"too many requests are waiting for their answers; try again later"}})"});
  kept[5].result(5);
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"more","method":"later"})").empty());
  end.endpoint->close();
}

TEST_CASE("too many requests of ours fail at once") {
  RecordedEndpoint end;
  Lines outcomes;
  for (std::size_t i = 0; i < kMaxPendingRequests; ++i) end.endpoint->request("m", nullptr, {});
  CHECK(end.sent.size() == kMaxPendingRequests);
  end.endpoint->request("m", nullptr, record_outcome(outcomes));
  CHECK(end.sent.size() == kMaxPendingRequests);
  CHECK(outcomes == Lines{"-32803 too many requests are waiting for the other side's answers"});
}

TEST_CASE("the gate refuses requests and notifications, never a cancel") {
  RecordedEndpoint end;
  bind_sample_methods(*end.endpoint);
  Replier kept;
  end.endpoint->on_request("initialize", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  end.endpoint->set_gate([](std::string_view method) -> std::optional<Error> {
    if (method == "initialize") return std::nullopt;
    return Error{ErrorCode::ServerNotInitialized, "initialize comes first", {}};
  });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"echo"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"initialize comes first"}})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"unknown"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"initialize comes first"}})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","method":"note"})").empty());
  CHECK(end.log == Lines{"ignored the notification \"note\": initialize comes first"});
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  CHECK(end.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the request was cancelled"}})"});
}

TEST_CASE("requests of ours get their answers, in any order and shape") {
  RecordedEndpoint end;
  Lines outcomes;
  const Id first = end.endpoint->request("a", boost::json::object{{"x", 1}}, record_outcome(outcomes));
  const Id second = end.endpoint->request("b", nullptr, record_outcome(outcomes));
  end.endpoint->request("c", boost::json::array{}, record_outcome(outcomes));
  end.endpoint->request("d", nullptr, record_outcome(outcomes));
  end.endpoint->request("e", nullptr, {});
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}})", R"({"jsonrpc":"2.0","id":2,"method":"b"})",
                          R"({"jsonrpc":"2.0","id":3,"method":"c","params":[]})", R"({"jsonrpc":"2.0","id":4,"method":"d"})",
                          R"({"jsonrpc":"2.0","id":5,"method":"e"})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":2,"result":[true]})").empty());
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1.0,"error":{"code":32603,"message":"eglot says no"}})").empty());
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":3})").empty());
  CHECK(end.receive(R"({"id":4,"result":1})").empty());
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":5,"result":1})").empty());
  CHECK(outcomes == Lines{"[true]", "32603 eglot says no", "-32600 the message has no method, no result and no error",
                          R"(-32600 "jsonrpc" must be "2.0")"});
  end.log.clear();
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":2,"result":0})").empty());
  CHECK(end.log == Lines{"ignored an answer to the unknown request 2"});
  CHECK(outcomes.size() == 4);
  end.endpoint->cancel(first);
  end.endpoint->cancel(second);
  CHECK(end.sent.empty());
}

TEST_CASE("a request of ours is cancelled by a notification and still answered") {
  EndpointPair pair;
  Replier kept;
  Lines outcomes;
  bool told = false;
  pair.server->on_request("later", [&](const boost::json::value&, Replier reply) {
    reply.on_cancel([&] { told = true; });
    kept = std::move(reply);
  });
  const Id id = pair.client->request("later", nullptr, record_outcome(outcomes));
  CHECK(outcomes.empty());
  pair.client->cancel(id);
  CHECK(told);
  CHECK(outcomes == Lines{"-32800 the request was cancelled"});
  pair.client->cancel(id);
  kept.result(1);
  CHECK(outcomes.size() == 1);
  CHECK(pair.log.empty());
}

TEST_CASE("handlers call back into the endpoint, both ways, to some depth") {
  EndpointPair pair;
  Lines outcomes;
  const auto count_down = [](const std::shared_ptr<Endpoint>& other) {
    return [&other](const boost::json::value& params, Replier reply) {
      const std::int64_t left = Fields(params, "params").integer("left");
      if (left == 0) return reply.result("bottom");
      auto kept = std::make_shared<Replier>(std::move(reply));
      other->request("down", boost::json::object{{"left", left - 1}},
                     [kept](Result result) { kept->result(std::get<boost::json::value>(result)); });
    };
  };
  pair.client->on_request("down", count_down(pair.client));
  pair.server->on_request("down", count_down(pair.server));
  pair.client->request("down", boost::json::object{{"left", 20}}, record_outcome(outcomes));
  CHECK(outcomes == Lines{"\"bottom\""});
}

TEST_CASE("close() answers our own requests, sends nothing and looks at nothing any more") {
  RecordedEndpoint end;
  Lines outcomes;
  Replier kept;
  bool told = false;
  end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) {
    reply.on_cancel([&] { told = true; });
    kept = std::move(reply);
  });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  end.endpoint->request("a", nullptr, [&](const Result& result) {
    outcomes.push_back("a " + outcome_text(result));
    end.endpoint->request("nested", nullptr, record_outcome(outcomes));
    throw std::runtime_error("secret");
  });
  end.endpoint->request("b", nullptr, record_outcome(outcomes));
  end.sent.clear();

  end.endpoint->close();
  end.endpoint->close();
  CHECK(end.endpoint->closed());
  CHECK(outcomes == Lines{"a -32800 the connection is closed", "-32800 the connection is closed", "-32800 the connection is closed"});
  CHECK(end.log == Lines{"the answer to request 1: the handler threw: secret"});
  CHECK_FALSE(told);
  CHECK(kept.answered());
  kept.result(1);
  kept = Replier();
  end.endpoint->notify("n", nullptr);
  end.endpoint->cancel(Id(1));
  end.endpoint->receive(R"({"jsonrpc":"2.0","id":2,"method":"later"})");
  end.endpoint->receive("garbage");
  CHECK(end.sent.empty());
  end.endpoint->request("c", nullptr, record_outcome(outcomes));
  CHECK(outcomes.size() == 4);
}

TEST_CASE("a handler may close the endpoint and drop it") {
  Lines sent;
  Lines log;
  auto endpoint =
      Endpoint::make([&](std::string body) { sent.push_back(std::move(body)); }, [&](std::string_view line) { log.emplace_back(line); });
  Endpoint& alive_in_receive = *endpoint;
  SUBCASE("in a request, with an answer after it") {
    endpoint->on_request("end", [&, big = std::string(1000, 'x')](const boost::json::value&, Replier reply) {
      endpoint->close();
      endpoint.reset();
      reply.result(boost::json::value(big));
    });
    alive_in_receive.receive(R"({"jsonrpc":"2.0","id":1,"method":"end"})");
    CHECK(log.empty());
  }
  SUBCASE("in a notification, with an exception after it") {
    endpoint->on_notification("end", [&, big = std::string(1000, 'x')](const boost::json::value&) {
      endpoint->close();
      endpoint.reset();
      throw std::runtime_error(big);
    });
    alive_in_receive.receive(R"({"jsonrpc":"2.0","method":"end"})");
    CHECK(log == Lines{"end: the handler threw: " + std::string(1000, 'x')});
  }
  SUBCASE("in the answer to a request, without close") {
    endpoint->request("m", nullptr, [&](const Result&) { endpoint.reset(); });
    sent.clear();
    alive_in_receive.receive(R"({"jsonrpc":"2.0","id":1,"result":1})");
  }
  SUBCASE("in the answers that close() gives") {
    endpoint->request("m", nullptr, [&](const Result&) { endpoint.reset(); });
    endpoint->request("n", nullptr, [&](const Result&) { endpoint.reset(); });
    sent.clear();
    alive_in_receive.close();
  }
  CHECK(endpoint == nullptr);
  CHECK(sent.empty());
}

TEST_CASE("a sink may drop the endpoint") {
  std::shared_ptr<Endpoint> endpoint;
  endpoint = Endpoint::make([&](const std::string&) { endpoint.reset(); }, [](std::string_view) {});
  SUBCASE("in a notification") {
    endpoint->notify("m", nullptr);
  }
  SUBCASE("in a request") {
    endpoint->request("m", nullptr, {});
  }
  SUBCASE("in an answer") {
    endpoint->on_request("m", [](const boost::json::value&, Replier reply) { reply.result(1); });
    endpoint->receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})");
  }
  CHECK(endpoint == nullptr);
}

TEST_CASE("a handler may replace itself while it runs") {
  RecordedEndpoint end;
  end.endpoint->on_request("m", [&, first = std::string("first")](const boost::json::value&, Replier reply) {
    end.endpoint->on_request("m", [](const boost::json::value&, Replier second) { second.result("second"); });
    reply.result(boost::json::value(first));
  });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") == Lines{R"({"jsonrpc":"2.0","id":1,"result":"first"})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") == Lines{R"({"jsonrpc":"2.0","id":1,"result":"second"})"});
}

TEST_CASE("a Replier outlives its endpoint") {
  Replier kept;
  bool told = false;
  {
    RecordedEndpoint end;
    end.endpoint->on_request("later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
    end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  }
  CHECK(kept.answered());
  kept.on_cancel([&] { told = true; });
  kept.result(1);
  kept.error({});
  CHECK_FALSE(told);
}

TEST_CASE("a Replier of nothing does nothing") {
  Replier none;
  CHECK(none.answered());
  none.result(1);
  none.error({});
  none.on_cancel([] { FAIL("there is no request"); });
}

TEST_CASE("close() breaks the cycle of an endpoint and handlers that own it") {
  std::weak_ptr<Endpoint> watched;
  {
    const auto endpoint = Endpoint::make([](const std::string&) {}, [](std::string_view) {});
    watched = endpoint;
    endpoint->on_request("m", [endpoint](const boost::json::value&, Replier reply) { reply.result(1); });
    endpoint->on_notification("n", [endpoint](const boost::json::value&) {});
    endpoint->close();
  }
  CHECK(watched.expired());
}

}  // namespace
}  // namespace agent_doc::protocol
