// Agents of one process per turn, through the real `agent-doc run` and real child processes: agents
// that only the configuration knows (plain text, JSON lines, sessions, forks, stops), and every
// recording of gemini-stream and opencode-run played by a child, whole, in chunks and cut.
#include "tests/e2e/command_run.hpp"
#include "tests/e2e/state_in_document.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::e2e {

namespace one_shot_test {

using tests::read_file;
using tests::write_file;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// What stands in the front matter behind `key: `; empty when it is not there.
std::string value_in(const std::string& document, const std::string& key) {
  const std::size_t at = document.find("\n" + key + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 3;
  return document.substr(begin, document.find('\n', begin) - begin);
}

/// A desk whose default agent is a shell script.
class ScriptedDesk : public Desk {
 public:
  ScriptedDesk(const std::string& script, const std::string& keys) {
    write_file(home() + "/agent.sh", script);
    write_file(home() + "/config/agent-doc/config.toml",
               "default_agent = \"mine\"\n[agents.mine]\ncommand = \"/bin/sh\"\n" + keys);
  }

  /// Runs the document, which must go well. What it printed.
  std::string run(const std::string& name) const {
    CommandRun run(*this, {"run", name});
    CHECK(run.wait() == 0);
    CHECK(run.error() == "");
    return run.out();
  }
  std::vector<std::string> prompt_files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(home() + "/runtime")) {
      if (contains(entry.path().string(), "prompt")) names.push_back(entry.path());
    }
    return names;
  }
};

std::string args(const ScriptedDesk& desk, const std::string& more) {
  return "args = [\"" + desk.home() + "/agent.sh\", " + more + "]\n";
}

void append(const std::string& path, const std::string& text) {
  write_file(path, read_file(path) + text);
}

/// The document as a run leaves it; its own id is any UUID.
std::string document(const std::string& actual, const std::string& agent, const std::string& resume,
                     const std::string& rest) {
  CHECK(value_in(actual, "agent_doc_session").size() == 36);
  return "---\nagent_doc_session: " + value_in(actual, "agent_doc_session") + "\nagent: " + agent +
         "\n" + (resume.empty() ? "" : "resume: " + resume + "\n") + "---\n\n" + rest;
}

}  // namespace one_shot_test

using namespace one_shot_test;  // NOLINT: this file's own names

TEST_CASE(
    "an agent that prints plain text and keeps no session: each turn gets the whole document, in a "
    "private file") {
  const ScriptedDesk desk(
      "printf 'Mode %s, model %s, %s lines with apple.\\n' \"$(stat -c %a \"$1\")\" \"$3\" "
      "\"$(grep -c apple \"$1\")\"\n"
      "echo; printf '\\033[1mbold\\033[0m and the end'\n",
      "");
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"generic\"\nformat = \"text\"\n" +
             args(desk, "\"{prompt_file}\", \"--model\", \"{model}\""));
  write_file(desk / "a.md", "---\nmodel: small\n---\n\nThe first apple\n");
  CHECK(desk.run("a.md") == "Mode 600, model small, 1 lines with apple.\n\nbold and the end\n");
  append(desk / "a.md", "The second apple\n");
  CHECK(desk.run("a.md") == "Mode 600, model small, 3 lines with apple.\n\nbold and the end\n");
  const std::string text = read_file(desk / "a.md");
  CHECK(text.substr(text.find("\n---\n") + 5) ==
        "\nThe first apple\n\n## Assistant\n\nMode 600, model small, 1 lines with apple.\n\nbold "
        "and the end\n\n## User\n\nThe second "
        "apple\n\n"
        "## Assistant\n\nMode 600, model small, 3 lines with apple.\n\nbold and the end\n\n## "
        "User\n\n");
  CHECK_FALSE(contains(text, "resume"));
  CHECK(desk.prompt_files().empty());
}

