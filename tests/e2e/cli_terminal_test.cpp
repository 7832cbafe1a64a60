// What a person sees on a terminal of 80 columns, byte for byte: tables that fit, the pager, and a
// reply that is rendered, or not.
#include "server/text/columns.hpp"
#include "tests/e2e/command_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::e2e {

namespace cli_terminal_test {

using tests::read_file;
using tests::write_file;
using Environment = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kReply =
    "# Line ends\n\nA *short* word on `parse()`: it looks for **the newline** from the start of "
    "the buffer again.\n\n"
    "- one\n- two\n\n| step | time |\n|------|-----:|\n| read | 12 |\n\n```c\nint x;\n```\n";

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++found;
  return found;
}

/// A desk whose agent says kReply.
class Furnished : public Desk {
 public:
  Furnished() {
    write_file(home() + "/reply.md", std::string(kReply));
    write_file(home() + "/config/agent-doc/config.toml",
               "default_agent = \"mine\"\n[agents.mine]\ndialect = \"generic\"\nformat = "
               "\"text\"\ncommand = \"/bin/cat\"\nargs = [\"" +
                   home() + "/reply.md\"]\n");
    write_file(*this / "a.md", "## User\n\nWhy?\n");
  }
};

/// What the program shows on a terminal of 80 columns, and nothing else.
std::string shown(const Desk& desk, std::vector<std::string> arguments, RunSettings settings) {
  CommandRun run(desk, std::move(arguments), std::move(settings));
  CHECK(run.wait() == 0);
  return run.out();
}

void check_that_it_fits(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(text::width_of(line) < columns);
  }
}

/// `text` with `name` in the place of everything that matters to this run only.
std::string with(std::string text, const std::string& part, const std::string& name) {
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + name.size()))
    text.replace(at, part.size(), name);
  return text;
}

}  // namespace cli_terminal_test

using namespace cli_terminal_test;  // NOLINT: this file's own names

