#include "server/app/config.hpp"

#include "server/app/new_file.hpp"
#include "tests/unit/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace app_config_test {

using namespace agent_doc::app;

std::string problems_of(std::string_view toml) {
  std::string all;
  for (const std::string& problem : parse_config(toml, "c.toml").problems) all += problem + "\n";
  return all;
}

TEST_CASE("a whole configuration") {
  const Config config = parse_config(R"(
default_agent = "fast"

[agents.fast]
dialect = "claude"
command = "/opt/claude/bin/claude"
args = ["--settings", "a b.json"]
env = {ANTHROPIC_MODEL = "small", EMPTY = ""}

[agents.claude]
command = "claude-wrapper"
)",
                                     "c.toml");
  CHECK(config.problems.empty());
  CHECK(config.path == "c.toml");
  CHECK(config.default_agent == "fast");
  REQUIRE(config.agents.size() == 2);
  const auto& fast = config.agents[config.agents[0].name == "fast" ? 0 : 1];
  CHECK(fast.dialect == "claude");
  CHECK(fast.command == "/opt/claude/bin/claude");
  CHECK(fast.args == std::vector<std::string>{"--settings", "a b.json"});
  CHECK(fast.env ==
        std::map<std::string, std::string>{{"ANTHROPIC_MODEL", "small"}, {"EMPTY", ""}});
  const auto& claude = config.agents[config.agents[0].name == "fast" ? 1 : 0];
  CHECK(claude.dialect == "claude");
  CHECK(claude.command == "claude-wrapper");
}

TEST_CASE("an agent that is wholly described by the configuration") {
  const Config config = parse_config(R"(
default_agent = "mine"

[agents.mine]
dialect = "generic"
command = "my-agent"
args = ["chat", "--file", "{prompt_file}", "--model={model}", "--", "awk '{print}'"]
resume_args = ["--session", "{session_id}"]
fork_args = ["--session", "{session_id}", "--fork"]
session_id_field = "meta.session"
text_field = "choice.text"
text_mode = "snapshots"

[agents.plain]
dialect = "generic"
command = "answer"
format = "text"
)",
                                     "c.toml");
  CHECK(config.problems.empty());
  CHECK(config.default_agent == "mine");
  REQUIRE(config.agents.size() == 2);
  using agent_doc::plugins::GenericAgent;
  const GenericAgent& mine = config.agents[0].generic;
  CHECK(config.agents[0].args == std::vector<std::string>{"chat", "--file", "{prompt_file}",
                                                          "--model={model}", "--",
                                                          "awk '{print}'"});
  CHECK(mine.format == GenericAgent::Format::Ndjson);
  CHECK(mine.text_mode == GenericAgent::TextMode::Snapshots);
  CHECK(mine.resume_args == std::vector<std::string>{"--session", "{session_id}"});
  CHECK(mine.fork_args == std::vector<std::string>{"--session", "{session_id}", "--fork"});
  CHECK(mine.session_id_field == "meta.session");
  CHECK(mine.text_field == "choice.text");
  CHECK(config.agents[1].generic.format == GenericAgent::Format::Text);
  CHECK(config.agents[1].generic.text_mode == GenericAgent::TextMode::Auto);
}

TEST_CASE("permissions: of all agents, and of one; what is wrong denies") {
  using agent_doc::plugins::PermissionPolicy;
  const Config config = parse_config(
      "permissions = \"accept_edits\"\n[agents.claude]\npermissions = "
      "\"plan\"\n[agents.other]\ndialect = "
      "\"claude\"\n[agents.bad]\ndialect = \"claude\"\n"
      "permissions = \"paln\"\n",
      "c.toml");
  const auto directory = make_agent_directory(config, "/self/agent-doc", "");
  CHECK(directory->find("claude")->permissions == PermissionPolicy::Plan);
  CHECK(directory->find("other")->permissions == PermissionPolicy::AcceptEdits);
  CHECK(directory->find("tour")->permissions == PermissionPolicy::AcceptEdits);
  CHECK(directory->find("bad")->permissions == PermissionPolicy::Deny);
  CHECK(config.problems ==
        std::vector<std::string>{"c.toml:8: permissions in [agents.bad] is \"paln\", so every "
                                 "question is denied: did you mean `plan`?"});
  CHECK(parse_config("permissions = true", "c").permissions == PermissionPolicy::Deny);
  CHECK(parse_config("", "c").permissions == PermissionPolicy::Ask);
  CHECK(parse_config("permissions = \"ask\"", "c").permissions == PermissionPolicy::Ask);
}