TEST_CASE(
    "an agent that prints text without a line end: its words are in the document as they come") {
  const ScriptedDesk desk(
      "for i in $(seq 0 49); do printf 'w%s ' \"$i\"; case $i in 9 | 29) cat \"$2\" ;; esac; "
      "done\n",
      "");
  const std::string gate = desk.home() + "/gate";
  REQUIRE(::mkfifo(gate.c_str(), 0600) == 0);
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"generic\"\nformat = \"text\"\n" +
             args(desk, "\"{prompt_file}\", \"" + gate + "\""));
  write_file(desk / "a.md", "Count.\n");
  CommandRun run(desk, {"run", "a.md"});
  for (const int word : {9, 29}) {
    REQUIRE(run.wait_until(
        [&] { return contains(read_file(desk / "a.md"), " w" + std::to_string(word)); }));
    CHECK_FALSE(contains(read_file(desk / "a.md"), " w" + std::to_string(word + 1)));
    ::close(::open(gate.c_str(), O_WRONLY | O_CLOEXEC));
  }
  CHECK(run.wait() == 0);
  std::string words = "w0";
  for (int word = 1; word < 50; ++word) words += " w" + std::to_string(word);
  const std::string text = read_file(desk / "a.md");
  CHECK(text.substr(text.find("\n---\n") + 5) ==
        "\nCount.\n\n## Assistant\n\n" + words + " \n\n## User\n\n");
}

TEST_CASE(
    "an agent of which nothing was understood, or that said nothing: a failure, and what it "
    "printed is in the log") {
  struct Case {
    std::string script, told, log;
  };
  const std::string nothing_understood =
      "it gave no text that was understood. 1 line was not understood, the first: "
      "{\"mood\":\"good\",\"level\":7}\nSay where its text is, "
      "by "
      "`text_field = \"…\"` in [agents.mine] of config.toml; `agent-doc doctor mine --explain` "
      "shows what each line was taken for. Run "
      "again; "
      "`agent-doc doctor` shows whether the agent works.\nIt wrote last: out of paper\n";
  const std::string nothing_said =
      "it ended without a line of JSON. If it prints plain text, set `format = \"text\"` in "
      "[agents.mine] of config.toml. Run again; "
      "`agent-doc doctor` shows whether the agent works.\n";
  const std::string prompt = "\n--- prompt ---\nWell?\n";
  const std::vector<Case> cases = {
      {"echo '{\"mood\":\"good\",\"level\":7}'; echo 'out of paper' >&2\n", nothing_understood,
       prompt +
           "\n--- printed ---\n{\"mood\":\"good\",\"level\":7}\n\n--- printed ---\nout of paper\n"},
      {"true\n", nothing_said, prompt},
  };
  for (const Case& one : cases) {
    const ScriptedDesk desk(one.script, "");
    append(desk.home() + "/config/agent-doc/config.toml",
           "dialect = \"generic\"\n" + args(desk, "\"{prompt_file}\""));
    write_file(desk / "a.md", "Well?\n");
    CommandRun run(desk, {"run", "a.md"});
    CHECK(run.wait() == 1);
    CHECK(run.error() == "agent-doc: mine in a.md: " + one.told);
    CHECK_FALSE(contains(read_file(desk / "a.md"), "mood"));
    CommandRun log(desk, {"log", "--turn", "1"});
    CHECK(log.wait() == 0);
    CHECK(log.out().substr(log.out().find('\n')) == "\nmine: " + one.told + one.log);
  }
}