TEST_CASE("a reply on a terminal: in its colours, without them, as it is") {
  const auto reply = [](Terminal terminal, const Environment& environment,
                        std::vector<std::string> more) {
    const Furnished desk;
    std::vector<std::string> arguments{"run", "a.md"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return shown(desk, arguments,
                 {.terminal = terminal, .columns = 40, .environment = environment});
  };
  const std::string plain(kReply);
  CHECK(reply(Terminal::OutputOnly, {}, {}) ==
        "\x1b[1;4;35mLine\x1b[0m\x1b[1;4;35m \x1b[0m\x1b[1;4;35mends\x1b[0m\n\n"
        "A \x1b[3mshort\x1b[0m word on \x1b[36mparse()\x1b[0m: it looks for\n"
        "\x1b[1mthe\x1b[0m \x1b[1mnewline\x1b[0m from the start of the\nbuffer again.\n\n• one\n• "
        "two\n\n"
        "\x1b[1mstep\x1b[0m\x1b[2m │ "
        "\x1b[0m\x1b[1mtime\x1b[0m\n\x1b[2m─────┼─────\x1b[0m\nread\x1b[2m │ \x1b[0m  12\n\n"
        "\x1b[2m─── c\x1b[0m\n\x1b[36mint x;\x1b[0m\n\x1b[2m───\x1b[0m\n");
  CHECK(reply(Terminal::OutputOnly, {{"NO_COLOR", "1"}}, {}) ==
        "\x1b[1;4mLine\x1b[0m\x1b[1;4m \x1b[0m\x1b[1;4mends\x1b[0m\n\n"
        "A \x1b[3mshort\x1b[0m word on `parse()`: it looks for\n"
        "\x1b[1mthe\x1b[0m \x1b[1mnewline\x1b[0m from the start of the\nbuffer again.\n\n• one\n• "
        "two\n\n"
        "\x1b[1mstep\x1b[0m\x1b[2m │ "
        "\x1b[0m\x1b[1mtime\x1b[0m\n\x1b[2m─────┼─────\x1b[0m\nread\x1b[2m │ \x1b[0m  12\n\n"
        "\x1b[2m─── c\x1b[0m\nint x;\n\x1b[2m───\x1b[0m\n");
  CHECK(reply(Terminal::OutputOnly, {{"CLICOLOR", "0"}}, {}) ==
        reply(Terminal::OutputOnly, {{"NO_COLOR", "1"}}, {}));
  CHECK(reply(Terminal::OutputOnly, {{"TERM", "dumb"}}, {}) == plain);
  CHECK(reply(Terminal::OutputOnly, {}, {"--plain"}) == plain);
  CHECK(reply(Terminal::None, {}, {}) == plain);
}

TEST_CASE(
    "agents and doctor at 80 columns: all fits, and how to get what is missing is said once") {
  const Desk desk;
  const Environment nothing{{"PATH", "/nowhere"}};
  for (const char* command : {"agents", "doctor"}) {
    CAPTURE(command);
    const std::string text =
        shown(desk, {command}, {.terminal = Terminal::OutputOnly, .environment = nothing});
    CAPTURE(text);
    check_that_it_fits(text, 80);
    CHECK(count(text, "\nNot found:\n") == 1);
    CHECK(count(text, "npm install -g @openai/codex`") == 1);
    CHECK(count(text, "\ngoose: Install goose and run `goose configure` once.\n") == 1);
    CHECK(count(text, "codex, codex-exec: ") == 1);
    CHECK(count(text, "[agents.NAME]") == 1);
  }
  const std::string table =
      shown(desk, {"agents"}, {.terminal = Terminal::OutputOnly, .environment = nothing});
  CHECK(
      table.starts_with("AGENT             VERSION    SPEAKS            PERMISSIONS  PROGRAM\n"
                        "claude            not found  claude            ask          -\n"));
}

TEST_CASE("status and log at 80 columns") {
  const Furnished desk;
  const std::string name =
      "a-document-with-a-name-that-is-as-long-as-people-make-them-2026-11-22.md";
  write_file(desk / name,
             "## User\n\nWhy does the parser look at all of the buffer again, whenever a few more "
             "bytes were read?\n");
  CommandRun run(desk, {"run", name});
  CHECK(run.wait() == 0);
  const std::string document = read_file(desk / name);
  const std::string id = document.substr(document.find("agent_doc_session: ") + 19, 36);
  const std::string status = shown(desk, {"status", name}, {.terminal = Terminal::OutputOnly});
  CHECK(with(status, id, "<id>") ==
        name +
            "\n  document  <id>\n  agent     mine\n  session   none yet\n  turns     1 question, 1 "
            "reply\n"
            "  prompt    none is open; write it at the end of the document\n  running   no\n");
  const std::string log = shown(desk, {"log"}, {.terminal = Terminal::OutputOnly});
  CHECK(log.substr(0, 3) + log.substr(18) ==
        "1 2 mine done (0 s) a-document-with-a-name-t Why does the parser\n");
  CHECK(text::width_of(log) == 79);
  const std::string piped = shown(desk, {"log"}, {});
  CHECK(piped.ends_with("  mine  done (0 s)  " + (desk / name) +
                        "  Why does the parser look at all of the buffer again, when…\n"));
}

TEST_CASE(
    "log --turn: through the pager on a terminal only, and never with a byte that a terminal "
    "obeys") {
  const Furnished desk;
  write_file(desk.home() + "/reply.md", "one \x1b[31mred\x1b[0m \x07word\n");
  CommandRun run(desk, {"run", "a.md"});
  CHECK(run.wait() == 0);
  const std::string pager = "/bin/sh -c 'cat > " + desk.home() + "/paged; echo \"less is $LESS\"'";
  const std::string paged = desk.home() + "/paged";
  const Environment with_pager{{"PAGER", pager}};

  const std::string report = shown(desk, {"log", "--turn", "1"}, {.environment = with_pager});
  CHECK_FALSE(std::filesystem::exists(paged));
  CAPTURE(report);
  CHECK(report.ends_with("\n--- prompt ---\nWhy?\n\n--- reply ---\none red word\n"));

  CHECK(shown(desk, {"log", "--turn", "1"},
              {.terminal = Terminal::All, .environment = with_pager}) == "less is FX\n");
  CHECK(read_file(paged) == report);
  std::filesystem::remove(paged);

  const Environment of_mine{{"PAGER", pager}, {"LESS", "S"}};
  CHECK(shown(desk, {"log", "--turn", "1"}, {.terminal = Terminal::All, .environment = of_mine}) ==
        "less is S\n");
  CHECK(read_file(paged) == report);
  std::filesystem::remove(paged);

  CHECK(shown(desk, {"log", "--turn", "1", "--no-pager"},
              {.terminal = Terminal::All, .environment = with_pager}) == report);
  const Environment dumb{{"PAGER", pager}, {"TERM", "dumb"}};
  CHECK(shown(desk, {"log", "--turn", "1"}, {.terminal = Terminal::All, .environment = dumb}) ==
        report);
  CHECK(shown(desk, {"log", "--turn", "1"},
              {.terminal = Terminal::All, .environment = {{"PAGER", "/no/such/pager"}}}) == report);
  CHECK_FALSE(std::filesystem::exists(paged));
}

}  // namespace agent_doc::e2e
