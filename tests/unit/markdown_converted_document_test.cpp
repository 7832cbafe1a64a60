// Inline documents made into template documents and back: by hand, and as a property of any
// document.
#include "server/markdown/converted_document.hpp"
#include "tests/unit/random_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

namespace markdown_converted_document_test {

using namespace agent_doc;
using markdown::DocumentFormat;

std::string converted(const std::string& document, DocumentFormat format) {
  auto outcome = markdown::converted_document(document, format);
  if (auto* reason = std::get_if<markdown::NotConverted>(&outcome)) return "! " + reason->reason;
  return std::get<std::string>(std::move(outcome));
}

void there_and_back(const std::string& inline_document, const std::string& template_document) {
  CHECK(converted(inline_document, DocumentFormat::Template) == template_document);
  CHECK(converted(template_document, DocumentFormat::Inline) == inline_document);
}

TEST_CASE("convert: the turns go into an exchange, and out of it again") {
  there_and_back(
      "---\nagent: claude\n---\n\n# Title\n\n## User\n\nOne?\n\n## Assistant\n\nYes.\n\n"
      "## User\n\n",
      "---\nagent: claude\n---\n\n# Title\n\n<!-- agent:exchange patch=append -->\n"
      "## User\n\nOne?\n\n## Assistant\n\nYes.\n\n## User\n\n<!-- /agent:exchange -->\n");
  there_and_back("One?", "<!-- agent:exchange patch=append -->\nOne?\n<!-- /agent:exchange -->");
  there_and_back("\r\nOne?\r\nTwo?",
                 "\r\n<!-- agent:exchange patch=append -->\r\nOne?\r\nTwo?\r\n"
                 "<!-- /agent:exchange -->");
  there_and_back("", "<!-- agent:exchange patch=append -->\n<!-- /agent:exchange -->\n");
}

TEST_CASE("convert: the key that names the format is changed where it is there") {
  there_and_back("---\nagent: claude\nagent_doc_format: inline\n---\nOne?\n",
                 "---\nagent: claude\nagent_doc_format: template\n---\n"
                 "<!-- agent:exchange patch=append -->\nOne?\n<!-- /agent:exchange -->\n");
}

TEST_CASE("convert: a marker in a line leaves the rest of the line where it is") {
  CHECK(
      converted("a <!-- agent:exchange -->\nOne?\nx<!-- /agent:exchange -->\n",
                DocumentFormat::Inline) ==
      "! its turns would not be the same: a code block or a comment is open at its end, or it has "
      "turns outside of the part that would be the conversation");
  CHECK(converted("<!-- agent:exchange -->\n## User\n\nx<!-- /agent:exchange -->\n",
                  DocumentFormat::Inline) == "## User\n\nx\n");
}

TEST_CASE("convert: what cannot be done is said, and nothing is changed") {
  const std::string exchange = "<!-- agent:exchange -->\nOne?\n<!-- /agent:exchange -->\n";
  CHECK(converted(exchange, DocumentFormat::Template) == "! it has a component exchange already");
  CHECK(converted("One?\n", DocumentFormat::Inline) == "! it has no component exchange");
  CHECK(converted(exchange + "\nNotes.\n", DocumentFormat::Inline) ==
        "! what is below its component exchange would belong to the last turn: move that above it");
  CHECK(converted("<!-- agent:a -->\n" + exchange + "<!-- /agent:a -->\n",
                  DocumentFormat::Inline) == "! its component exchange is inside of a");
  CHECK(converted("<!-- agent:a -->\n## User\n\nOne?\n<!-- /agent:a -->\n",
                  DocumentFormat::Template) == "! its turns are in the component a");
  CHECK(converted("## User\n\n```\nopen\n", DocumentFormat::Template)
            .starts_with("! its turns would not be the same"));
}

TEST_CASE("convert: there and back is the same, or is refused, for any document") {
  const std::vector<std::string_view> pieces = {
      "## User\n",      "## Assistant\n",     "\n",       "text\n",
      "```\n",          "<!-- note -->\n",    "- item\n", "# Title\n",
      "<!-- open\n",    "no line end",        "\r\n",     "<!-- agent:a -->\n",
      "    indented\n", "<!-- /agent:a -->\n"};
  int done = 0;
  for (std::uint32_t seed = 1; seed <= 20000; ++seed) {
    test::RandomText dice(seed);
    std::string document = dice.one_in(2) ? "---\nagent: claude\n---\n" : "";
    for (std::size_t left = dice.below(12); left > 0; --left) document += dice.pick(pieces);
    const std::string there = converted(document, DocumentFormat::Template);
    if (there.starts_with("! ")) continue;
    ++done;
    CAPTURE(document);
    CHECK(converted(there, DocumentFormat::Inline) == document);
  }
  CHECK(done > 5000);
}

}  // namespace markdown_converted_document_test
