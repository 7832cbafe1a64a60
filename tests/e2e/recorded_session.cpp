#include "tests/e2e/recorded_session.hpp"

#include "tests/e2e/server_world.hpp"
#include "tests/e2e/state_in_document.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

namespace agent_doc::e2e {

namespace recorded_session_internal {

using tests::read_file;
using tests::write_file;

/// A string of TOML.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string configuration(const RecordedSession& session, const std::vector<std::string>& shape) {
  std::string args;
  for (const std::string& option : shape) args += quoted(option) + ", ";
  return "default_agent = \"fake\"\n[agents.fake]\ndialect = " + quoted(session.dialect) +
         "\ncommand = " + quoted(session.program) + "\nargs = [" + args + quoted(session.file) +
         "]\n";
}

/// What is in a front matter behind `key: `.
std::string value_in(const std::string& document, const std::string& key) {
  const std::size_t begin = document.find(key + ": ") + key.size() + 2;
  return document.substr(begin, document.find('\n', begin) - begin);
}

/// The person: one document in which the whole session takes place.
class Conversation {
 public:
  Conversation(const RecordedSession& session, const std::vector<std::string>& shape)
      : session_(session),
        home_(configuration(session, shape)),
        world_(prepared(home_, session), first_text()) {
    world_.client.on_request("window/showMessageRequest",
                             [this](const json::value& params, protocol::Replier reply) {
                               answer(params, std::move(reply));
                             });
  }

  /// Runs the next turn to its end: the last agentDoc/turn.
  json::value run_turn() {
    const RecordedTurn& turn = session_.turns[turn_++];
    answers_ = turn.answers;
    stopped_ = false;
    if (turn_ > 1) ask(turn.prompt);
    const std::string id = world_.run();
    if (turn.cancelled_after) stop_after(*turn.cancelled_after, id);
    return world_.wait_for_end(id);
  }

  /// The person's and the agent's words up to now. A turn without a reply leaves its prompt open.
  void expect_reply(const std::string& reply) {
    if (reply.empty()) return;
    while (body_.ends_with('\n')) body_.pop_back();
    body_ += "\n\n## Assistant\n\n" + reply + "\n\n## User\n\n";
  }

  /// Byte for byte; `resume` as the front matter has to have it. The document's own id is any UUID.
  void check_document(const std::string& resume) {
    const std::string& text = world_.document().text();
    const std::string id = value_in(text, "agent_doc_session");
    CHECK(id.size() == 36);
    CHECK(text == front_matter(id, resume) + body_);
  }

  /// In its last turn.
  bool was_stopped() const { return stopped_; }
  std::string path(const std::string& name) const { return home_ / ("work/" + name); }

  void end() {
    CHECK(answers_.empty());
    CHECK(world_.editor.violations().empty());
    CHECK(world_.client.complaints().empty());
    CHECK(world_.client.shut_down() == 0);
  }

 private:
  static const Home& prepared(const Home& home, const RecordedSession& session) {
    for (const auto& [name, text] : session.files_before) write_file(home / ("work/" + name), text);
    return home;
  }

  /// A document without front matter, or one that has a session already.
  std::string first_text() {
    body_ = session_.turns.front().prompt + "\n";
    if (session_.resumed.empty() && session_.forked.empty()) return body_;
    return front_matter("0d0c0b0a-0908-4706-8504-030201000f0e", session_.resumed) + body_;
  }
  std::string front_matter(const std::string& id, const std::string& resume) const {
    std::string lines = "agent_doc_session: " + id + "\nagent: fake\n";
    if (!session_.forked.empty())
      lines += "forked_from: {file: \"first.md\", session: \"" + session_.forked + "\", turn: 3}\n";
    if (!resume.empty()) lines += "resume: " + resume + "\n";
    return "---\n" + lines + "---\n\n";
  }

  void ask(const std::string& prompt) {
    world_.document().insert(world_.document().text().size(), prompt);
    body_ += prompt;
  }

  void answer(const json::value& params, protocol::Replier reply) {
    if (answers_.empty())
      return reply.error(protocol::Error{
          protocol::ErrorCode::InternalError, "the recording has no such question", {}});
    const std::string option = answers_.front();
    answers_.erase(answers_.begin());
    for (const json::value& action : params.at("actions").as_array()) {
      if (action.at("agentDocOption").as_string() == option) return reply.result(action);
    }
    CHECK(option == "");
    reply.result(nullptr);
  }

