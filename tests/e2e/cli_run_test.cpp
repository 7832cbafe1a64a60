// The command line as a person uses it: the whole program, real files, real processes, a real
// (pseudo) terminal.
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::e2e {

namespace cli_run_test {

using tests::read_file;
using tests::write_file;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++found;
  return found;
}

/// What replay_agent says in its first turn.
std::string reply_of(int deltas) {
  std::string text;
  for (int i = 0; i < deltas; ++i) text += "w" + std::to_string(i) + (i % 12 == 11 ? "\n" : " ");
  return text;
}

/// What is left when escape sequences and the lines that are drawn over are taken out.
std::string without_progress(const std::string& shown) {
  std::string text;
  for (std::size_t at = 0; at < shown.size();) {
    if (shown.compare(at, 5, "\r\x1b[2K") == 0) {
      const std::size_t line_begin =
          text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
      text.resize(line_begin);
      at += 5;
    } else if (shown.compare(at, 2, "\x1b[") == 0) {
      at = shown.find('m', at) + 1;
    } else {
      text += shown[at++];
    }
  }
  return text;
}

/// Edits a file as an editor does: it looks at the file right before it writes. (Programs that do
/// not look are in file_buffer_test.) Every inserted word is unique and stands before a space or a
/// line end, so it can be taken out again.
class ForeignWriter {
 public:
  ForeignWriter(std::string path, unsigned seed) : path_(std::move(path)), random_(seed) {}

  void write() {
    text_ = read_file(path_);
    const std::size_t reply = text_.find("## Assistant");
    const std::size_t next = text_.find("## User", reply == std::string::npos ? 0 : reply);
    std::size_t begin = 0;
    std::size_t end = text_.size();
    if (reply != std::string::npos && next != std::string::npos) {
      const std::size_t places[] = {0, reply, reply + 12, next - 1, next + 7, text_.size()};
      const std::size_t place = words_.size() % 3;
      begin = places[2 * place];
      end = places[2 * place + 1];
    }
    std::vector<std::size_t> gaps;
    for (std::size_t at = begin; at < end; ++at) {
      // Before a space at the end of the reply " <7>" is the same change as "<7> " behind it, where
      // the reply goes on: no diff can tell which it was. A line end follows such a space, or an
      // earlier word of ours.
      const bool may_end_reply = text_[at] == ' ' && at + 1 < text_.size() &&
                                 (text_[at + 1] == '\n' || text_[at + 1] == ' ');
      if ((text_[at] == ' ' && !may_end_reply) || text_[at] == '\n') gaps.push_back(at);
    }
    if (gaps.empty()) return;
    words_.push_back(" <" + std::to_string(words_.size()) + ">");
    text_.insert(gaps[random_() % gaps.size()], words_.back());
    if (random_() % 2 == 0) {
      write_file(path_, text_);
    } else {
      tests::rename_into(path_, text_);
    }
  }
  const std::vector<std::string>& words() const { return words_; }

 private:
  std::string path_;
  std::mt19937 random_;
  std::string text_;
  std::vector<std::string> words_;
};

}  // namespace cli_run_test

using namespace cli_run_test;  // NOLINT: this file's own names