TEST_CASE("an agent that prints JSON lines: its session goes on in the next run, and is forked") {
  const ScriptedDesk desk(
      "case \"$1\" in\n"
      "  --resume) id=$2 ;;\n"
      "  --fork) id=copy-of-$2 ;;\n"
      "  *) id=s-1 ;;\n"
      "esac\n"
      "echo '{\"type\":\"start\",\"meta\":{\"session\":\"'$id'\"}}'\n"
      "echo '{\"type\":\"chunk\",\"text\":\"'$id' got \"}'\n"
      "echo '{\"type\":\"chunk\",\"text\":\"'$(grep -c apple)' apples\"}'\n"
      "echo '{\"type\":\"done\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}'\n",
      "");
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"generic\"\nargs = [\"" + desk.home() +
             "/agent.sh\"]\nsession_id_field = \"meta.session\"\nresume_args = [\"--resume\", "
             "\"{session_id}\"]\n"
             "fork_args = [\"--fork\", \"{session_id}\"]\n");
  write_file(desk / "a.md", "The first apple\n");
  CHECK(desk.run("a.md") == "s-1 got 1 apples\n");
  append(desk / "a.md", "The second apple\n");
  CHECK(desk.run("a.md") == "s-1 got 1 apples\n");
  std::string text = read_file(desk / "a.md");
  CHECK(text == document(text, "mine", "s-1",
                         "The first apple\n\n## Assistant\n\ns-1 got 1 apples\n\n## User\n\nThe "
                         "second apple\n\n## Assistant\n\ns-1 got 1 "
                         "apples\n\n## User\n\n"));
  CommandRun fork(desk, {"fork", "a.md"});
  CHECK(fork.wait() == 0);
  append(desk / "a-fork.md", "Another apple\n");
  CHECK(desk.run("a-fork.md") == "copy-of-s-1 got 1 apples\n");
  CHECK(value_in(read_file(desk / "a-fork.md"), "resume") == "copy-of-s-1");
  CHECK(read_file(desk / "a.md") == text);
}

TEST_CASE("an agent without a fork of its own: the fork's first turn gets the whole document") {
  const ScriptedDesk desk(
      "echo '{\"session_id\":\"s-'$#'\"}'\necho '{\"text\":\"'$(grep -c apple)' apples\"}'\n", "");
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"generic\"\n" + args(desk, "\"-s\", \"{session_id}\""));
  write_file(desk / "a.md", "The first apple\n");
  CHECK(desk.run("a.md") == "1 apples\n");
  CHECK(value_in(read_file(desk / "a.md"), "resume") == "s-0");
  CommandRun fork(desk, {"fork", "a.md"});
  CHECK(fork.wait() == 0);
  append(desk / "a-fork.md", "Another apple\n");
  CommandRun run(desk, {"run", "a-fork.md"});
  CHECK(run.wait() == 0);
  CHECK(run.out() == "3 apples\n");
}

TEST_CASE(
    "Ctrl-C stops an agent of one process per turn with all that it started, and the file keeps "
    "what came") {
  const ScriptedDesk desk(
      "sleep 1000 & echo $! > \"$2\"\n"
      "i=0; while :; do echo \"tick $i\"; i=$((i+1)); sleep 0.01; done\n",
      "");
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"generic\"\nformat = \"text\"\n" +
             args(desk, "\"{prompt_file}\", \"" + desk.home() + "/pid\""));
  write_file(desk / "a.md", "hello\n");
  CommandRun run(desk, {"run", "a.md"});
  REQUIRE(run.wait_until([&] { return contains(read_file(desk / "a.md"), "tick 9\n"); }));
  CHECK(desk.prompt_files().size() == 1);
  run.signal(SIGINT);
  CHECK(run.wait() == 130);
  const std::string text = read_file(desk / "a.md");
  CHECK(contains(text, "hello\n\n## Assistant\n\ntick 0\ntick 1\ntick 2\n"));
  CHECK(text.ends_with("\n\n## User\n\n"));
  CHECK(desk.prompt_files().empty());
  const pid_t background = std::stoi(read_file(desk.home() + "/pid"));
  CHECK(::kill(background, 0) != 0);
}

