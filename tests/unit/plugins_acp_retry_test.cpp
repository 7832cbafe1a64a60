// Tests what becomes of a message that an ACP agent streams again under another id, because its
// model was asked again: every text of the reply on the way, and the reply at the end.
#include "plugins/acp/acp_retry.hpp"
#include "plugins/acp/acp_updates.hpp"
#include "tests/unit/turn_reply_fixture.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::plugins {
namespace {

using Texts = std::vector<std::string>;

/// Updates of an agent, and the reply that they make.
class Retried final : public Actions {
 public:
  explicit Retried(turn::Thinking thinking = turn::Thinking::None)
      : reply_(turn::Rounds::All, thinking, document_) {
    updates_.begin_turn();
  }

  Retried& text(std::string_view id, std::string_view text) {
    return chunk("agent_message_chunk", id, {{"type", "text"}, {"text", text}});
  }
  Retried& thought(std::string_view id, std::string_view text) {
    return chunk("agent_thought_chunk", id, {{"type", "text"}, {"text", text}});
  }
  Retried& picture(std::string_view id) {
    return chunk("agent_message_chunk", id, {{"type", "image"}, {"mimeType", "image/png"}});
  }
  Retried& tool() {
    boost::json::object call{{"sessionUpdate", "tool_call"}, {"toolCallId", "t"}};
    call["status"] = "completed";
    updates_.on_update(call, *this);
    return *this;
  }
  Retried& usage() {
    updates_.on_update({{"sessionUpdate", "usage_update"}, {"used", 9}, {"size", 99}}, *this);
    return *this;
  }
  Retried& stopped(std::string_view reason) {
    updates_.message_stopped(reason, *this);
    return *this;
  }
  Retried& give_up() {
    updates_.give_up_message(*this);
    return *this;
  }
  std::string end(Outcome outcome = Outcome::Done) {
    updates_.end_turn(outcome, *this);
    reply_.finish();
    CHECK(reply_.text() == document_.text());
    return reply_.text();
  }
  const std::string& now() const { return reply_.text(); }

  void emit(const AgentEvent& event) override { reply_.on_event(event); }
  void write_line(std::string) override {}
  void close_stdin() override {}
  void send_signal(Signal) override {}
  void read_file(FileRead) override {}
  void write_file(FileWrite) override {}

 private:
  Retried& chunk(std::string_view type, std::string_view id, boost::json::object content) {
    boost::json::object update{{"sessionUpdate", type}, {"content", std::move(content)}};
    if (!id.empty()) update["messageId"] = id;
    updates_.on_update(update, *this);
    return *this;
  }

  turn::EditedText document_;
  turn::Reply reply_;
  AcpUpdates updates_{AcpUpdates::Flavour::Standard};
};

}  // namespace

TEST_CASE("ACP: a message that is streamed again stands once, and never goes away meanwhile") {
  Retried agent;
  agent.text("a", "This answer lo").text("a", "ses its co");
  Texts seen;
  for (const char* piece : {"This ", "answer loses its", " connec", "tion."}) {
    agent.text("b", piece);
    seen.push_back(agent.now());
  }
  CHECK(seen == Texts{"This answer loses its co", "This answer loses its co",
                      "This answer loses its connec", "This answer loses its connection."});
  CHECK(agent.end() == "This answer loses its connection.");
}

TEST_CASE("ACP: claude-agent-acp after a cut connection: twice streamed, then only the rest") {
  Retried agent;
  for (const char* piece : {"This", " ans", "wer ", "lose", "s it", "s co"}) agent.text("1", piece);
  for (const char* piece : {"This", " ans", "wer ", "lose", "s it"}) agent.text("2", piece);
  agent.text("3", "s connection in the middle.");
  CHECK(agent.end() == "This answer loses its connection in the middle.");
}

TEST_CASE(
    "ACP: the rest of a second try that was cut, too, joins it; that of a whole one follows") {
  const auto tried_twice = [](Retried& agent) -> Retried& {
    return agent.usage().text("1", "This answer lo").text("2", "This answer loses its co");
  };
  Retried cut;
  CHECK(tried_twice(cut).text("3", "nnection").text("4", ", twice.").end() ==
        "This answer loses its connection, twice.");
  Retried again;
  CHECK(tried_twice(again).text("3", "This answer loses its co").text("3", "at.").end() ==
        "This answer loses its coat.");
  Retried whole;
  CHECK(tried_twice(whole).usage().text("3", "Next.").end() == "This answer loses its co\n\nNext.");
  Retried after_tool;
  CHECK(tried_twice(after_tool).tool().text("3", "Next.").end() ==
        "This answer loses its co\n\nNext.");
  CHECK(Retried().text("1", "This").text("2", "This is").text("3", "Next.").end() ==
        "This is\n\nNext.");
}

