// What it is: the end of an endpoint: closed, dropped and replaced from inside its own calls.
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
  CHECK(outcomes == Lines{"a -32800 the connection is closed", "-32800 the connection is closed",
                          "-32800 the connection is closed"});
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

TEST_CASE("only_answer(): answers are sent and heard, requests wait for close()") {
  RecordedEndpoint end;
  Lines outcomes;
  Replier kept;
  end.endpoint->on_request(
      "later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
  end.endpoint->on_request("now",
                           [](const boost::json::value&, Replier reply) { reply.result(1); });
  end.receive(R"({"jsonrpc":"2.0","id":1,"method":"later"})");
  end.endpoint->request("before", nullptr, record_outcome(outcomes));
  end.sent.clear();

  end.endpoint->only_answer();
  end.endpoint->notify("n", nullptr);
  const Id asked = end.endpoint->request("after", nullptr, record_outcome(outcomes));
  end.endpoint->cancel(asked);
  CHECK(end.sent.empty());
  CHECK(outcomes.empty());
  end.endpoint->receive(R"({"jsonrpc":"2.0","id":1,"result":"heard"})");
  CHECK(outcomes == Lines{"\"heard\""});
  kept.result(2);
  end.endpoint->receive(R"({"jsonrpc":"2.0","id":3,"method":"now"})");
  CHECK(end.sent ==
        Lines{R"({"jsonrpc":"2.0","id":1,"result":2})", R"({"jsonrpc":"2.0","id":3,"result":1})"});
  end.endpoint->close();
  CHECK(outcomes == Lines{"\"heard\"", "-32800 the connection is closed"});
}

TEST_CASE("a handler may close the endpoint and drop it") {
  Lines sent;
  Lines log;
  auto endpoint = Endpoint::make([&](std::string body) { sent.push_back(std::move(body)); },
                                 [&](std::string_view line) { log.emplace_back(line); });
  Endpoint& alive_in_receive = *endpoint;
  SUBCASE("in a request, with an answer after it") {
    endpoint->on_request(
        "end", [&, big = std::string(1000, 'x')](const boost::json::value&, Replier reply) {
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
  end.endpoint->on_request(
      "m", [&, first = std::string("first")](const boost::json::value&, Replier reply) {
        end.endpoint->on_request(
            "m", [](const boost::json::value&, Replier second) { second.result("second"); });
        reply.result(boost::json::value(first));
      });
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"result":"first"})"});
  CHECK(end.receive(R"({"jsonrpc":"2.0","id":1,"method":"m"})") ==
        Lines{R"({"jsonrpc":"2.0","id":1,"result":"second"})"});
}

TEST_CASE("a Replier outlives its endpoint") {
  Replier kept;
  bool told = false;
  {
    RecordedEndpoint end;
    end.endpoint->on_request(
        "later", [&](const boost::json::value&, Replier reply) { kept = std::move(reply); });
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
    endpoint->on_request("m",
                         [endpoint](const boost::json::value&, Replier reply) { reply.result(1); });
    endpoint->on_notification("n", [endpoint](const boost::json::value&) {});
    endpoint->close();
  }
  CHECK(watched.expired());
}

}  // namespace agent_doc::protocol::endpoint_test