TEST_CASE(
    "1,200 deltas at 2 ms, while a program changes the file 200 times above, below and inside the "
    "reply: no byte lost, none doubled, order "
    "right") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "1200", "--interval-ms", "2"});
    const std::string prompt =
        "# Title of this\n\nSome words above.\n\n## User\n\nTell me a long story, please.\n";
    write_file(desk / "a.md", prompt);
    CommandRun run(desk, {"run", "a.md"});
    REQUIRE(run.wait_until([&] { return contains(read_file(desk / "a.md"), "w0 "); }));
    ForeignWriter writer(desk / "a.md", seed);
    while (writer.words().size() < 200 && !run.has_ended()) {
      run.run_for(std::chrono::milliseconds(writer.words().size() % 2));
      writer.write();
      run.run_for(std::chrono::milliseconds(2));
    }
    CHECK(run.wait() == 0);
    CHECK(run.error() == "");
    CHECK(writer.words().size() == 200);
    CHECK(run.out() == reply_of(1200));

    std::string text = read_file(desk / "a.md");
    for (const std::string& word : writer.words()) {
      CAPTURE(word);
      CHECK(count(text, word) == 1);
      const std::size_t at = text.find(word);
      if (at != std::string::npos) text.erase(at, word.size());
    }
    CHECK(text.substr(text.find("# Title")) ==
          prompt + "\n## Assistant\n\n" + reply_of(1200) + "\n## User\n\n");
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE("on a terminal, in a pipe and as JSON it is the same reply") {
  std::vector<std::string> replies;
  for (const Terminal terminal : {Terminal::None, Terminal::OutputOnly, Terminal::All}) {
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "100", "--interval-ms", "2"});
    write_file(desk / "a.md", "hello\n");
    CommandRun run(desk, {"run", "a.md", "--plain"}, {.terminal = terminal, .columns = 20});
    CHECK(run.wait() == 0);
    std::string shown = without_progress(run.out());
    if (terminal == Terminal::All) {
      // Below the reply: who it was and how long it took.
      REQUIRE(contains(shown, "\nfake · done · "));
      shown.resize(shown.rfind("fake · done · "));
    }
    replies.push_back(shown);
  }
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100"});
  write_file(desk / "a.md", "hello\n");
  CommandRun run(desk, {"run", "a.md", "--json"});
  CHECK(run.wait() == 0);
  std::istringstream lines(run.out());
  std::string reply, line, last_event;
  while (std::getline(lines, line)) {
    const boost::json::object event = boost::json::parse(line).as_object();
    last_event = event.at("event").as_string();
    if (last_event != "reply") continue;
    reply.resize(event.at("offset").to_number<std::size_t>());
    reply += std::string_view(event.at("text").as_string());
  }
  CHECK(last_event == "end");
  replies.push_back(reply + (reply.ends_with('\n') ? "" : "\n"));
  for (const std::string& one : replies)
    CHECK(one == reply_of(100) + (reply_of(100).ends_with('\n') ? "" : "\n"));
}

TEST_CASE(
    "on a terminal the reply is rendered and wrapped, and what it says is what is in the file") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "100", "--interval-ms", "2"});
  write_file(desk / "a.md", "hello\n");
  CommandRun run(desk, {"run", "a.md"}, {.terminal = Terminal::All, .columns = 20});
  CHECK(run.wait() == 0);
  std::string shown = without_progress(run.out());
  shown.resize(shown.rfind("fake · done · "));
  std::istringstream lines(shown);
  std::string line;
  while (std::getline(lines, line)) CHECK(line.size() < 20);
  const auto words = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::istringstream all(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(all), {});
  };
  CHECK(words(shown) == words(reply_of(100)));
  CHECK(contains(read_file(desk / "a.md"), reply_of(100)));
}

TEST_CASE("Ctrl-C stops the reply, and the file keeps what came") {
  for (const Terminal terminal : {Terminal::None, Terminal::All}) {
    const Desk desk;
    desk.use_agent(REPLAY_AGENT, {"--deltas", "100000", "--interval-ms", "2"});
    write_file(desk / "a.md", "hello\n");
    CommandRun run(desk, {"run", "a.md"}, {.terminal = terminal});
    REQUIRE(run.wait_until([&] { return contains(read_file(desk / "a.md"), "w100 "); }));
    if (terminal == Terminal::All) {
      run.type("\x03");
    } else {
      run.signal(SIGINT);
    }
    CHECK(run.wait() == 130);
    const std::string text = read_file(desk / "a.md");
    CHECK(contains(text, "hello\n\n## Assistant\n\nw0 w1 "));
    CHECK(contains(text, "\n\n## User\n"));
    if (terminal == Terminal::None) {
      // What was printed is what was written.
      std::string printed = run.out();
      printed.erase(printed.find_last_not_of(" \n") + 1);
      CHECK(contains(text, printed));
    }
    CHECK(desk.names() == std::vector<std::string>{"a.md"});
  }
}