TEST_CASE("the mode of an ACP agent, and its way to log in") {
  const Config config = parse_config(
      "[agents.gemini]\nmode = \"plan\"\n[agents.mine]\ndialect = \"acp\"\ncommand = "
      "\"mine\"\nauth_method = \"api-key\"\n",
      "c.toml");
  CHECK(config.problems.empty());
  REQUIRE(config.agents.size() == 2);
  CHECK(config.agents[0].mode == "plan");
  CHECK(config.agents[0].auth_method.empty());
  CHECK(config.agents[1].mode.empty());
  CHECK(config.agents[1].auth_method == "api-key");
}

TEST_CASE("a default agent that nobody knows is told, and none takes its place") {
  const Config config = parse_config("default_agent = \"hal\"", "c.toml");
  CHECK(config.problems.size() == 1);
  const auto directory = make_agent_directory(config, "/self/agent-doc", "");
  CHECK(directory->default_agent() == "hal");
  CHECK_FALSE(directory->find("hal"));
}

TEST_CASE("an empty configuration") {
  const Config config = parse_config("", "c.toml");
  CHECK(config.problems.empty());
  CHECK(config.default_agent.empty());
  CHECK(config.agents.empty());
}

TEST_CASE("every problem says where it is, what it is and what to do") {
  struct Case {
    std::string_view toml;
    std::string_view problem;
  };
  const Case cases[] = {
      {"defualt_agent = \"claude\"",
       "c.toml:1: unknown key `defualt_agent` in the file: did you mean `default_agent`?\n"},
      {"\ncolour = 1",
       "c.toml:2: unknown key `colour` in the file: it may be one of `default_agent`, "
       "`permissions`, `agents`\n"},
      {"default_agent = 5", "c.toml:1: default_agent must be the name of an agent, in quotes\n"},
      {"default_agent = \"hal\"",
       "c.toml:1: default_agent is \"hal\", which is no agent that agent-doc knows: add "
       "[agents.hal] or choose another\n"},
      {"agents = 5", "c.toml:1: agents must be tables: [agents.NAME]\n"},
      {"[agents]\nclaude = 5", "c.toml:2: agents.claude must be a table: [agents.claude]\n"},
      {"[agents.\"a b\"]\ndialect = \"claude\"",
       "c.toml:1: the agent name \"a b\" may only have letters, digits, `-`, `_` and `.`\n"},
      {"[agents.claude]\ncomand = \"x\"",
       "c.toml:2: unknown key `comand` in [agents.claude]: did you mean `command`?\n"},
      {"[agents.x]\ndialect = \"claud\"",
       "c.toml:2: there is no dialect \"claud\" ([agents.x]): did you mean `claude`?\n"},
      {"[agents.claude]\ncommand = \"~/bin/claude\"",
       "c.toml:2: command in [agents.claude] is \"~/bin/claude\", which would mean another program "
       "in every folder: write the absolute "
       "path, or a "
       "name that is in PATH\n"},
      {"[agents.claude]\ncommand = \"./claude\"",
       "c.toml:2: command in [agents.claude] is \"./claude\", which would mean another program in "
       "every folder: write the absolute path, "
       "or a name "
       "that is in PATH\n"},
      {"[agents.claude]\ncommand = [\"claude\"]",
       "c.toml:2: command in [agents.claude] must be a program, in quotes; what is given to it "
       "goes into `args`\n"},
      {"[agents.claude]\nargs = \"-x\"",
       "c.toml:2: args in [agents.claude] must be a list of strings: [\"--flag\", \"value\"]\n"},
      {"[agents.claude]\nargs = [1]",
       "c.toml:2: args in [agents.claude] must be a list of strings: [\"--flag\", \"value\"]\n"},
      {"default_agent = \"generic\"",
       "c.toml:1: default_agent is \"generic\", which is no agent that agent-doc knows: add "
       "[agents.generic] or choose another\n"},
      {"[agents.claude]\nformat = \"text\"",
       "c.toml:2: unknown key `format` in [agents.claude]: it may be one of `dialect`, `command`, "
       "`args`, `env`, `permissions`\n"},
      {"[agents.claude]\nmode = \"ask\"",
       "c.toml:2: unknown key `mode` in [agents.claude]: it may be one of `dialect`, `command`, "
       "`args`, `env`, `permissions`\n"},
      {"[agents.gemini]\nmode = 1",
       "c.toml:2: mode in [agents.gemini] must be one of the agent's own words, in quotes\n"},
      {"[agents.x]\ndialect = \"generic\"",
       "c.toml:1: [agents.x] needs a `command`: the dialect \"generic\" has no program of its "
       "own\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\nformat = \"xml\"",
       "c.toml:4: format in [agents.x] must be one of \"ndjson\", \"text\"\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\ntext_mode = 1",
       "c.toml:4: text_mode in [agents.x] must be one of \"auto\", \"deltas\", \"snapshots\", "
       "\"messages\"\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\ntext_field = \"a..b\"",
       "c.toml:4: text_field in [agents.x] must be the name of a field, with dots where it is "
       "inside others: \"message.text\"\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\nresume_args = \"-r\"",
       "c.toml:4: resume_args in [agents.x] must be a list of strings: [\"--session\", "
       "\"{session_id}\"]\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\nargs = [\"--s={session}\"]",
       "c.toml:4: args in [agents.x] has {session}, which stands for nothing: there are "
       "`{prompt_file}`, `{session_id}` and `{model}`\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\nformat = \"text\"\ntext_field = \"t\"",
       "c.toml:5: text_field in [agents.x] is for format = \"ndjson\": plain text names no session "
       "and no fields\n"},
      {"[agents.x]\ndialect = \"generic\"\ncommand = \"x\"\nformat = \"text\"\nargs = "
       "[\"{session_id}\"]",
       "c.toml:5: args in [agents.x] has {session_id}, but with format = \"text\" there is none\n"},
      {"[agents.claude]\nenv = {A = 1}",
       "c.toml:2: env in [agents.claude] must be a table of strings: {NAME = \"value\"}\n"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.toml);
    CHECK(problems_of(one.toml) == one.problem);
  }
  CHECK(problems_of("[agents.x]\ncommand = \"x\"")
            .starts_with("c.toml:1: [agents.x] needs a `dialect`, the protocol that the agent "
                         "speaks: it may be one of `"));
}

