#include "server/markdown/components.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace markdown_components_test {

using agent_doc::markdown::Component;
using agent_doc::markdown::Components;
using agent_doc::markdown::find_components;

/// "NAME(attributes)=[body]<parent" of each component, one a line.
std::string listed(std::string_view document) {
  const Components components = find_components(document, 0);
  std::string list;
  for (const Component& one : components.found) {
    list += one.name;
    for (const auto& attribute : one.attributes)
      list += " " + attribute.key + "=" + attribute.value;
    const std::string_view body =
        document.substr(one.body_begin, one.closing_begin - one.body_begin);
    list += " [" + std::string(body) + "]";
    if (one.parent) list += " in " + components.found[*one.parent].name;
    if (one.boundary) list += " up to " + std::to_string(*one.boundary - one.body_begin);
    list += "\n";
  }
  for (const auto& problem : components.problems)
    list += std::to_string(problem.begin) + ": " + problem.message + "\n";
  return list;
}

TEST_CASE("components: bodies, attributes, nesting and boundaries") {
  CHECK(listed("# A\n\n<!-- agent:status -->\nidle\n<!-- /agent:status -->\n") ==
        "status [idle\n]\n");
  CHECK(listed("<!--agent:log patch=append max_lines=3 title=\"two words\" x='y' z-->\r\n"
               "a\r\n<!--/agent:log-->") ==
        "log patch=append max_lines=3 title=two words x=y z= [a\r\n]\n");
  CHECK(listed("<!-- agent:a --><!-- /agent:a -->\n") == "a []\n");
  CHECK(listed("text <!-- agent:a -->in a line<!-- /agent:a --> text\n") == "a [in a line]\n");
  CHECK(listed("<!-- agent:a -->\n<!-- agent:b -->\n<!-- /agent:b -->\n<!-- /agent:a -->\n") ==
        "a [<!-- agent:b -->\n<!-- /agent:b -->\n]\nb [] in a\n");
  CHECK(listed("<!-- agent:a -->\nx\n<!-- agent:boundary:1f -->\ny\n<!-- /agent:a -->\n") ==
        "a [x\n<!-- agent:boundary:1f -->\ny\n] up to 2\n");
}

TEST_CASE("components: markers in code, in comments and of other kinds are text") {
  CHECK(listed("```\n<!-- agent:a -->\n<!-- /agent:a -->\n```\n").empty());
  CHECK(listed("    <!-- agent:a -->\n    <!-- /agent:a -->\n").empty());
  CHECK(listed("`<!-- agent:a -->` and ``<!-- /agent:a -->``\n").empty());
  CHECK(listed("<!-- say <!-- agent:a --> here\n").empty());
  CHECK(
      listed("<!-- agent:_a -->\n<!-- agent: -->\n<!-- agent:a.b -->\n<!-- user:a -->\n").empty());
  CHECK(listed("<!-- agent:a never closed\n").empty());
  CHECK(listed("<!-- agent:a -->\n<!-- x -->\n<p>\n<!-- open\n<!-- /agent:a -->\n") ==
        "a [<!-- x -->\n<p>\n<!-- open\n]\n");
  CHECK(listed("<!-- agent:a -->\n```\n<!-- /agent:a -->\n```\n<!-- /agent:a -->\n") ==
        "a [```\n<!-- /agent:a -->\n```\n]\n");
}

TEST_CASE("components: a marker without a partner is text, and a problem that says what to do") {
  CHECK(listed("<!-- agent:a -->\nx\n") ==
        "0: This component is not closed, so it is text. Close it with a line \"<!-- /agent:a "
        "-->\".\n");
  CHECK(listed("x\n<!-- /agent:a -->\n") ==
        "2: No component \"a\" is open here: this marker is text.\n");
  CHECK(listed("<!-- agent:a -->\n<!-- agent:b -->\n<!-- agent:c -->\n<!-- /agent:c -->\n"
               "<!-- /agent:a -->\n") ==
        "a [<!-- agent:b -->\n<!-- agent:c -->\n<!-- /agent:c -->\n]\nc [] in a\n"
        "17: This component is not closed, so it is text. Close it with a line \"<!-- /agent:b "
        "-->\".\n");
}

TEST_CASE("components: their number and depth are limited, and cost what the document is long") {
  std::string deep;
  std::string many;
  for (int i = 0; i < 50'000; ++i) {
    deep += "<!-- agent:a -->\n";
    many += "<!-- agent:a -->\n<!-- /agent:a -->\n";
  }
  CHECK(find_components(deep, 0).found.empty());
  CHECK(find_components(many, 0).found.size() == agent_doc::markdown::kMaxComponents);
}

/// A tree of components with text between them, as a document and as what must be found in it.
class Grower {
 public:
  explicit Grower(unsigned seed) : random_(seed) {}

  std::string document() {
    grow(0);
    return text_;
  }
  std::string expected() const {
    std::string list;
    for (const Planted& one : planted_)
      list += one.name + " [" + text_.substr(one.begin, one.end - one.begin) + "]" +
              (one.parent.empty() ? "" : " in " + one.parent) + "\n";
    return list;
  }

 private:
  struct Planted {
    std::string name;
    std::string parent;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  unsigned below(unsigned limit) { return random_() % limit; }

  void grow(int depth) {
    static const std::vector<std::string> kTexts{
        "words\n\n",
        "- a list\n\n",
        "\n",
        "```\n<!-- agent:no -->\n```\n",
        "`<!-- agent:no -->` is code\n\n",
        "<!-- a comment -->\n",
        "words\n\n    <!-- /agent:c0 -->\n\n",
        "## A heading\n",
        "> quoted\n\n",
        "<!-- agent:lonely -->\n\n```\n<!-- /agent:lonely -->\n```\n",
    };
    const bool may_be_lonely = depth == 0;
    for (unsigned parts = below(5); parts > 0; --parts) {
      if (depth < 4 && below(3) == 0) {
        component(depth);
      } else {
        // A marker without a partner must not be above other text of its own name.
        text_ += kTexts[below(static_cast<unsigned>(kTexts.size()) - (may_be_lonely ? 0 : 1))];
      }
    }
  }

  void component(int depth) {
    const std::size_t index = planted_.size();
    const std::string name = "c" + std::to_string(index);
    planted_.push_back({name, around_, 0, 0});
    text_ += "<!-- agent:" + name + " -->\n";
    planted_[index].begin = text_.size();
    const std::string outer = around_;
    around_ = name;
    grow(depth + 1);
    around_ = outer;
    planted_[index].end = text_.size();
    text_ += "<!-- /agent:" + name + " -->\n\n";
  }

  std::mt19937 random_;
  std::string text_;
  std::string around_;
  std::vector<Planted> planted_;
};

TEST_CASE("components: whatever tree is planted between code, lists and headings is found") {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Grower grower(seed);
    const std::string document = grower.document();
    const std::string found = listed(document);
    INFO("seed ", seed, "\n", document);
    REQUIRE(found.substr(0, found.find(": This component")).starts_with(grower.expected()));
  }
}

}  // namespace markdown_components_test
