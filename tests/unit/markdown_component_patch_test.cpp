#include "server/markdown/component_patch.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace markdown_component_patch_test {

using namespace agent_doc;
using markdown::PatchMode;

std::string patched(const std::string& document, std::string_view text,
                    std::optional<PatchMode> mode = std::nullopt, std::string_view line_end = "\n",
                    std::string_view name = "a") {
  const markdown::Component* component = nullptr;
  const markdown::Components found = markdown::find_components(document, 0);
  component = found.find(name);
  REQUIRE(component != nullptr);
  markdown::ComponentSettings settings = markdown::settings_of(*component);
  if (mode) settings.mode = *mode;
  const auto outcome = markdown::patch_component(document, 0, *component, settings, text, line_end);
  if (const auto* refused = std::get_if<markdown::NotPatched>(&outcome)) return refused->reason;
  const text::Edit& edit = std::get<text::Edit>(outcome);
  return document.substr(0, edit.begin) + edit.replacement + document.substr(edit.end);
}

TEST_CASE("a text goes into a component: whole documents by each mode") {
  const std::string document = "# T\n\n<!-- agent:a -->\none\n<!-- /agent:a -->\n\nbelow\n";
  CHECK(patched(document, "two") == "# T\n\n<!-- agent:a -->\ntwo\n<!-- /agent:a -->\n\nbelow\n");
  CHECK(patched(document, "two\n\n", PatchMode::Append) ==
        "# T\n\n<!-- agent:a -->\none\ntwo\n<!-- /agent:a -->\n\nbelow\n");
  CHECK(patched(document, "two", PatchMode::Prepend) ==
        "# T\n\n<!-- agent:a -->\ntwo\none\n<!-- /agent:a -->\n\nbelow\n");
  CHECK(patched(document, "", PatchMode::Replace) ==
        "# T\n\n<!-- agent:a -->\n<!-- /agent:a -->\n\nbelow\n");
  CHECK(patched(document, "\n", PatchMode::Append) == document);
}

TEST_CASE("a text goes into a component: lines of its own, the document's line ends") {
  CHECK(patched("<!-- agent:a -->x<!-- /agent:a -->", "y", PatchMode::Append) ==
        "<!-- agent:a -->x\ny\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a --><!-- /agent:a -->", "y", PatchMode::Append) ==
        "<!-- agent:a -->\ny\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a -->x<!-- /agent:a -->", "y", PatchMode::Prepend) ==
        "<!-- agent:a -->\ny\nx\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a -->x<!-- /agent:a -->", "y", PatchMode::Replace) ==
        "<!-- agent:a -->\ny\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a -->\r\nx\r\n<!-- /agent:a -->", "y\nz", PatchMode::Append, "\r\n") ==
        "<!-- agent:a -->\r\nx\r\ny\r\nz\r\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a -->\nx\n<!-- agent:boundary:1 -->\nmine\n<!-- /agent:a -->", "y",
                PatchMode::Append) ==
        "<!-- agent:a -->\nx\ny\n<!-- agent:boundary:1 -->\nmine\n<!-- /agent:a -->");
}

TEST_CASE("a text goes into a component: the attributes say how, and max_lines what is left") {
  CHECK(patched("<!-- agent:a patch=append max_lines=2 -->\n1\n2\n<!-- /agent:a -->", "3") ==
        "<!-- agent:a patch=append max_lines=2 -->\n2\n3\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a mode=prepend max_lines=2 -->\n1\n2\n<!-- /agent:a -->", "3") ==
        "<!-- agent:a mode=prepend max_lines=2 -->\n3\n1\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:a max_lines=many -->\n1\n<!-- /agent:a -->", "3\n4") ==
        "<!-- agent:a max_lines=many -->\n3\n4\n<!-- /agent:a -->");
  CHECK(patched("<!-- agent:exchange -->\n1\n<!-- /agent:exchange -->", "2", std::nullopt, "\n",
                "exchange") == "<!-- agent:exchange -->\n1\n2\n<!-- /agent:exchange -->");
}

