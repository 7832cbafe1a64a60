#include "server/markdown/components.hpp"
#include "server/turn/patch_blocks.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace turn_patch_blocks_test {

namespace markdown = agent_doc::markdown;
using agent_doc::turn::PatchBlock;
using agent_doc::turn::PatchBlocks;
using agent_doc::turn::PatchKind;
using agent_doc::turn::PatchTarget;

/// The parts as their writes make them.
class Parts final : public agent_doc::turn::PatchPartWrites {
 public:
  void write_part(std::size_t part, std::size_t offset, std::string_view text) override {
    REQUIRE(part <= texts.size());
    if (part == texts.size()) texts.emplace_back();
    REQUIRE(offset <= texts[part].size());
    texts[part].replace(offset, std::string::npos, text);
  }
  void withdraw_part(std::size_t part) override {
    REQUIRE(part > 0);
    REQUIRE(part + 1 == texts.size());
    texts.pop_back();
  }

  std::vector<std::string> texts{""};
};

PatchTarget target_of(std::string_view name) {
  if (name == "exchange") return PatchTarget::Reply;
  return name == "unknown" ? PatchTarget::Nowhere : PatchTarget::Component;
}

/// "said | NAME: text | =NAME: text (open)": of `replace:NAME`, of a block that was never closed.
std::string shown(const Parts& parts, const std::vector<PatchBlock>& blocks) {
  REQUIRE(parts.texts.size() == blocks.size() + 1);
  std::string text = parts.texts[0];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    text += " | " + std::string(blocks[i].kind == PatchKind::Replace ? "=" : "") + blocks[i].name +
            ": " + parts.texts[i + 1] + (blocks[i].is_closed ? "" : " (open)");
  }
  return text;
}

/// Whether a component with `text` in it still ends where it did.
bool stays_in_its_component(const std::string& text) {
  std::string document = "<!-- agent:a -->\n## User\n\nWhat?\n\n## Assistant\n\n" + text + "\n";
  const std::size_t end = document.size();
  document += "<!-- /agent:a -->\n\n<!-- agent:b -->\n<!-- /agent:b -->\n";
  const markdown::Components found = markdown::find_components(document, 0);
  const markdown::Component* component = found.find("a");
  return component != nullptr && component->closing_begin == end && found.find("b") != nullptr;
}

std::string split(std::string_view reply) {
  Parts parts;
  PatchBlocks blocks(target_of, parts);
  blocks.write(0, reply);
  blocks.finish();
  return shown(parts, blocks.blocks());
}

TEST_CASE("patch blocks: what is said, and what is meant for components") {
  CHECK(split("Hello.\n\nYou.") == "Hello.\n\nYou.");
  CHECK(split("A\n\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->\n\nB") ==
        "A\n\nB | status: busy");
  CHECK(split("<!-- patch:a -->\n\none\n\ntwo\n\n<!-- /patch:a -->\n\n\nB\n") ==
        "B | a: one\n\ntwo");
  CHECK(split("A\n<!--replace:a-->\nx\n<!--/replace:a-->  \nB") == "A\nB | =a: x");
  CHECK(split("A <!-- patch:a -->x<!-- /patch:a --> B") == "A  B | a: x");
  CHECK(split("<!-- patch:a -->\n1\n<!-- /patch:a -->\n<!-- patch:b -->\n2\n<!-- /patch:b -->") ==
        " | a: 1 | b: 2");
  CHECK(split("A\n\n<!-- patch:a -->\n1\n<!-- /patch:a -->\n<!-- patch:a -->\n2\n<!-- /patch:a -->"
              "\nB") == "A\n\nB | a: 1 | a: 2");
  CHECK(split("<!-- patch:a -->\nnever closed") == " | a: never closed (open)");
  CHECK(split("<!-- patch:a -->\n<!-- /patch:a -->") == " | a: ");
  CHECK(split("A\n\n<!-- patch:exchange -->\nB\n<!-- patch:a -->\n<!-- /patch:exchange -->\n\n"
              "C") == "A\n\nB\n<!-- patch:a -->\n\nC");
}

TEST_CASE("patch blocks: markers in code, of unknown components and without a partner are text") {
  for (const char* text : {
           "```\n<!-- patch:a -->\nx\n<!-- /patch:a -->\n```",
           "- a list\n  ```\n  <!-- patch:a -->\n  ```",
           "Write `<!-- patch:a -->` for it.",
           "words\n\n    <!-- patch:a -->",
           "<!-- patch:unknown -->\nx\n<!-- /patch:unknown -->",
           "<!-- /patch:a -->",
           "<!-- patch: a -->",
           "<!-- patches -->",
           "a < b, and <b>bold</b>",
       }) {
    CHECK(split(text) == text);
  }
  CHECK(split("<!-- patch:a") == "<!-- patch:a\n-->");
  CHECK(split("<!-- patch:a -->\n```\n<!-- /patch:a -->\n```\n<!-- /patch:b -->\n"
              "<!-- replace:a -->\n<!-- /patch:a -->") ==
        " | a: ```\n<!-- /patch:a -->\n```\n<!-- /patch:b -->\n<!-- replace:a -->");
}

