#include "server/markdown/front_matter_help.hpp"

#include <doctest/doctest.h>

#include <string>

namespace markdown_front_matter_help_test {

namespace markdown = agent_doc::markdown;

/// What is completed at the `|` of `marked`: "key [ag] :" (a colon is missing), "agent [to]", "agent [] _" (a space is missing); empty for nothing.
std::string place(std::string marked) {
  const std::size_t at = marked.find('|');
  marked.erase(at, 1);
  const auto found = markdown::completion_place(marked, markdown::read_front_matter(marked), at);
  if (!found) return "";
  return (found->key ? *found->key : "key") + " [" + marked.substr(found->begin, found->end - found->begin) + "]" +
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
  for (const auto& help : markdown::key_help()) {
    CHECK(!help.text.empty());
    CHECK((help.source == markdown::ValueSource::Fixed) == !help.values.empty());
    CHECK(markdown::find_key_help(help.key) == &help);
  }
  CHECK(markdown::find_key_help("session")->key == "agent_doc_session");
  CHECK(markdown::find_key_help("claude_model")->key == "model");
  CHECK(markdown::find_key_help("_model") == nullptr);
  CHECK(markdown::find_key_help("title") == nullptr);
}

}  // namespace markdown_front_matter_help_test