TEST_CASE("a text goes into a component: it cannot break out of it") {
  const std::string document =
      "<!-- agent:a -->\n<!-- /agent:a -->\n<!-- agent:b -->\n<!-- /agent:b -->\n";
  const std::string refused =
      "the text has markers of components outside code, which would end a elsewhere";
  CHECK(patched(document, "x\n<!-- /agent:a -->\ny") == refused);
  CHECK(patched(document, "x\n<!-- agent:b -->") ==
        "<!-- agent:a -->\nx\n<!-- agent:b -->\n<!-- /agent:a -->\n<!-- agent:b -->\n<!-- "
        "/agent:b -->\n");
  CHECK(patched(document, "x\n<!-- agent:c -->\ny\n<!-- /agent:c -->") ==
        "<!-- agent:a -->\nx\n<!-- agent:c -->\ny\n<!-- /agent:c -->\n<!-- /agent:a -->\n"
        "<!-- agent:b -->\n<!-- /agent:b -->\n");
  CHECK(patched(document, "```\n<!-- /agent:a -->") ==
        "<!-- agent:a -->\n```\n<!-- /agent:a -->\n```\n<!-- /agent:a -->\n"
        "<!-- agent:b -->\n<!-- /agent:b -->\n");
  CHECK(patched(document, "<!-- open") ==
        "<!-- agent:a -->\n<!-- open\n-->\n<!-- /agent:a -->\n<!-- agent:b -->\n<!-- /agent:b "
        "-->\n");
}

TEST_CASE("a text goes into a component: whatever it is, nothing outside of the body changes") {
  const std::vector<std::string> pieces{"x\n",
                                        "\n",
                                        "```\n",
                                        "~~~\n",
                                        "<!-- ",
                                        "-->",
                                        "<!-- /agent:a -->\n",
                                        "<!-- agent:a -->",
                                        "`",
                                        "  - z\n",
                                        "é",
                                        "\r\n",
                                        "<div>\n",
                                        "    code\n",
                                        "<!-- agent:n -->\n",
                                        "<!-- /agent:n -->\n"};
  std::mt19937 random(7);
  const auto made = [&](unsigned most) {
    std::string text;
    for (unsigned parts = random() % most; parts > 0; --parts)
      text += pieces[random() % pieces.size()];
    return text;
  };
  int changed = 0;
  for (int run = 0; run < 20'000; ++run) {
    const std::string above = "# Title\n\n<!-- agent:a -->\n";
    const std::string below = "<!-- /agent:a -->\n\nfoot\n<!-- agent:b -->\n<!-- /agent:b -->\n";
    const std::string document = above + made(4) + below;
    const markdown::Components before = markdown::find_components(document, 0);
    const markdown::Component* component = before.find("a");
    if (component == nullptr || before.find("b") == nullptr) continue;
    markdown::ComponentSettings settings{static_cast<PatchMode>(random() % 3), random() % 3};
    const std::string text = made(6);
    const auto outcome = markdown::patch_component(document, 0, *component, settings, text, "\n");
    if (std::holds_alternative<markdown::NotPatched>(outcome)) continue;
    ++changed;
    const text::Edit& edit = std::get<text::Edit>(outcome);
    const std::string now =
        document.substr(0, edit.begin) + edit.replacement + document.substr(edit.end);
    INFO("document:\n", document, "\ntext:\n", text, "\nnow:\n", now);
    const markdown::Components after = markdown::find_components(now, 0);
    const markdown::Component* there = after.find("a");
    REQUIRE(there != nullptr);
    REQUIRE(after.find("b") != nullptr);
    REQUIRE(now.substr(0, there->opening_end) == document.substr(0, component->opening_end));
    REQUIRE(now.substr(there->closing_begin) == document.substr(component->closing_begin));
  }
  CHECK(changed > 5000);
}

}  // namespace markdown_component_patch_test
