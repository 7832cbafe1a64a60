#include "server/markdown/outline.hpp"

#include <doctest/doctest.h>

#include <string>

namespace markdown_outline_test {

using agent_doc::markdown::kMaxTitleBytes;
using agent_doc::markdown::Speaker;

/// One line per turn: who, heading line, title, the text's last line.
std::string outline(const std::string& document) {
  std::string result;
  for (const auto& entry :
       agent_doc::markdown::outline(document, agent_doc::markdown::read_front_matter(document))) {
    result += entry.speaker == Speaker::User ? "User" : "Assistant";
    result += " [" + document.substr(entry.heading_begin, entry.heading_end - entry.heading_begin) +
              "] <" + entry.title + "> ..." +
              document.substr(entry.text_end < 3 ? 0 : entry.text_end - 3,
                              entry.text_end < 3 ? entry.text_end : 3) +
              "\n";
  }
  return result;
}

TEST_CASE("each turn has its heading, its first line as title, and the end of its text") {
  CHECK(outline("---\nagent: tour\n---\n\n## User\n\nWhat?\nAnd why?\n\n## "
                "Assistant\n\nBecause.\n\n## User\n\n") ==
        "User [## User] <What?> ...hy?\n"
        "Assistant [## Assistant] <Because.> ...se.\n"
        "User [## User] <> ...ser\n");
}

TEST_CASE("a document without headings is one turn that begins with its text") {
  CHECK(outline("\n\nWhat?\r\nMore.\r\n\r\n") == "User [What?] <What?> ...re.\n");
  CHECK(outline("") == "User [] <> ...\n");
}

TEST_CASE("the prompt above the first reply has no heading") {
  CHECK(outline("What?\n\n## Assistant\n\nBecause.\n") ==
        "User [What?] <What?> ...at?\nAssistant [## Assistant] <Because.> ...se.\n");
}

TEST_CASE("a long title is cut between characters, and says so") {
  const std::string long_line(kMaxTitleBytes - 4, 'a');
  const auto title_of = [](const std::string& line) {
    const std::string document = "## User\n\n" + line + "\n";
    return agent_doc::markdown::outline(document, agent_doc::markdown::read_front_matter(document))
        .back()
        .title;
  };
  CHECK(title_of(long_line + "bcde") == long_line + "bcde");
  CHECK(title_of(long_line + "bcdef") == long_line + "b…");
  CHECK(title_of(long_line + "äöü  ") == long_line + "…");
  CHECK(title_of(long_line + "ab  ") == long_line + "ab");
}

}  // namespace markdown_outline_test