TEST_CASE("ACP: a third and a fourth try, each further than the one before or less far") {
  CHECK(Retried()
            .text("a", "one two")
            .text("b", "one two three")
            .text("c", "one two three four")
            .end() == "one two three four");
  CHECK(Retried()
            .text("a", "one two")
            .text("b", "one")
            .text("c", "one t")
            .text("d", "one two!")
            .end() == "one two!");
  CHECK(Retried().text("a", "aaaa").text("b", "aa").text("c", "aaa").text("c", "ab").end() ==
        "aaaab");
  CHECK(Retried().text("a", "ab ab").text("b", "ab").text("c", " a").text("c", "b c").end() ==
        "ab ab c");
}

TEST_CASE("ACP: a message that does not begin with the whole one before it is another") {
  CHECK(Retried().text("a", "One.").text("b", "Two.").end() == "One.\n\nTwo.");
  CHECK(Retried().text("a", "Done. All.").text("b", "Done").text("b", ", too.").end() ==
        "Done. All.\n\nDone, too.");
  CHECK(Retried().text("a", "Done. All.").text("b", "Done.").end() == "Done. All.\n\nDone.");
  CHECK(Retried().text("a", "Done. All.").text("b", "Done").text("c", "Next").end() ==
        "Done. All.\n\nDone\n\nNext");
  CHECK(Retried().text("a", "Done.").text("b", "Then").text("c", "Done. Now?").end() ==
        "Done.\n\nThen\n\nDone. Now?");
}

TEST_CASE("ACP: what follows a tool, a picture or a message without an id repeats nothing") {
  CHECK(Retried().text("a", "Look.").tool().text("b", "Look. There.").end() ==
        "Look.\n\nLook. There.");
  CHECK(Retried().text("a", "Look. There.").text("b", "Look.").tool().end() ==
        "Look. There.\n\nLook.");
  CHECK(Retried().text("a", "Look.").picture("b").text("c", "Look. There.").end() ==
        "Look.\n\n(an image: image/png)\n\nLook. There.");
  CHECK(Retried().text("", "Look.").text("b", "Look. There.").end() == "Look.\n\nLook. There.");
  CHECK(Retried().text("a", "Look.").text("", "Look. There.").end() == "Look.\n\nLook. There.");
  CHECK(Retried().text("a", "Look. It").text("b", "Look.").give_up().text("c", "Else.").end() ==
        "Look. It\n\nElse.");
}

TEST_CASE("ACP: a turn that ends while a message is streamed again keeps what came before, once") {
  for (const Outcome outcome : {Outcome::Failed, Outcome::Cancelled}) {
    CHECK(Retried().text("a", "This answer").text("b", "This").end(outcome) == "This answer");
    CHECK(Retried().text("a", "This").text("b", "That").end(outcome) == "This\n\nThat");
  }
}

TEST_CASE(
    "ACP: a message that is known to be complete is continued after its limit, not repeated") {
  const auto cut = [](Retried& agent) -> Retried& {
    return agent.text("a", "The first half of a sen").stopped("max_tokens").usage();
  };
  Retried agent;
  CHECK(cut(agent).text("b", "tence, ").text("b", "and its end.").stopped("end_turn").end() ==
        "The first half of a sentence, and its end.");
  Retried three;
  CHECK(cut(three).text("b", "tence").stopped("max_tokens").text("c", ".").end() ==
        "The first half of a sentence.");
  CHECK(Retried().text("a", "ha").stopped("max_tokens").text("b", "ha").end() == "haha");
  CHECK(Retried().text("a", "Look.").stopped("end_turn").text("b", "Look.").end() ==
        "Look.\n\nLook.");
  CHECK(Retried().text("a", "Look.").stopped("").text("b", "Look.").end() == "Look.");
  CHECK(Retried()
            .text("a", "Look it")
            .text("b", "Look")
            .stopped("max_tokens")
            .text("c", "s.")
            .end() == "Look it\n\nLooks.");
  CHECK(Retried()
            .stopped("max_tokens")
            .text("a", "One.")
            .tool()
            .stopped("tool_use")
            .text("b", "Two.")
            .end() == "One.\n\nTwo.");
}

TEST_CASE("ACP: thoughts of a second try go with it") {
  CHECK(Retried()
            .thought("a", "Hm.")
            .text("a", "The ans")
            .thought("b", "So.")
            .text("b", "The ")
            .text("b", "answer.")
            .end() == "The answer.");
  const std::string folded = Retried(turn::Thinking::Fold)
                                 .thought("a", "Hm.")
                                 .text("a", "The ans")
                                 .thought("b", "So.")
                                 .text("b", "The ")
                                 .text("b", "answer.")
                                 .end();
  CHECK(folded == Retried(turn::Thinking::Fold).thought("b", "So.").text("b", "The answer.").end());
}

TEST_CASE("ACP: a message that is too long to be compared is streamed as it comes") {
  const std::string text(kMaxRetriedText, 'x');
  CHECK(Retried().text("a", text).text("b", text).text("b", "y").end() == text + "y");
  CHECK(Retried().text("a", text + "x").text("b", text + "xy").end() ==
        text + "x\n\n" + text + "xy");
}

}  // namespace agent_doc::plugins
