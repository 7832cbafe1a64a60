// What it is: the endpoint as the one that is asked: exactly one answer to every request, cancelled
// ones and too many of them included.
// What it is not: frames and pipes.
#include "tests/unit/recorded_endpoint.hpp"

#include <doctest/doctest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace agent_doc::protocol::endpoint_test {

TEST_CASE("what is answered, byte for byte") {
  struct Case {
    std::string_view body;
    Lines answers;
    Lines log;
  };
  for (
      const Case& it : {
          Case{R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"a":[1]}})",
               {R"({"jsonrpc":"2.0","id":1,"result":{"a":[1]}})"},
               {}},
          Case{R"({"jsonrpc":"2.0","id":"1","method":"echo"})",
               {R"({"jsonrpc":"2.0","id":"1","result":null})"},
               {}},
          Case{
              R"({"jsonrpc":"2.0","id":2,"method":"refuse"})",
              {R"({"jsonrpc":"2.0","id":2,"error":{"code":-32803,"message":"busy","data":{"reason":"busy"}}})"},
              {}},
          Case{
              R"({"jsonrpc":"2.0","id":3,"method":"forget"})",
              {R"({"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"forget ended without an answer"}})"},
              {"forget: the handler gave no answer"}},
          Case{
              R"({"jsonrpc":"2.0","id":4,"method":"throw"})",
              {R"({"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error in throw; the log says more"}})"},
              {"throw: the handler threw: secret"}},
          Case{
              R"({"jsonrpc":"2.0","id":4,"method":"throw-odd"})",
              {R"({"jsonrpc":"2.0","id":4,"error":{"code":-32603,"message":"internal error in throw-odd; the log says more"}})"},
              {"throw-odd: the handler threw something that is no std::exception"}},
          Case{R"({"jsonrpc":"2.0","id":5,"method":"answer-then-throw"})",
               {R"({"jsonrpc":"2.0","id":5,"result":1})"},
               {"answer-then-throw: the handler threw: too late"}},
          Case{R"({"jsonrpc":"2.0","id":6,"method":"twice"})",
               {R"({"jsonrpc":"2.0","id":6,"result":1})"},
               {"twice: a second answer was ignored", "twice: a second answer was ignored"}},
          Case{
              R"({"jsonrpc":"2.0","id":7,"method":"field","params":{"textDocument":{"uri":"file"}}})",
              {R"({"jsonrpc":"2.0","id":7,"result":4})"},
              {}},
          Case{
              R"({"jsonrpc":"2.0","id":7,"method":"field","params":{"textDocument":{"uri":5}}})",
              {R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"params.textDocument.uri: expected a string"}})"},
              {"field: params.textDocument.uri: expected a string"}},
          Case{
              R"({"jsonrpc":"2.0","id":7,"method":"field"})",
              {R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"params: expected an object"}})"},
              {"field: params: expected an object"}},
          Case{
              R"({"jsonrpc":"2.0","id":8,"method":"no\nsuch"})",
              {R"({"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"there is no method \"no\\nsuch\""}})"},
              {}},
          Case{
              R"({"jsonrpc":"2.0","id":8,"method":"$/unknown"})",
              {R"({"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"there is no method \"$/unknown\""}})"},
              {}},
          Case{R"({"jsonrpc":"2.0","method":"note","params":{"text":"x"}})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"note","params":{}})",
               {},
               {"note: params.text: expected a string"}},
          Case{R"({"jsonrpc":"2.0","method":"note-throw"})",
               {},
               {"note-throw: the handler threw: secret"}},
          Case{R"({"jsonrpc":"2.0","method":"unknown"})",
               {},
               {"ignored the unknown notification \"unknown\""}},
          Case{R"({"jsonrpc":"2.0","method":"$/unknown"})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":[99]})", {}, {}},
          Case{R"({"jsonrpc":"2.0","method":"$/cancelRequest"})", {}, {}},
          Case{R"({"jsonrpc":"2.0","id":99,"result":1})",
               {},
               {"ignored an answer to the unknown request 99"}},
          Case{R"({"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}})",
               {},
               {"ignored an answer to the unknown request \"x\""}},
          Case{R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})",
               {},
               {"the other side could not read a message: what?"}},
          Case{R"({"jsonrpc":"2.0","id":null,"result":1})",
               {},
               {"the other side could not read a message: it answered without an id"}},
          Case{
              R"([])",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send every message on its own"}})"},
              {"could not read a message: batches are not supported: send every message on its "
               "own"}},
          Case{
              R"([{"jsonrpc":"2.0","id":1,"method":"echo"},{"jsonrpc":"2.0","id":2,"method":"echo"}])",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported: send every message on its own"}})"},
              {"could not read a message: batches are not supported: send every message on its "
               "own"}},
          Case{
              R"({"jsonrpc":"2.0","id":1.5,"method":"echo"})",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the id must be an integer or a string"}})"},
              {"could not read a message: the id must be an integer or a string"}},
          Case{
              R"({"jsonrpc":"2.0","id":9,"method":[]})",
              {R"({"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"the method must be a string"}})"},
              {"could not read a message: the method must be a string"}},
          Case{
              "{\"jsonrpc\":",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid JSON: incomplete JSON"}})"},
              {"could not read a message: the message is not valid JSON: incomplete JSON"}},
          Case{
              "\xff",
              {R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is not valid JSON: syntax error"}})"},
              {"could not read a message: the message is not valid JSON: syntax error"}},
      }) {
    CAPTURE(it.body);
    RecordedEndpoint end;
    bind_sample_methods(*end.endpoint);
    CHECK(end.receive(it.body) == it.answers);
    CHECK(end.log == it.log);
    // Whatever came, the connection goes on.
    CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"echo"})") ==
          Lines{R"({"jsonrpc":"2.0","id":1,"result":null})"});
  }
}