TEST_CASE("patch blocks: no part ends a component of the document") {
  CHECK(split("A\n<!-- /agent:x -->\nB") == "A\n\\<!-- /agent:x -->\nB");
  CHECK(split("A <!-- agent:x --> B") == "A \\<!-- agent:x --> B");
  CHECK(split("<!-- agent:x -->\nB\n<!-- /agent:x -->") ==
        "<!-- agent:x -->\nB\n<!-- /agent:x -->");
  CHECK(split("<!-- agent:x -->\nB") == "<!-- agent:x -->\nB\n<!-- /agent:x -->");
  CHECK(split("```\n<!-- /agent:x -->\n```") == "```\n<!-- /agent:x -->\n```");
  CHECK(split("words\n    <!-- /agent:x -->") == "words\n    \\<!-- /agent:x -->");
  CHECK(split("<!-- patch:a -->\n<!-- agent:y -->\n<!-- /agent:a -->\n<!-- /patch:a -->\n"
              "<!-- /agent:y -->") ==
        "\\<!-- /agent:y --> | a: <!-- agent:y -->\n\\<!-- /agent:a -->\n<!-- /agent:y -->");
  CHECK(split("<!-- patch:a -->\n<!-- open\n<!-- /patch:a -->\nB") == "B | a: <!-- open\n-->");
  CHECK(split("<!-- patch:a -->\n```\nx") == " | a: ```\nx\n``` (open)");
  const std::string wide(agent_doc::turn::kMaxMarkerLine, 'x');
  const bool is_escaped = split(wide + "<!-- /agent:x -->") == wide + "\\<!-- /agent:x -->";
  CHECK(is_escaped);
}

TEST_CASE("patch blocks: text streams as it comes, a marker's line when it is whole") {
  Parts parts;
  PatchBlocks blocks(target_of, parts);
  blocks.write(0, "Hel");
  CHECK(parts.texts == std::vector<std::string>{"Hel"});
  blocks.write(3, "lo <b");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b"});
  blocks.write(8, "> <!-- pat");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b> "});
  blocks.write(18, "ience -->");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b> <!-- patience -->"});
  blocks.write(27, "\n<!-- patch:a --");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b> <!-- patience -->"});
  blocks.write(43, ">\nx");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b> <!-- patience -->", "x"});
  blocks.write(9, "!");
  CHECK(parts.texts == std::vector<std::string>{"Hello <b>!"});
}

TEST_CASE("patch blocks: a line that is too long for a marker, and too many blocks, are text") {
  const std::string marker = "<!-- patch:a -->";
  const std::string line = marker + std::string(agent_doc::turn::kMaxMarkerLine, 'x');
  const bool is_text = split(line + "\n\n" + marker + "\nx") == line + " | a: x (open)";
  CHECK(is_text);
  std::string many;
  for (std::size_t i = 0; i <= agent_doc::turn::kMaxPatchBlocks; ++i)
    many += "<!-- patch:a -->\n<!-- /patch:a -->\n";
  Parts parts;
  PatchBlocks blocks(target_of, parts);
  blocks.write(0, many);
  blocks.finish();
  CHECK(blocks.blocks().size() == agent_doc::turn::kMaxPatchBlocks);
  CHECK(parts.texts[0] == "<!-- patch:a -->\n<!-- /patch:a -->");
}

/// AGENT_DOC_PATCH_SEEDS: how many; a night has 1,000,000.
unsigned seeds() {
  const char* given = std::getenv("AGENT_DOC_PATCH_SEEDS");
  return given == nullptr ? 10'000 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

TEST_CASE("patch blocks: however a reply is cut and taken back, its parts are those of its text") {
  const std::vector<std::string> pieces{"<!-- agent:c -->\n",
                                        "<!-- /agent:c -->",
                                        "<!-- /agent:c -->\n",
                                        "<!-- /agent:a -->",
                                        "\n<!-- /agent:a -->\n",
                                        "<!-- agent:a -->\n",
                                        "\\",
                                        "<!-- patch:exchange -->\n",
                                        "<!-- /patch:exchange -->\n",
                                        "<!-- /patch:exchange -->",
                                        "## X\n",
                                        "words ",
                                        "x",
                                        "\n",
                                        "\n\n",
                                        "<",
                                        "<!-- patch:a -->",
                                        "<!-- /patch:a -->",
                                        "```\n",
                                        "`",
                                        "- z",
                                        "    ",
                                        "é",
                                        "<!-- patch:a -->\n",
                                        "<!-- /patch:a -->\n",
                                        "-->",
                                        " ",
                                        "pat",
                                        "> q\n",
                                        "<!-- replace:b -->\n",
                                        "<!-- /replace:b -->\n",
                                        "<!-- patch:unknown -->",
                                        "ch:a -->\n",
                                        "<!-- /"};
  for (unsigned seed = 0; seed < seeds(); ++seed) {
    std::mt19937 random(seed);
    Parts parts;
    PatchBlocks blocks(target_of, parts);
    std::string reply;
    for (unsigned steps = 1 + random() % 20; steps > 0; --steps) {
      std::size_t offset = reply.size();
      if (random() % 8 == 0) offset = random() % (reply.size() + 1);
      std::string text;
      for (unsigned parts_of_it = random() % 4; parts_of_it > 0; --parts_of_it)
        text += pieces[random() % pieces.size()];
      // Deltas are cut anywhere.
      const std::size_t cut = text.empty() ? 0 : random() % text.size();
      reply.resize(offset);
      reply += text;
      blocks.write(offset, std::string_view(text).substr(0, cut));
      blocks.write(offset + cut, std::string_view(text).substr(cut));
    }
    // turn::Reply closes what the whole reply leaves open.
    if (const std::string closing = markdown::missing_closing_line(reply); !closing.empty()) {
      blocks.write(reply.size(), "\n" + closing);
      reply += "\n" + closing;
    }
    blocks.finish();
    INFO("seed ", seed, "\n", reply);
    REQUIRE(shown(parts, blocks.blocks()) == split(reply));
    for (const std::string& text : parts.texts) {
      INFO("part:\n", text);
      REQUIRE(stays_in_its_component(text));
    }
  }
}

}  // namespace turn_patch_blocks_test