TEST_CASE("a problem takes away what it is about, and nothing else") {
  const Config config = parse_config(
      "[agents.bad]\ndialect = \"claude\"\ncommand = \"./x\"\n[agents.good]\ndialect = "
      "\"claude\"\ncommand = \"x\"",
      "c.toml");
  REQUIRE(config.agents.size() == 1);
  CHECK(config.agents[0].name == "good");
}

TEST_CASE("a file that is no TOML counts for nothing, and says where it breaks") {
  const Config config = parse_config("default_agent = \"claude\"\n[agents.", "c.toml");
  CHECK(config.default_agent.empty());
  REQUIRE(config.problems.size() == 1);
  CHECK(config.problems[0].starts_with("c.toml:2: "));
  CHECK(config.problems[0].ends_with("nothing of this file counts until that is mended"));
}

struct WithConfigHome {
  WithConfigHome() { ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1); }
  ~WithConfigHome() { ::unsetenv("XDG_CONFIG_HOME"); }
  std::string config_path() const { return std::string(folder.path()) + "/agent-doc/config.toml"; }
  void write(std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(config_path()).parent_path());
    std::ofstream(config_path(), std::ios::binary) << text;
  }
  agent_doc::tests::TemporaryFolder folder;
};

TEST_CASE("the file is found, may be missing, and may be unreadable in every way") {
  const WithConfigHome home;
  CHECK(load_config().problems.empty());
  CHECK(load_config().path == home.config_path());
  home.write("default_agent = \"tour\"\n");
  CHECK(load_config().default_agent == "tour");
  home.write(std::string(kMaxConfigBytes + 1, '#'));
  REQUIRE(load_config().problems.size() == 1);
  CHECK(load_config().problems[0] == home.config_path() +
                                         ": it has more than 1048576 bytes, which is no "
                                         "configuration; agent-doc goes on without it");
  std::filesystem::remove(home.config_path());
  std::filesystem::create_directory(home.config_path());
  REQUIRE(load_config().problems.size() == 1);
  CHECK(load_config().problems[0] ==
        home.config_path() + ": this is not a file; agent-doc goes on without it");
}