TEST_CASE("a long method name is cut where it is shown") {
  RecordedEndpoint end;
  const std::string long_name(100'000, 'm');
  const Lines answers = end.receive(R"({"jsonrpc":"2.0","id":1,"method":")" + long_name + "\"}");
  REQUIRE(answers.size() == 1);
  CHECK(answers[0] ==
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"there is no method \")" +
            std::string(200, 'm') + R"~(\" (cut)"}})~");
  end.receive(R"({"jsonrpc":"2.0","method":")" + long_name + "\"}");
  CHECK(end.log ==
        Lines{"ignored the unknown notification \"" + std::string(200, 'm') + "\" (cut)"});
}

TEST_CASE("an answer may come later, and only once") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request(
      "later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"a","method":"later"})").empty());
  CHECK_FALSE(kept.answered());
  kept.result("done");
  CHECK(kept.answered());
  kept.result("again");
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":"a","result":"done"})"});
  CHECK(end.log == Lines{"later: a second answer was ignored"});

  end.receive(R"({"jsonrpc":"2.0","id":"b","method":"later"})");
  kept = Replier();
  CHECK(
      end.sent ==
      Lines{
          R"({"jsonrpc":"2.0","id":"b","error":{"code":-32603,"message":"later ended without an answer"}})"});
  CHECK(kept.answered());
}

TEST_CASE("a Replier that is overwritten answers first") {
  RecordedEndpoint end;
  Replier kept;
  end.endpoint->on_request(
      "later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":2,"method":"later"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"later ended without an answer"}})"});
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
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error in m; the log says more"}})"});
  CHECK(kept.answered());
}

TEST_CASE("an id that is still being answered cannot be used again, an answered one can") {
  RecordedEndpoint end;
  std::vector<Replier> kept;
  end.endpoint->on_request(
      "later", [&](const boost::json::value&, Replier reply) { kept.push_back(std::move(reply)); });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"a request with the id 1 is still being answered"}})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":"1","method":"later"})").empty());
  kept[0].result(nullptr);
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})").empty());
  kept[2].result(true);
  kept[1].result(false);
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":1,"result":true})",
                          R"({"jsonrpc":"2.0","id":"1","result":false})"});
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
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the request was cancelled"}})"});
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
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":"x","method":"inside"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":"x","error":{"code":-32800,"message":"the request was cancelled"}})"});
  CHECK(end.log == Lines{"inside: the handler threw: secret"});
}

TEST_CASE("too many requests at once are refused") {
  RecordedEndpoint end;
  std::vector<Replier> kept;
  end.endpoint->on_request(
      "later", [&](const boost::json::value&, Replier reply) { kept.push_back(std::move(reply)); });
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

TEST_CASE("the gate refuses requests and notifications, never a cancel") {
  RecordedEndpoint end;
  bind_sample_methods(*end.endpoint);
  Replier kept;
  end.endpoint->on_request(
      "initialize", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  end.endpoint->set_gate([](std::string_view method) -> std::optional<Error> {
    if (method == "initialize") return std::nullopt;
    return Error{ErrorCode::ServerNotInitialized, "initialize comes first", {}};
  });
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":1,"method":"echo"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"initialize comes first"}})"});
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":1,"method":"unknown"})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"initialize comes first"}})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","method":"note"})").empty());
  CHECK(end.log == Lines{"ignored the notification \"note\": initialize comes first"});
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}})") ==
      Lines{
          R"({"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"the request was cancelled"}})"});
}

}  // namespace agent_doc::protocol::endpoint_test
