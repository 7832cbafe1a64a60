// What it is: the endpoint as the one that asks: its requests, their answers and cancellations,
// both ways at once.
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

TEST_CASE("too many requests of ours fail at once") {
  RecordedEndpoint end;
  Lines outcomes;
  for (std::size_t i = 0; i < kMaxPendingRequests; ++i) end.endpoint->request("m", nullptr, {});
  CHECK(end.sent.size() == kMaxPendingRequests);
  end.endpoint->request("m", nullptr, record_outcome(outcomes));
  CHECK(end.sent.size() == kMaxPendingRequests);
  CHECK(outcomes == Lines{"-32803 too many requests are waiting for the other side's answers"});
}

TEST_CASE("requests of ours get their answers, in any order and shape") {
  RecordedEndpoint end;
  Lines outcomes;
  const Id first =
      end.endpoint->request("a", boost::json::object{{"x", 1}}, record_outcome(outcomes));
  const Id second = end.endpoint->request("b", nullptr, record_outcome(outcomes));
  end.endpoint->request("c", boost::json::array{}, record_outcome(outcomes));
  end.endpoint->request("d", nullptr, record_outcome(outcomes));
  end.endpoint->request("e", nullptr, {});
  CHECK(end.sent == Lines{R"({"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}})",
                          R"({"jsonrpc":"2.0","id":2,"method":"b"})",
                          R"({"jsonrpc":"2.0","id":3,"method":"c","params":[]})",
                          R"({"jsonrpc":"2.0","id":4,"method":"d"})",
                          R"({"jsonrpc":"2.0","id":5,"method":"e"})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":2,"result":[true]})").empty());
  CHECK(
      end.receive(R"({"jsonrpc":"2.0","id":1.0,"error":{"code":32603,"message":"eglot says no"}})")
          .empty());
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":3})").empty());
  CHECK(end.receive(R"({"id":4,"result":1})").empty());
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":5,"result":1})").empty());
  CHECK(outcomes == Lines{"[true]", "32603 eglot says no",
                          "-32600 the message has no method, no result and no error",
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

}  // namespace agent_doc::protocol::endpoint_test
