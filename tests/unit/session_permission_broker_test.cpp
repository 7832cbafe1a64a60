#include "server/session/permission_broker.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace session_permission_broker_test {

namespace {

using agent_doc::plugins::OptionKind;
using agent_doc::plugins::PermissionAsked;
using agent_doc::plugins::PermissionOption;
using agent_doc::plugins::PermissionPolicy;
using agent_doc::session::PermissionBroker;

/// Writes down what the broker wants, in order.
struct Desk final : agent_doc::session::PermissionBrokerOwner {
  void show_permission(const agent_doc::turn::Permission& permission) override {
    done.push_back("show " + permission.id);
  }
  void hide_permission(const std::string& id) override { done.push_back("hide " + id); }
  void answer_permission(const std::string& id, const std::string& option) override {
    done.push_back("answer " + id + " '" + option + "'");
  }
  void permission_denied(const agent_doc::turn::Permission& permission) override {
    done.push_back("denied " + permission.id);
  }

  void ask(const std::string& id,
           std::vector<PermissionOption> options = {{"yes", "Yes", OptionKind::AllowOnce},
                                                    {"no", "No", OptionKind::Deny}}) {
    broker.asked(PermissionAsked{id, "Write", "a.txt", std::move(options)});
  }
  std::vector<std::string> take() { return std::exchange(done, {}); }

  std::vector<std::string> done;
  PermissionBroker broker{*this};
};

using Done = std::vector<std::string>;

}  // namespace

TEST_CASE("permission broker: one question at a time, each answered once") {
  Desk desk;
  desk.broker.begin(PermissionPolicy::Ask);
  desk.ask("a");
  desk.ask("b");
  CHECK(desk.take() == Done{"show a"});
  CHECK_FALSE(desk.broker.answer("b", "yes"));
  CHECK_FALSE(desk.broker.answer("a", "maybe"));
  CHECK(desk.broker.answer("a", "yes"));
  CHECK(desk.take() == Done{"hide a", "show b", "answer a 'yes'"});
  CHECK_FALSE(desk.broker.answer("a", "yes"));
  CHECK(desk.broker.answer("b", ""));
  CHECK(desk.take() == Done{"hide b", "answer b ''"});
}

TEST_CASE("permission broker: withdrawn, cancelled, closed, dropped") {
  Desk desk;
  desk.broker.begin(PermissionPolicy::AcceptEdits);
  desk.ask("a");
  desk.ask("b");
  desk.ask("c");
  desk.broker.withdrawn("b");
  desk.broker.withdrawn("a");
  CHECK(desk.take() == Done{"show a", "hide a", "show c"});
  desk.broker.cancel_all();
  CHECK(desk.take() == Done{"hide c", "answer c ''"});
  desk.ask("d");
  desk.ask("e");
  desk.broker.close();
  desk.ask("f");
  CHECK(desk.take() == Done{"show d", "hide d", "answer d ''", "answer e ''", "answer f ''"});
  desk.broker.begin(PermissionPolicy::Plan);
  desk.ask("g");
  desk.ask("h");
  desk.broker.drop_all();
  desk.broker.drop_all();
  CHECK(desk.take() == Done{"show g", "hide g"});
}

TEST_CASE("permission broker: what widens more than was asked is asked once more") {
  const std::vector<PermissionOption> options = {{"yes", "Yes", OptionKind::AllowOnce},
                                                 {"all", "Everything", OptionKind::Widen},
                                                 {"no", "No", OptionKind::Deny}};
  Desk desk;
  desk.broker.begin(PermissionPolicy::Ask);
  desk.ask("a", options);
  desk.ask("b");
  CHECK(desk.broker.answer("a", "all"));
  CHECK(desk.take() == Done{"show a", "hide a", "show a?"});
  CHECK_FALSE(desk.broker.answer("a", "all"));
  CHECK_FALSE(desk.broker.answer("a?", "all"));
  SUBCASE("meant") {
    CHECK(desk.broker.answer("a?", "meant"));
    CHECK(desk.take() == Done{"hide a?", "show b", "answer a 'all'"});
  }
  SUBCASE("not meant, or closed: the question stands again") {
    CHECK(desk.broker.answer("a?", "back"));
    CHECK(desk.take() == Done{"hide a?", "show a"});
    CHECK(desk.broker.answer("a", "all"));
    CHECK(desk.broker.answer("a?", ""));
    CHECK(desk.take() == Done{"hide a", "show a?", "hide a?", "show a"});
    CHECK(desk.broker.answer("a", "no"));
    CHECK(desk.take() == Done{"hide a", "show b", "answer a 'no'"});
  }
  SUBCASE("withdrawn, cancelled, dropped meanwhile") {
    desk.broker.withdrawn("a");
    CHECK(desk.take() == Done{"hide a?", "show b"});
    desk.broker.cancel_all();
    CHECK(desk.take() == Done{"hide b", "answer b ''"});
    desk.ask("c", options);
    desk.broker.answer("c", "all");
    desk.broker.cancel_all();
    CHECK(desk.take() == Done{"show c", "hide c", "show c?", "hide c?", "answer c ''"});
    desk.ask("d", options);
    desk.broker.answer("d", "all");
    desk.broker.drop_all();
    CHECK(desk.take() == Done{"show d", "hide d", "show d?", "hide d?"});
  }
}

TEST_CASE("permission broker: the policy deny answers at once, and never with yes") {
  Desk desk;
  desk.broker.begin(PermissionPolicy::Deny);
  desk.ask("a");
  desk.ask("b", {{"yes", "Yes", OptionKind::AllowAlways}});
  CHECK(desk.take() == Done{"denied a", "answer a 'no'", "denied b", "answer b ''"});
}

}  // namespace session_permission_broker_test
