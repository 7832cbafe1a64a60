#include "server/markdown/front_matter.hpp"

#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>
#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace agent_doc::markdown {

namespace front_matter_edit_test {

std::string after_set(const std::string& document, std::string_view key, std::string_view value,
                      std::string_view agent = {}) {
  const auto edit = set_value(document, key, value, agent);
  return edit ? test::applied(document, *edit) : document;
}

std::string after_remove(const std::string& document, std::string_view key,
                         std::string_view agent = {}) {
  const auto edit = remove_key(document, key, agent);
  return edit ? test::applied(document, *edit) : document;
}

}  // namespace front_matter_edit_test

TEST_CASE("set_value") {
  struct Case {
    std::string document, key, value, expected, agent;
  };
  const std::vector<Case> cases = {
      // No front matter yet.
      {"", "agent", "claude", "---\nagent: claude\n---\n", ""},
      {"# Title\n", "agent", "claude", "---\nagent: claude\n---\n\n# Title\n", ""},
      {"\n# Title\n", "agent", "claude", "---\nagent: claude\n---\n\n# Title\n", ""},
      {"# Title\r\ntext\r\n", "agent", "claude",
       "---\r\nagent: claude\r\n---\r\n\r\n# Title\r\ntext\r\n", ""},
      {"\xEF\xBB\xBFtext", "agent", "claude", "\xEF\xBB\xBF---\nagent: claude\n---\n\ntext", ""},
      {"---\n\nA rule.\n\n---\n", "agent", "x", "---\nagent: x\n---\n\n---\n\nA rule.\n\n---\n",
       ""},
      // A new key.
      {"---\ntitle: x\n---\nbody", "agent", "claude", "---\ntitle: x\nagent: claude\n---\nbody",
       ""},
      {"---\r\ntitle: x\r\n---\r\nbody\n", "agent", "claude",
       "---\r\ntitle: x\r\nagent: claude\r\n---\r\nbody\n", ""},
      {"---\n---\n", "agent", "claude", "---\nagent: claude\n---\n", ""},
      {"---\nagen\n---\n", "agent", "claude", "---\nagen\nagent: claude\n---\n", ""},
      {"---\n  title: x\n---\n", "agent", "claude", "---\n  title: x\n  agent: claude\n---\n", ""},
      {"---\na: x\n---\n", "resume", "abc", "---\na: x\nresume: abc\n---\n", "claude"},
      // A new value.
      {"---\nagent: a\n---\n", "agent", "b", "---\nagent: b\n---\n", ""},
      {"---\nagent:   a   # why\nx: y\n---\n", "agent", "b", "---\nagent:   b   # why\nx: y\n---\n",
       ""},
      {"---\nagent: 'a'\n---\n", "agent", "it's", "---\nagent: 'it''s'\n---\n", ""},
      {"---\nagent: \"a\" # c\n---\n", "agent", "b", "---\nagent: \"b\" # c\n---\n", ""},
      {"---\n\"agent\": a\n---\n", "agent", "b", "---\n\"agent\": b\n---\n", ""},
      {"---\nagent:\n---\n", "agent", "b", "---\nagent: b\n---\n", ""},
      {"---\nagent: \n---\n", "agent", "b", "---\nagent: b\n---\n", ""},
      {"---\r\nagent: \r\n---\r\n", "agent", "b", "---\r\nagent: b\r\n---\r\n", ""},
      {"---\nagent: # c\n---\n", "agent", "b", "---\nagent: b # c\n---\n", ""},
      {"---\nagent: ~\n---\n", "agent", "b", "---\nagent: b\n---\n", ""},
      {"---\nagent: \"cla\nx: y\n---\n", "agent", "b", "---\nagent: \"b\"\nx: y\n---\n", ""},
      {"---\nagent: \"b\n---\n", "agent", "b", "---\nagent: \"b\"\n---\n", ""},
      {"---\nagent: a: b\n---\n", "agent", "a: b", "---\nagent: \"a: b\"\n---\n", ""},
      {"---\nagent: a\nagent: b\n---\n", "agent", "c", "---\nagent: a\nagent: c\n---\n", ""},
      {"---\nagent: x\n  y\nz: w\n---\n", "agent", "b", "---\nagent: b\nz: w\n---\n", ""},
      {"---\nagent:\n- a\n- b\n# c\nz: w\n---\n", "agent", "b", "---\nagent: b\n# c\nz: w\n---\n",
       ""},
      {"---\nresume: x\n  claude: y\n---\n", "resume", "z", "---\nresume: z\n  claude: y\n---\n",
       ""},
      {"---\nagent: a\n---\n", "agent", "1e3", "---\nagent: \"1e3\"\n---\n", ""},
      {"---\nagent: a\n---\n", "agent", "", "---\nagent: \"\"\n---\n", ""},
      // Nothing to do.
      {"---\nagent: a # c\n---\n", "agent", "a", "---\nagent: a # c\n---\n", ""},
      {"---\nagent: 'a'\n---\n", "agent", "a", "---\nagent: 'a'\n---\n", ""},
      {"---\nresume: {claude: a}\n---\n", "resume", "a", "---\nresume: {claude: a}\n---\n",
       "claude"},
      // `resume` keeps the shape that was found.
      {"---\nresume: a\n---\n", "resume", "b", "---\nresume: b\n---\n", "claude"},
      {"---\nresume: {claude: a, codex: b} # c\n---\n", "resume", "z",
       "---\nresume: {claude: z, codex: b} # c\n---\n", "claude"},
      {"---\nresume: { claude: a, 'codex': \"b\" }\n---\n", "resume", "z",
       "---\nresume: { claude: a, 'codex': \"z\" }\n---\n", "codex"},
      {"---\nresume: {claude: a}\n---\n", "resume", "z",
       "---\nresume: {claude: a, codex: z}\n---\n", "codex"},
      {"---\nresume: {claude: a, }\n---\n", "resume", "z",
       "---\nresume: {claude: a, codex: z }\n---\n", "codex"},
      {"---\nresume: {}\n---\n", "resume", "z", "---\nresume: {codex: z}\n---\n", "codex"},
      {"---\nresume: {claude, codex: }\n---\n", "resume", "z",
       "---\nresume: {claude: z, codex: }\n---\n", "claude"},
      {"---\nresume: {claude, codex: }\n---\n", "resume", "z",
       "---\nresume: {claude, codex: z }\n---\n", "codex"},
      {"---\nresume: {claude: a,\n  codex: b\n}\n---\n", "resume", "z",
       "---\nresume: {claude: a,\n  codex: z\n}\n---\n", "codex"},
      {"---\nresume: {\"claude\":\"a\"}\n---\n", "resume", "z",
       "---\nresume: {\"claude\": \"z\"}\n---\n", "claude"},
      {"---\nresume: {a: x}\n---\n", "resume", "a,b", "---\nresume: {a: \"a,b\"}\n---\n", "a"},
      {"---\nresume:\n  claude: a # c\n  codex: b\n---\n", "resume", "z",
       "---\nresume:\n  claude: z # c\n  codex: b\n---\n", "claude"},
      {"---\nresume:\n  claude: a\n# c\nx: y\n---\n", "resume", "z",
       "---\nresume:\n  claude: a\n  codex: z\n# c\nx: y\n---\n", "codex"},
      {"---\r\nresume:\r\n    claude: a\r\n---\r\n", "resume", "z",
       "---\r\nresume:\r\n    claude: a\r\n    codex: z\r\n---\r\n", "codex"},
      {"---\nresume:\n  claude:\n---\n", "resume", "z", "---\nresume:\n  claude: z\n---\n",
       "claude"},
      {"---\nresume: {claude: a}\n---\n", "resume", "z", "---\nresume: z\n---\n", ""},
      {"---\nresume: # c\n  claude: a\nx: y\n---\n", "resume", "z", "---\nresume: z\nx: y\n---\n",
       ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CAPTURE(c.value);
    CHECK(front_matter_edit_test::after_set(c.document, c.key, c.value, c.agent) == c.expected);
    // Once it says so there is nothing left to do.
    CHECK_FALSE(set_value(c.expected, c.key, c.value, c.agent).has_value());
  }
}

TEST_CASE("set_value leaves a front matter alone that is too long to be read") {
  std::string document = "---\n" + std::string(kMaxFrontMatterBytes, '#') + "\nagent: a\n---\n";
  CHECK_FALSE(set_value(document, "agent", "b").has_value());
}

TEST_CASE("remove_key") {
  struct Case {
    std::string document, key, agent, expected;
  };
  const std::vector<Case> cases = {
      {"", "agent", "", ""},
      {"---\nx: y\n---\n", "agent", "", "---\nx: y\n---\n"},
      {"---\nagent: a # c\nx: y\n---\n", "agent", "", "---\nx: y\n---\n"},
      {"---\r\nx: y\r\nagent: a\r\n---\r\n", "agent", "", "---\r\nx: y\r\n---\r\n"},
      {"---\nresume:\n  claude: a\n\n  codex: b\n# c\nx: y\n---\n", "resume", "",
       "---\n# c\nx: y\n---\n"},
      {"---\nresume: a\n---\n", "resume", "claude", "---\n---\n"},
      {"---\nresume: {claude: a, codex: b}\n---\n", "resume", "claude",
       "---\nresume: {codex: b}\n---\n"},
      {"---\nresume: {claude: a, codex: b}\n---\n", "resume", "codex",
       "---\nresume: {claude: a}\n---\n"},
      {"---\nresume: {claude: a}\n---\n", "resume", "codex", "---\nresume: {claude: a}\n---\n"},
      {"---\nresume: {claude: a}\n---\n", "resume", "claude", "---\n---\n"},
      {"---\nresume:\n  claude: a\n  codex: b # c\n---\n", "resume", "codex",
       "---\nresume:\n  claude: a\n---\n"},
      {"---\nresume:\n  claude: a\n---\n", "resume", "claude", "---\n---\n"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CHECK(front_matter_edit_test::after_remove(c.document, c.key, c.agent) == c.expected);
  }
}

TEST_CASE("after set_value yaml-cpp reads the value, and all else as before") {
  static const std::vector<std::string_view> kEntries = {"agent: claude",
                                                         "agent: 'cl''aude'  # c",
                                                         "agent: \"claude\"",
                                                         "agent:",
                                                         "agent: # c",
                                                         "agent: ~",
                                                         "agent: one\n  two",
                                                         "agent:\n  - a\n  - b\n",
                                                         "agent: [a, b]",
                                                         "agent: |\n  block\n",
                                                         "resume: abc",
                                                         "resume: {claude: a, codex: \"b\"}",
                                                         "resume: { }",
                                                         "resume: {codex: b, }",
                                                         "resume:\n  claude: a\n  codex: 'b' # c\n",
                                                         "resume:\n    codex: b\n\n    # d\n",
                                                         "resume: {claude: a,\n    codex: b,\n  }",
                                                         "resume: {claude, codex: }",
                                                         "resume:",
                                                         "title: x",
                                                         "# comment",
                                                         "",
                                                         "tags: [a, 'b']",
                                                         "list:\n- a\n- b",
                                                         "text: |\n  a: b\n  # c\n\n",
                                                         "'a b': c",
                                                         "deep:\n  x:\n    y: z",
                                                         "anchor: &a value",
                                                         "alias: \"*a\"",
                                                         "url: http://x/y",
                                                         "date: 2025-01-01",
                                                         "n: 1e3",
                                                         "q: \"two\n  lines\""};
  static const std::vector<std::string_view> kValues = {"0199a3f2-7c55-7b21-9a07-52a2f2d3a111",
                                                        "1e3",
                                                        "yes",
                                                        "null",
                                                        "a: b",
                                                        "@x",
                                                        "it's",
                                                        "say \"x\"",
                                                        "{a}",
                                                        "x, y",
                                                        "#x",
                                                        "a #b",
                                                        " a",
                                                        "tab\there",
                                                        "line\nend",
                                                        "",
                                                        "-",
                                                        "~",
                                                        "\u4E2D\u6587",
                                                        "\U0001F600",
                                                        "C:\\x",
                                                        "2025-01-01",
                                                        "&a",
                                                        "a:",
                                                        "0x10"};
  for (std::uint32_t seed = 0; seed < 15'000; ++seed) {
    test::RandomText random(seed);
    std::string matter;
    std::vector<std::string> keys;
    for (std::size_t left = random.below(8); left > 0; --left) {
      const std::string entry(random.pick(kEntries));
      const std::string key = entry.substr(0, entry.find(':'));
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      keys.push_back(key);
      matter += entry + "\n";
    }
    const bool crlf = random.one_in(3);
    std::string document = "---\n" + matter + "---\nbody: x\n";
    if (crlf) {
      for (std::size_t at = 0; (at = document.find('\n', at)) != std::string::npos; at += 2)
        document.insert(at, "\r");
    }
    const std::string key(random.pick({"agent", "resume", "new_key"}));
    const std::string value(random.pick(kValues));
    const std::string agent(key == "resume" ? random.pick({"claude", "codex", "other"}) : "");
    CAPTURE(document);
    CAPTURE(key);
    CAPTURE(value);
    CAPTURE(agent);

    const FrontMatter before = read_front_matter(document);
    if (!before.present) continue;
    const auto yaml_of = [](const std::string& text, const FrontMatter& front_matter) {
      const std::size_t begin = text.find('\n', front_matter.begin) + 1;
      return YAML::Load(text.substr(begin, front_matter.close_begin - begin));
    };
    const YAML::Node old_yaml = yaml_of(document, before);
    const bool was_map = before.find(key) != nullptr && before.find(key)->is_map;

    const std::string changed = front_matter_edit_test::after_set(document, key, value, agent);
    CAPTURE(changed);
    const FrontMatter after = read_front_matter(changed);
    const YAML::Node new_yaml = yaml_of(changed, after);
    REQUIRE(after.problems.empty());
    REQUIRE_FALSE(set_value(changed, key, value, agent).has_value());
    const auto text_of = [](const YAML::Node& node) {
      return node.IsNull() ? std::string() : node.as<std::string>();
    };
    if (was_map) {
      REQUIRE(text_of(new_yaml[key][agent]) == value);
      REQUIRE(after.find(key)->map.at(agent) == value);
      for (const auto& item : old_yaml[key]) {
        if (text_of(item.first) != agent)
          REQUIRE(YAML::Dump(new_yaml[key][text_of(item.first)]) == YAML::Dump(item.second));
      }
    } else {
      REQUIRE(text_of(new_yaml[key]) == value);
      REQUIRE(after.value_of(key) == value);
    }
    for (const auto& entry : old_yaml) {
      if (text_of(entry.first) != key)
        REQUIRE(YAML::Dump(new_yaml[text_of(entry.first)]) == YAML::Dump(entry.second));
    }
    REQUIRE(changed.substr(after.body_begin) == document.substr(before.body_begin));
  }
}

TEST_CASE("after set_value on any text the value is there, and nothing else was taken away") {
  static const std::vector<std::string_view> kPieces = {
      "agent", ":",  " ",   "resume", "{",  "}",      "a",          ",",
      "'",     "\"", "#",   "\n",     "\n", "\r\n",   "  ",         "\t",
      "- ",    "|",  "---", "x: y\n", "&",  "\u4E2D", "agent: b\n", "resume:\n  a: b\n"};
  for (std::uint32_t seed = 0; seed < 30'000; ++seed) {
    test::RandomText random(seed);
    std::string document = random.one_in(10) ? "" : "---\n";
    for (std::size_t left = random.below(14); left > 0; --left) document += random.pick(kPieces);
    if (!random.one_in(4)) document += "\n---\nbody";
    CAPTURE(document);
    const std::string key(random.pick({"agent", "resume"}));
    const auto edit = set_value(document, key, "v: 1", key == "resume" ? "claude" : "");
    const std::string changed = edit ? test::applied(document, *edit) : document;
    CAPTURE(changed);
    const FrontMatter after = read_front_matter(changed);
    const FrontMatterEntry* entry = after.find(key);
    REQUIRE(entry != nullptr);
    REQUIRE((entry->is_map ? entry->map.at("claude") : entry->value) == "v: 1");
    REQUIRE_FALSE(set_value(changed, key, "v: 1", key == "resume" ? "claude" : "").has_value());

    const FrontMatter before = read_front_matter(document);
    const FrontMatterEntry* old = before.find(key);
    if (edit && old != nullptr) {
      REQUIRE(edit->end <= std::max(old->value_end, edit->begin));
    } else if (edit) {
      REQUIRE(edit->begin == edit->end);
    }
    for (const std::string_view removed : {"agent", "resume"}) {
      if (const auto removal = remove_key(document, removed)) {
        REQUIRE(read_front_matter(test::applied(document, *removal)).entries.size() <
                before.entries.size());
      }
    }
  }
}

}  // namespace agent_doc::markdown