TEST_CASE("a second Ctrl-C does not wait for the agent") {
  const Desk desk;
  desk.use_agent(MISBEHAVING_AGENT, {"silent"});
  write_file(desk / "a.md", "hello\n");
  CommandRun run(desk, {"run", "a.md", "--verbose"});
  REQUIRE(run.wait_until([&] { return contains(run.error(), "fake: "); }));
  run.signal(SIGINT);
  REQUIRE(run.wait_until([&] { return contains(run.error(), "stopping"); }));
  const auto began = std::chrono::steady_clock::now();
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::milliseconds(2500));
  CHECK(contains(read_file(desk / "a.md"), "hello\n"));
}

TEST_CASE("the same session goes on in the next run") {
  const Desk desk;
  write_file(desk / "a.md", "hello\n");
  CommandRun first(desk, {"run", "a.md", "--agent", "tour"});
  CHECK(first.wait() == 0);
  const std::string text = read_file(desk / "a.md");
  CHECK(contains(text, "\nagent: tour\n"));
  const std::string session = text.substr(text.find("resume: "), 44);
  write_file(desk / "a.md", text + "history\n");
  CommandRun second(desk, {"run", "a.md"});
  CHECK(second.wait() == 0);
  CHECK(contains(second.out(), "hello"));
  CHECK(contains(read_file(desk / "a.md"), session));

  CommandRun fork(desk, {"fork", "a.md"});
  CHECK(fork.wait() == 0);
  CHECK(fork.out() == "Made " + (desk / "a-fork.md") +
                          ". Write your question at its end, then: agent-doc run " +
                          (desk / "a-fork.md") + "\n");
  CHECK(contains(read_file(desk / "a-fork.md"), "forked_from"));
  CommandRun again(desk, {"fork", "a.md", "a-fork.md"});
  CHECK(again.wait() == 1);
  CHECK(contains(again.error(), "a-fork.md"));
}

TEST_CASE("a session that is gone: told, and the reply comes from a new one") {
  const Desk desk;
  write_file(desk / "a.md",
             "---\nagent: tour\nresume: 01234567-89ab-cdef-0123-456789abcdef\n---\n\nHow do I stop "
             "you?\n");
  CommandRun run(desk, {"run", "a.md"});
  CHECK(run.wait() == 0);
  CHECK(run.error() ==
        "agent-doc: tour in a.md: No conversation found with session ID: "
        "01234567-89ab-cdef-0123-456789abcdef. The turn goes on in a new "
        "session, which is "
        "given the document to read. `resume` keeps the old session until the new one has "
        "answered.\n");
  const std::string text = read_file(desk / "a.md");
  CHECK_FALSE(contains(text, "01234567-89ab-cdef-0123-456789abcdef"));
  CHECK(contains(text, run.out()));
}

TEST_CASE("a permission question is asked on the terminal, and denied where there is none") {
  struct Case {
    Terminal terminal;
    std::string keys;
    std::vector<std::string> arguments;
    std::string_view shown;
  };
  const std::vector<Case> cases = {
      {Terminal::All, "y\n", {}, "Allow? "},
      {Terminal::All, "n\n", {}, "Allow? "},
      {Terminal::All, "\x04", {}, "Allow? "},
      {Terminal::None, "", {}, "agent-doc: denied (there is no terminal to ask on): "},
      {Terminal::All, "", {"--allow", "none"}, "agent-doc: denied (--allow none): "},
  };
  std::vector<std::string> documents;
  for (const Case& one : cases) {
    CAPTURE(one.keys);
    const Desk desk;
    write_file(desk / "a.md", "permission\n");
    std::vector<std::string> arguments{"run", "a.md", "--agent", "tour"};
    arguments.insert(arguments.end(), one.arguments.begin(), one.arguments.end());
    CommandRun run(desk, arguments, {.terminal = one.terminal});
    REQUIRE(run.wait_until([&] { return contains(run.out() + run.error(), one.shown); }));
    if (!one.keys.empty()) run.type(one.keys);
    CHECK(run.wait() == 0);
    const std::string text = read_file(desk / "a.md");
    documents.push_back(text.substr(text.find("## Assistant")));
  }
  CHECK(documents[0] != documents[1]);
  for (std::size_t i = 2; i < documents.size(); ++i) CHECK(documents[i] == documents[1]);
}

