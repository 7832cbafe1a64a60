#include "server/markdown/front_matter_help.hpp"

#include "server/markdown/front_matter_keys.hpp"
#include "tests/unit/project_files.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace markdown_front_matter_help_test {

namespace markdown = agent_doc::markdown;

/// What is completed at the `|` of `marked`: "key [ag] :" (a colon is missing), "agent [to]",
/// "agent [] _" (a space is missing); empty for nothing.
std::string place(std::string marked) {
  const std::size_t at = marked.find('|');
  marked.erase(at, 1);
  const auto found = markdown::completion_place(marked, markdown::read_front_matter(marked), at);
  if (!found) return "";
  return (found->key ? *found->key : "key") + " [" +
         marked.substr(found->begin, found->end - found->begin) + "]" +
         (found->lacks_colon ? " :" : "") + (found->lacks_space ? " _" : "");
}

TEST_CASE("keys and values of the front matter, and nothing else") {
  CHECK(place("---\n|\nagent: tour\n---\n") == "key [] :");
  CHECK(place("---\nag|\nagent: tour\n---\n") == "key [ag] :");
  CHECK(place("---\nag|ent: tour\n---\n") == "key [agent]");
  CHECK(place("---\nagent|: tour\n---\n") == "key [agent]");
  CHECK(place("---\nagent:|\n---\n") == "agent [] _");
  CHECK(place("---\nagent: |\n---\n") == "agent []");
  CHECK(place("---\nagent: to|\n---\n") == "agent [to]");
  CHECK(place("---\nagent: t|our # mine\n---\n") == "agent [tour]");
  CHECK(place("---\r\nagent: to|\r\n---\r\n") == "agent [to]");
  CHECK(place("---\nagent: tour # m|ine\n---\n") == "");
  CHECK(place("---\nresume:\n  claude: a|b\n---\n") == "");
  CHECK(place("---|\nagent: tour\n---\n") == "");
  CHECK(place("---\nagent: tour\n---|\n") == "");
  CHECK(place("---\nagent: tour\n---\nag|\n") == "");
  CHECK(place("ag|\n") == "");
}

TEST_CASE("every key has a text, aliases and NAME_model, too") {
  for (const auto& row : markdown::front_matter_keys()) {
    CHECK(!row.text.empty());
    CHECK((row.source == markdown::ValueSource::Fixed) == !row.values.empty());
    CHECK(markdown::find_front_matter_key(row.key) == &row);
  }
  CHECK(markdown::find_front_matter_key("session")->key == "agent_doc_session");
  CHECK(markdown::find_front_matter_key("claude_model")->key == "model");
  CHECK(markdown::find_front_matter_key("_model") == nullptr);
  CHECK(markdown::find_front_matter_key("title") == nullptr);
}

/// The first cells of the table below `heading` in a file of the project: what stands in backticks
/// there.
std::set<std::string> documented_keys(const std::string& path, const std::string& first_row) {
  std::set<std::string> keys;
  for (const auto& file : agent_doc::tests::project()) {
    if (file.path != path) continue;
    std::size_t at = file.text.find(first_row);
    for (; at != std::string::npos && file.text.compare(at, 3, "| `") == 0;
         at = file.text.find('\n', at) + 1) {
      const std::size_t end = file.text.find('`', at + 3);
      keys.insert(file.text.substr(at + 3, end - at - 3));
    }
  }
  return keys;
}

TEST_CASE("the keys that are documented are those of the table") {
  std::set<std::string> keys;
  for (const auto& row : markdown::front_matter_keys()) keys.insert(std::string(row.key));
  CHECK(documented_keys("docs/documents.md", "| `agent` |") == keys);
  CHECK(documented_keys("protocol/PROTOCOL.md", "| `agent_doc_session` |") == keys);
}

}  // namespace markdown_front_matter_help_test