TEST_CASE("the directory: built-in agents with the configuration on top") {
  const Config config = parse_config(
      "[agents.claude]\ncommand = \"other-claude\"\n[agents.mine]\ndialect = \"claude\"\ncommand = "
      "\"/bin/sh\"\n[agents.again]\ndialect = "
      "\"tour\"\nargs = [\"--x\"]",
      "/c/config.toml");
  const auto directory = make_agent_directory(config, "/self/agent-doc", "/nowhere");
  CHECK(directory->find("claude")->command == "other-claude");
  CHECK(directory->find("mine")->command == "/bin/sh");
  CHECK(directory->find("tour")->command == "/self/agent-doc");
  CHECK(directory->find("again")->command == "/self/agent-doc");
  CHECK(directory->find("again")->args.back() == "--x");
  CHECK_FALSE(directory->find("hal"));
  CHECK(directory->default_agent() == "tour");
  CHECK(directory->how_to_get("hal") == "`agent-doc agents` lists all of them");
  CHECK_FALSE(directory->how_to_get("claude").empty());
}

TEST_CASE("the default agent: configured, else the first whose program is there, else tour") {
  const agent_doc::tests::TemporaryFolder programs;
  const std::string claude = std::string(programs.path()) + "/claude";
  std::ofstream(claude) << "#!/bin/sh\n";
  ::chmod(claude.c_str(), 0755);
  const std::string path(programs.path());
  CHECK(make_agent_directory(Config{}, "/self/agent-doc", path)->default_agent() == "claude");
  // Another program has the name of this one, and would change the tables of a database.
  const agent_doc::tests::TemporaryFolder migrations;
  std::ofstream(migrations / "goose") << "#!/bin/sh\n";
  ::chmod((migrations / "goose").c_str(), 0755);
  CHECK(
      make_agent_directory(Config{}, "/self/agent-doc", migrations.path())->is_installed("goose"));
  CHECK(make_agent_directory(Config{}, "/self/agent-doc", migrations.path())->default_agent() ==
        "tour");
  CHECK(make_agent_directory(parse_config("default_agent = \"goose\"", "c"), "/self/agent-doc",
                             migrations.path())
            ->default_agent() == "goose");
  CHECK(make_agent_directory(Config{}, "/self/agent-doc", "")->default_agent() == "tour");
  CHECK(make_agent_directory(parse_config("default_agent = \"tour\"", "c"), "/self/agent-doc", path)
            ->default_agent() == "tour");
}

TEST_CASE("a new file is written whole, and never over another") {
  const agent_doc::tests::TemporaryFolder folder;
  const std::string path = std::string(folder.path()) + "/new.md";
  CHECK_FALSE(create_file(path, "text\n"));
  CHECK(create_file(path, "other") == boost::system::errc::file_exists);
  CHECK(create_file(std::string(folder.path()) + "/no/such/folder.md", "x") ==
        boost::system::errc::no_such_file_or_directory);
  std::ifstream file(path, std::ios::binary);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == "text\n");
}

}  // namespace app_config_test