TEST_CASE("permissions = deny: nothing is asked, the person is told once, and the agent hears no") {
  const Desk desk;
  write_file(desk.home() + "/config/agent-doc/config.toml",
             "default_agent = \"tour\"\npermissions = \"deny\"\n");
  write_file(desk / "a.md", "permission\n");
  CommandRun run(desk, {"run", "a.md"}, {.terminal = Terminal::All});
  CHECK(run.wait() == 0);
  CHECK(contains(run.out(),
                 "agent-doc: tour in a.md asked for a permission and got no, as your configuration "
                 "says (permissions = \"deny\"): "));
  CHECK_FALSE(contains(run.out(), "Allow? "));
}

TEST_CASE("Ctrl-C at a permission question is a no, and stops the turn") {
  const Desk desk;
  write_file(desk / "a.md", "permission\n");
  CommandRun run(desk, {"run", "a.md", "--agent", "tour"}, {.terminal = Terminal::All});
  REQUIRE(run.wait_until([&] { return contains(run.out(), "Allow? "); }));
  run.type("\x03");
  CHECK(run.wait() == 130);
  CHECK(contains(run.out(), "(no longer asked)"));
}

TEST_CASE("new makes a document once, and can run it at once") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  CommandRun made(desk, {"new", "a.md", "What is this?"});
  CHECK(made.wait() == 0);
  CHECK(made.out() == "Made a.md. To send its question: agent-doc run a.md\n");
  const std::string text = read_file(desk / "a.md");
  CHECK(text.starts_with("---\nagent_doc_session: "));
  CHECK(text.ends_with("\n---\n\n## User\n\nWhat is this?\n"));

  CommandRun again(desk, {"new", "a.md", "Something else"});
  CHECK(again.wait() == 2);
  CHECK(again.error() ==
        "agent-doc: a.md exists already, and is never overwritten. To go on in it: agent-doc run "
        "a.md\n");
  CHECK(read_file(desk / "a.md") == text);
  CommandRun nowhere(desk, {"new", "missing/a.md"});
  CHECK(nowhere.wait() == 2);
  CommandRun nobody(desk, {"new", "b.md", "--agent", "nobody"});
  CHECK(nobody.wait() == 5);

  CommandRun run(desk, {"new", "c.md", "What is this?", "--run"});
  CHECK(run.wait() == 0);
  CHECK(run.out() == "w0 w1 w2 \n");
  CHECK(contains(read_file(desk / "c.md"), "What is this?\n\n## Assistant\n\nw0 w1 w2"));
  CHECK(desk.names() == std::vector<std::string>{"a.md", "c.md"});
}