namespace one_shot_test {

const std::string kRecordings = AGENT_DOC_TEST_DATA "/transcripts/";

/// How the child prints the recording.
std::string printed(const std::string& file, const std::string& how) {
  if (how == "whole") return "cat " + file;
  if (how.starts_with("chunks")) return "dd status=none bs=" + how.substr(7) + " if=" + file;
  return "head -c " + how.substr(4) + " " + file;
}

/// One recording of `dialect`, played by a child process into a document. The document's text
/// behind its front matter.
std::string play(const std::string& dialect, const std::string& name, const std::string& how,
                 const std::string& state, const std::string& session) {
  const std::string base = kRecordings + dialect + "/" + name;
  const std::string exit =
      std::filesystem::exists(base + ".exit") ? read_file(base + ".exit") : "0\n";
  const std::string ending = exit.starts_with("signal") ? "kill -9 $$" : "exit " + exit;
  const std::string errors =
      std::filesystem::exists(base + ".stderr") ? "cat " + base + ".stderr >&2\n" : "";
  const ScriptedDesk desk(
      "cat > /dev/null\n" + printed(base + ".ndjson", how) + "\n" + errors + ending + "\n", "");
  append(desk.home() + "/config/agent-doc/config.toml",
         "dialect = \"" + dialect + "\"\nargs = [\"" + desk.home() + "/agent.sh\"]\n");
  write_file(desk / "a.md", "The question\n");
  CommandRun run(desk, {"run", "a.md"});
  CHECK(run.wait() == (state == "done" ? 0 : 1));
  if (state != "done") CHECK(contains(run.error(), "mine in a.md: "));
  const std::string text = read_file(desk / "a.md");
  const std::string head = document(text, "mine", session, "");
  CHECK(text.starts_with(head));
  return text.substr(std::min(head.size(), text.size()));
}

std::string with_reply(const std::string& reply) {
  return "The question\n" + (reply.empty() ? "" : "\n## Assistant\n\n" + reply + "\n\n## User\n\n");
}

}  // namespace one_shot_test

TEST_CASE(
    "every recording of gemini-stream and opencode-run, played by a child process, gives exactly "
    "its document") {
  for (const char* dialect : {"gemini-stream", "opencode-run"}) {
    const boost::json::value expected =
        boost::json::parse(read_file(kRecordings + dialect + "/EXPECTED.json"));
    for (const auto& [name, turns] : expected.at("recordings").as_object()) {
      CAPTURE(dialect);
      CAPTURE(std::string(name));
      const boost::json::object& turn = turns.as_array().front().as_object();
      const boost::json::array& rounds = turn.at("rounds").as_array();
      const std::string reply(rounds.empty() ? "" : rounds.back().as_string().c_str());
      const std::string state = state_in_document(turn);
      const std::string session(turn.at("session").as_string());
      CHECK(play(dialect, std::string(name), "whole", state, session) == with_reply(reply));
    }
  }
}

TEST_CASE("the same in chunks of 7 and of 4,099 bytes, and cut off anywhere") {
  const std::string reply = "The command printed `hi`. Done.";
  const std::string session = "cedca0d2-0dc7-4003-8c57-6e9c8e24d912";
  for (const char* how : {"chunks 7", "chunks 4099"}) {
    CAPTURE(how);
    CHECK(play("gemini-stream", "tool", how, "done", session) == with_reply(reply));
  }
  const std::string file = read_file(kRecordings + "gemini-stream/tool.ndjson");
  for (std::size_t cut = 150; cut < file.rfind("{\"type\":\"result\""); cut += 211) {
    CAPTURE(cut);
    const std::string text =
        play("gemini-stream", "tool", "cut " + std::to_string(cut), "failed", session);
    const std::string begin = "The question\n\n## Assistant\n\n";
    if (text == "The question\n") continue;
    REQUIRE(text.starts_with(begin));
    REQUIRE(text.ends_with("\n\n## User\n\n"));
    const std::string shown = text.substr(begin.size(), text.size() - begin.size() - 11);
    CHECK((reply.starts_with(shown) || std::string("I will run a command.").starts_with(shown)));
  }
}

}  // namespace agent_doc::e2e
