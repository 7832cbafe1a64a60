#include "server/markdown/front_matter.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <string>
#include <vector>

namespace agent_doc::markdown {

TEST_CASE("where the front matter is") {
  struct Case {
    std::string document;
    bool present;
    std::size_t begin, close_begin, body_begin;
  };
  const std::vector<Case> cases = {
      {"", false, 0, 0, 0},
      {"# Title\n", false, 0, 0, 0},
      {"\xEF\xBB\xBF# Title\n", false, 3, 3, 3},
      {"---\nagent: x\n---\nbody", true, 0, 13, 17},
      {"---\r\nagent: x\r\n---\r\nbody", true, 0, 15, 20},
      {"---\ragent: x\r---\rbody", true, 0, 13, 17},
      {"---  \nagent: x\n--- \t\nbody", true, 0, 15, 21},
      {"---\nagent: x\n---", true, 0, 13, 16},
      {"---\n---\nbody", true, 0, 4, 8},
      {"\xEF\xBB\xBF---\na: b\n---\n", true, 3, 12, 16},
      {"\n  \n---\na: b\n---\n", true, 4, 13, 17},
      {"text\n---\na: b\n---\n", false, 0, 0, 0},
      {"---\nagent: x\n", false, 0, 0, 0},
      {"--- x\nagent: x\n---\n", false, 0, 0, 0},
      {"----\nagent: x\n---\n", false, 0, 0, 0},
      {"---\n\nA rule, and text.\n\n---\n", false, 0, 0, 0},
      {"---\nhalf\n---\n", true, 0, 9, 13},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    const FrontMatter front_matter = read_front_matter(c.document);
    CHECK(front_matter.present == c.present);
    CHECK(front_matter.begin == c.begin);
    CHECK(front_matter.close_begin == c.close_begin);
    CHECK(front_matter.body_begin == c.body_begin);
  }
}

TEST_CASE("values") {
  const std::string document =
      "---\n"
      "# a comment\n"
      "agent_doc_session: 0199a3f2-7c55-7b21-9a07-52a2f2d3a111\n"
      "agent:   claude   # with spaces\n"
      "\"model\": 'it''s'\n"
      "resume: {claude: abc, \"codex\": 'd, e', empty, none: }\n"
      "title : \"A \\\"title\\\"\"\n"
      "tags:\n"
      "- one\n"
      "- two\n"
      "nothing:\n"
      "text: |\n"
      "  agent: not this one\n"
      "  # nor a comment\n"
      "\n"
      "folded: one\n"
      "  two # comment\n"
      "  three\n"
      "agent_doc_stream:\n"
      "  # of the map\n"
      "  target: exchange\n"
      "  deep:\n"
      "    deeper: x\n"
      "  interval: 100\n"
      "colon:value: x\n"
      "multi: {a: b,\n"
      "  c: d\n"
      "}\n"
      "last: x\n"
      "---\n";
  const FrontMatter front_matter = read_front_matter(document);
  for (const Problem& problem : front_matter.problems) MESSAGE(problem.message);
  CHECK(front_matter.problems.empty());
  const std::vector<std::string> keys = {"agent_doc_session",
                                         "agent",
                                         "model",
                                         "resume",
                                         "title",
                                         "tags",
                                         "nothing",
                                         "text",
                                         "folded",
                                         "agent_doc_stream",
                                         "colon:value",
                                         "multi",
                                         "last"};
  REQUIRE(front_matter.entries.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(front_matter.entries[i].key == keys[i]);

  CHECK(front_matter.value_of("agent_doc_session") == "0199a3f2-7c55-7b21-9a07-52a2f2d3a111");
  CHECK(front_matter.value_of("agent") == "claude");
  CHECK(front_matter.value_of("model") == "it's");
  CHECK(front_matter.value_of("title") == "A \"title\"");
  CHECK(front_matter.value_of("nothing").empty());
  CHECK(front_matter.value_of("folded") == "one two three");
  CHECK(front_matter.value_of("colon:value") == "x");
  CHECK(front_matter.value_of("missing").empty());
  using Map = std::map<std::string, std::string>;
  CHECK(front_matter.find("resume")->map ==
        Map{{"claude", "abc"}, {"codex", "d, e"}, {"empty", ""}, {"none", ""}});
  CHECK(front_matter.find("resume")->is_map);
  CHECK(front_matter.find("resume")->value.empty());
  CHECK(front_matter.find("agent_doc_stream")->map ==
        Map{{"target", "exchange"}, {"deep", ""}, {"interval", "100"}});
  CHECK(front_matter.find("multi")->map == Map{{"a", "b"}, {"c", "d"}});
  CHECK_FALSE(front_matter.find("tags")->is_map);

  const FrontMatterEntry& agent = *front_matter.find("agent");
  CHECK(document.substr(agent.line_begin, 8) == "agent:  ");
  CHECK(document.substr(agent.value_begin, agent.value_end - agent.value_begin) == "claude");
  const FrontMatterEntry& model = *front_matter.find("model");
  CHECK(document.substr(model.value_begin, model.value_end - model.value_begin) == "'it''s'");
}

TEST_CASE("aliases, and what makes a session document") {
  CHECK(read_front_matter("---\nsession: abc\n---\n").value_of("agent_doc_session") == "abc");
  CHECK(read_front_matter("---\nsession: abc\nagent_doc_session: def\n---\n")
            .value_of("agent_doc_session") == "def");
  for (const std::string key :
       {"agent", "model", "resume", "session", "forked_from", "agent_doc_session",
        "agent_doc_format", "agent_doc_cwd", "response_mode"}) {
    CAPTURE(key);
    CHECK(read_front_matter("---\ntitle: x\n" + key + ": y\n---\n").is_session_document());
  }
  CHECK_FALSE(
      read_front_matter("---\ntitle: x\nmode: dark\nlinks: []\n---\n").is_session_document());
  CHECK_FALSE(read_front_matter("# agent: x\n").is_session_document());
}

TEST_CASE("what cannot be read is a problem, and the rest is read") {
  struct Case {
    std::string matter;
    std::string marked;  // the text of the problem's bytes
    std::string message;
    std::string agent;
  };
  const std::vector<Case> cases = {
      {"agen\nagent: a\n", "agen", "This line is not \"key: value\"; it is kept but not read.",
       "a"},
      {"agent: a\nagent: b\n", "agent: a", "The key \"agent\" stands twice; the last one counts.",
       "b"},
      {"agent: \"a\nmodel: x\n", "\"a", "The quotation mark is not closed.", "a"},
      {"agent: 'a' b\n", "b", "Only a comment may stand behind the value here.", "a"},
      {"agent: a: b\n", "a: b", "A value with a colon and a space must stand in quotation marks.",
       "a: b"},
      {"agent: @a\n", "@a",
       "A value that begins with this character must stand in quotation marks.", "@a"},
      {"agent: - a\n", "- a",
       "A value that begins with this character must stand in quotation marks.", "- a"},
      {"agent: a\nresume: {claude: x\nmodel: y\n", "{claude: x",
       "These braces are not closed, or what they hold is not \"key: value, …\".", "a"},
      {"agent: a\nresume:\n\tclaude: x\n", "\t",
       "YAML does not allow tabs before a key: indent with spaces.", "a"},
      {"agent: a\nresume: x\n  claude: y\n", "x",
       "A key that has a value of its own cannot have a map below it.", "a"},
      {"agent: a\nresume:\n    claude: y\n  codex: z\n", "  codex: z",
       "This line is indented less than the line above and more than its key.", "a"},
      {"agent: a\nresume:\n  claude: y\n  codex\n", "codex",
       "This line is not \"key: value\"; it is kept but not read.", "a"},
      {"agent: a\n{x: y}\n", "{x: y}", "This line is not \"key: value\"; it is kept but not read.",
       "a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.matter);
    const std::string document = "---\n" + c.matter + "---\nbody";
    const FrontMatter front_matter = read_front_matter(document);
    REQUIRE(front_matter.problems.size() == 1);
    const Problem& problem = front_matter.problems[0];
    CHECK(document.substr(problem.begin, problem.end - problem.begin) == c.marked);
    CHECK(problem.message == c.message);
    CHECK(front_matter.value_of("agent") == c.agent);
    CHECK(document.substr(front_matter.body_begin) == "body");
  }
}

TEST_CASE("a front matter that is not closed") {
  const FrontMatter half = read_front_matter("---\nagent: claude\n\n# Title\n");
  REQUIRE(half.problems.size() == 1);
  CHECK(half.problems[0].message ==
        "The front matter is not closed, so it is not read: end it with a line \"---\".");
  CHECK(read_front_matter("---\nA rule and text.\n").problems.empty());
  CHECK(read_front_matter("---").problems.empty());

  std::string line = "# " + std::string(1000, 'x') + "\n", matter = "---\n";
  while (matter.size() + line.size() + 4 < kMaxFrontMatterBytes) matter += line;
  CHECK(read_front_matter(matter + "---\n").present);
  const FrontMatter too_long = read_front_matter(matter + line + line + "---\n");
  CHECK_FALSE(too_long.present);
  REQUIRE(too_long.problems.size() == 1);
  CHECK(too_long.problems[0].message ==
        "The front matter is not closed within 256 KiB, so it is not read: end it with a line "
        "\"---\".");
  // "---" that is only the begin of a longer line at the limit is no end.
  std::string cut = "---\n";
  cut += std::string(kMaxFrontMatterBytes - cut.size() - 4, '#') + "\n";
  CHECK_FALSE(read_front_matter(cut + "---not the end\n").present);
}

TEST_CASE("a front matter of too many lines is not read, and nothing is put before it") {
  std::string matter = "---\nagent: claude\n";
  for (std::size_t line = 1; line < kMaxFrontMatterLines; ++line) matter += "# x\n";
  CHECK(read_front_matter(matter + "---\n").value_of("agent") == "claude");
  const std::string document = matter + "# x\n---\n";
  const FrontMatter too_long = read_front_matter(document);
  CHECK_FALSE(too_long.present);
  REQUIRE(too_long.problems.size() == 1);
  CHECK(too_long.problems[0].message ==
        "The front matter has more than 5,000 lines, so it is not read: shorten it.");
  CHECK_FALSE(set_value(document, "agent", "b").has_value());
}

TEST_CASE("yaml-cpp reads the same values") {
  static const std::vector<std::string_view> kLines = {"agent: claude",
                                                       "model: 'a b' # c",
                                                       "title: \"x\\ty\"",
                                                       "resume: {claude: a-b, codex: \"c, d\"}",
                                                       "n: 12",
                                                       "nothing:",
                                                       "tilde: ~",
                                                       "url: http://x.y/z#a",
                                                       "long: one\n  two\n\n  three",
                                                       "m:\n  a: b\n  c: 'd'",
                                                       "# comment",
                                                       "",
                                                       "  ",
                                                       "list: [a, b]",
                                                       "l2:\n- a\n- b",
                                                       "block: |\n  a: b\n  # c",
                                                       "fold: >-\n  a\n  b\n",
                                                       "flow: {a: b,\n  c: d}",
                                                       "'quoted key': v",
                                                       "q: 'two\n  lines'",
                                                       "spaces  :   v   ",
                                                       "colon: a:b",
                                                       "empty: \"\"",
                                                       "deep:\n  x:\n    y: z\n  w: v"};
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    test::RandomText random(seed);
    std::vector<bool> used(kLines.size());
    std::string matter;
    for (std::size_t left = random.below(10); left > 0; --left) {
      const std::size_t line = random.below(kLines.size());
      if (used[line]) continue;
      used[line] = true;
      matter += std::string(kLines[line]) + "\n";
    }
    CAPTURE(matter);
    const FrontMatter front_matter = read_front_matter("---\n" + matter + "---\n");
    const YAML::Node expected = YAML::Load(matter);
    if (!front_matter.present) continue;
    REQUIRE(front_matter.problems.empty());
    REQUIRE(front_matter.entries.size() == expected.size());
    for (const FrontMatterEntry& entry : front_matter.entries) {
      CAPTURE(entry.key);
      const YAML::Node value = expected[entry.key];
      REQUIRE(value.IsDefined());
      REQUIRE(entry.is_map == value.IsMap());
      if (value.IsNull()) REQUIRE(entry.value.empty());
      // Block scalars and lists are kept, not read; a paragraph in a plain scalar is joined to one
      // line.
      const bool read = entry.key != "block" && entry.key != "fold" && entry.key != "long";
      if (value.IsScalar() && read) REQUIRE(entry.value == value.as<std::string>());
      for (const auto& [key, item] : entry.map) {
        if (value[key].IsScalar()) REQUIRE(item == value[key].as<std::string>());
      }
    }
  }
}

}  // namespace agent_doc::markdown