TEST_CASE("without arguments: short help, and the agents; doctor really starts them") {
  const Desk desk;
  CommandRun overview(desk, {});
  CHECK(overview.wait() == 0);
  CHECK(contains(overview.out(), "Usage: agent-doc"));
  CHECK(contains(overview.out(), "\nAgents:\n"));
  CHECK(contains(overview.out(), "✔ tour (built in)"));

  CommandRun tour(desk, {"doctor", "tour"});
  CHECK(tour.wait() == 0);
  CHECK(contains(tour.out(), "✔ tour (built in): it answered in "));
  CHECK(contains(tour.out(),
                 "\n  speaks tour, one process for a session; program " AGENT_DOC_BINARY "\n"));

  desk.use_agent(REPLAY_AGENT, {"--deltas", "1200", "--interval-ms", "5"});
  CommandRun well(desk, {"doctor", "fake"});
  CHECK(well.wait() == 0);
  CHECK(contains(well.out(), "✔ fake"));
  CHECK(contains(well.out(), ": it began a session in "));
  CHECK(contains(well.out(),
                 "; whether it is logged in shows `agent-doc doctor fake --ask`\n  speaks claude, "
                 "one process for a session; program " REPLAY_AGENT "\n"));

  desk.use_agent(MISBEHAVING_AGENT, {"exit"});
  CommandRun ill(desk, {"doctor", "fake"});
  CHECK(ill.wait() == 1);
  CHECK(contains(ill.out(),
                 "✘ fake: The agent ended before the turn did (exit code 3): last words. "));
  CommandRun nobody(desk, {"doctor", "nobody"});
  CHECK(nobody.wait() == 5);

  CommandRun table(desk, {"agents"});
  CHECK(table.wait() == 0);
  CHECK(contains(table.out(), "AGENT "));
  CHECK(contains(table.out(), "\nfake * "));
  CHECK(contains(table.out(), "\ntour "));
  CHECK(contains(table.out(), "\n* replies in documents that name no agent\n"));
  CommandRun agents(desk, {"agents", "--json"});
  CHECK(agents.wait() == 0);
  const boost::json::object listed = boost::json::parse(agents.out()).as_object();
  bool fake_is_default = false;
  for (const boost::json::value& agent : listed.at("agents").as_array()) {
    if (agent.at("name") == "fake")
      fake_is_default = agent.at("default") == true && agent.at("found") == true;
  }
  CHECK(fake_is_default);
}

TEST_CASE("status tells what a document is") {
  const Desk desk;
  write_file(desk / "a.md",
             "---\nagent: tour\nresume: 1234\n---\n## User\n\none\n\n## Assistant\n\ntwo\n\n## "
             "User\n\nthree\n");
  CommandRun run(desk, {"status", "a.md", "--json"});
  CHECK(run.wait() == 0);
  const boost::json::object status = boost::json::parse(run.out()).as_object();
  CHECK(status.at("agent") == "tour");
  CHECK(status.at("sessionId") == "1234");
  CHECK(status.at("replies") == 1);
  CHECK(status.at("openPrompt") == true);
  CHECK(status.at("running") == false);
  CommandRun in_words(desk, {"status", "a.md"});
  CHECK(in_words.wait() == 0);
  CHECK(contains(in_words.out(), "\n  turns     2 questions, 1 reply\n"));
  write_file(desk / "a.md", read_file(desk / "a.md") + "\n## Assistant\n\nfour\n");
  CommandRun later(desk, {"status", "a.md"});
  CHECK(later.wait() == 0);
  CHECK(contains(later.out(), "\n  turns     2 questions, 2 replies\n"));
  write_file(desk / "a.md", "---\nagent: tour\n---\none\n\n## Assistant\n\ntwo\n\n## User\n\n");
  CommandRun empty(desk, {"status", "a.md"});
  CHECK(empty.wait() == 0);
  CHECK(contains(empty.out(), "\n  turns     1 question, 1 reply\n"));
}

TEST_CASE("closed standard streams do no harm") {
  const Desk desk;
  desk.use_agent(REPLAY_AGENT, {"--deltas", "3"});
  for (const std::string closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
    CAPTURE(closed);
    write_file(desk / "a.md", "hello\n");
    const std::string command =
        "cd '" + desk.docs() + "' && XDG_CONFIG_HOME='" + desk.home() +
        "/config' XDG_RUNTIME_DIR='" + desk.home() +
        "/runtime' setsid -w " AGENT_DOC_BINARY " run a.md > /dev/null 2> /dev/null " + closed;
    CHECK(std::system(command.c_str()) == 0);
    CHECK(contains(read_file(desk / "a.md"), "hello\n\n## Assistant\n\nw0 w1 w2"));
  }
}

}  // namespace agent_doc::e2e