  /// As soon as the session is known and `text` is in the document; never when the turn is over
  /// before.
  void stop_after(const std::string& text, const std::string& turn) {
    const auto is_of_turn = [&](const fakes::LspClient::Received& received) {
      return received.method == "agentDoc/turn" && received.params.at("turn").as_string() == turn;
    };
    bool over = false;
    world_.client.wait_until("the place where it was stopped", [&] {
      const auto& all = world_.client.notifications();
      over = std::any_of(all.begin(), all.end(), [&](const auto& received) {
        return is_of_turn(received) && is_over(received.params);
      });
      const bool known = std::any_of(all.begin(), all.end(), [&](const auto& received) {
        return is_of_turn(received) && !received.params.at("sessionId").as_string().empty();
      });
      return over || (known && world_.document().text().find(text) != std::string::npos);
    });
    if (over) return;
    world_.command("agentDoc.stop");
    stopped_ = true;
  }

  const RecordedSession& session_;
  std::string body_;
  std::size_t turn_ = 0;
  std::vector<std::string> answers_;
  bool stopped_ = false;
  Home home_;
  ServerWorld world_;
};

void check_told(const json::value& told, const RecordedTurn& turn) {
  CHECK(told.at("state").as_string() == turn.state);
  CHECK(told.at("sessionId").as_string() == turn.session);
  CHECK(told.at("model").as_string() == turn.model);
  const json::object& usage = told.at("usage").as_object();
  CHECK(json::array{usage.at("input"), usage.at("output"), usage.at("cacheRead"),
                    usage.at("cacheWrite"), usage.at("costMicros")} == turn.usage);
}

/// What the agent said since the last end of a turn, as far as its lines are whole.
struct Heard {
  std::size_t turns = 0;
  std::string text;
};

Heard heard_of(const RecordedSession& session, const std::string& output) {
  Heard heard;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    boost::system::error_code broken;
    const json::value line = json::parse(output.substr(begin, end - begin), broken);
    begin = end + 1;
    if (broken) continue;
    const HeardLine meaning = session.hear(line);
    heard.text += meaning.text;
    if (!meaning.ends_turn) continue;
    ++heard.turns;
    heard.text.clear();
  }
  return heard;
}

}  // namespace recorded_session_internal

void expect(RecordedTurn& turn, const boost::json::object& expectation) {
  for (const json::value& round : expectation.at("rounds").as_array()) {
    if (!round.as_string().empty()) turn.reply = round.as_string().c_str();
  }
  turn.state = state_in_document(expectation);
  turn.session = expectation.at("session").as_string().c_str();
  turn.model = expectation.at("model").as_string().c_str();
  turn.usage = expectation.at("usage").as_array();
}

void play(const RecordedSession& session, const std::vector<std::string>& shape) {
  CAPTURE(session.file);
  CAPTURE(shape);
  recorded_session_internal::Conversation conversation(session, shape);
  for (const RecordedTurn& turn : session.turns) {
    CAPTURE(turn.prompt);
    const json::value told = conversation.run_turn();
    recorded_session_internal::check_told(told, turn);
    conversation.expect_reply(turn.reply);
    conversation.check_document(turn.session);
  }
  for (const auto& [name, text] : session.files_after)
    CHECK(tests::read_file(conversation.path(name)) == text);
  conversation.end();
}

bool play_cut(const RecordedSession& session, std::size_t cut) {
  CAPTURE(session.file);
  CAPTURE(cut);
  const tests::TemporaryFolder folder;
  recorded_session_internal::Conversation conversation(
      session, {"--cut-at", std::to_string(cut), "--copy", folder / "output"});
  std::size_t whole = 0;
  std::string resume = session.resumed;
  for (const RecordedTurn& turn : session.turns) {
    CAPTURE(turn.prompt);
    const json::value told = conversation.run_turn();
    const std::string output = tests::read_file(folder / "output");
    recorded_session_internal::Heard heard = recorded_session_internal::heard_of(session, output);
    if (const auto& id = told.at("sessionId").as_string(); !id.empty()) resume = id;
    if (heard.turns > whole) {
      ++whole;
      recorded_session_internal::check_told(told, turn);
      conversation.expect_reply(turn.reply);
    } else {
      CHECK(output.size() == cut);
      CHECK(std::string(told.at("state").as_string()) ==
            (conversation.was_stopped() ? "cancelled" : "failed"));
      CHECK((resume.empty() || resume == turn.session));
      while (heard.text.ends_with('\n')) heard.text.pop_back();
      conversation.expect_reply(heard.text);
    }
    conversation.check_document(resume);
    if (output.size() == cut) return true;
  }
  return false;
}

}  // namespace agent_doc::e2e
