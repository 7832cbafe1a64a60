// What it is: a document that a person edits by dice: notes, headings, fences, white space, private
// comments, moves.
// What it is not: a client (tests/simulation).
// Thread rule: not thread-safe.
#pragma once

#include "tests/simulation/dice.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::test {

inline std::string pick(simulation::Dice& dice, const std::vector<std::string_view>& choices) {
  return std::string(choices[dice.below(static_cast<std::uint32_t>(choices.size()))]);
}

inline std::string words(simulation::Dice& dice) {
  std::string text;
  for (std::uint32_t left = dice.between(1, 4); left > 0; --left) {
    text += (text.empty() ? "" : " ") + pick(dice, {"one", "two", "a", "`code`", "-", "+x", "ä",
                                                    "中", "@@", "<b>", "## x", "*"});
  }
  return text;
}

/// Some lines, as an agent or a person writes them.
inline std::string lines(simulation::Dice& dice) {
  std::string text;
  for (std::uint32_t left = dice.between(1, 5); left > 0; --left) {
    switch (dice.below(8)) {
      case 0:
        text += "\n";
        break;
      case 1:
        text += "- " + words(dice) + "\n";
        break;
      case 2:
        text += "```\n" + words(dice) + "\n\n\n" + words(dice) + "\n```\n";
        break;
      case 3:
        text += "> " + words(dice) + "\n";
        break;
      default:
        text += words(dice) + "\n";
    }
  }
  return text;
}

/// What the person writes for nobody else.
inline std::string note_to_self(simulation::Dice& dice) {
  return pick(dice, {"<!-- SECRET -->", "<!-- SECRET\n\n## User\n\nSECRET -->", "[//]: # (SECRET)",
                     "[//]: # \"SECRET\"", "<!-- SECRET --><!-- SECRET `x -->"});
}

inline std::string with_other_white_space(simulation::Dice& dice, const std::string& text) {
  std::string spaced;
  for (const char byte : text) {
    if (byte == '\n' && dice.one_in(5)) spaced += pick(dice, {" ", "  ", "\t", "\r"});
    spaced += byte;
  }
  return spaced;
}

/// A document, edited by one person.
class EditedDocument {
 public:
  EditedDocument(simulation::Dice& dice, bool has_private_notes)
      : dice_(dice), has_private_notes_(has_private_notes) {}

  std::string text;

  void edit() {
    for (std::uint32_t left = dice_.below(4); left > 0; --left) edit_once();
  }
  void ask() {
    if (!text.empty() && !text.ends_with("\n")) text += "\n";
    if (!text.empty() && dice_.one_in(2)) text += "\n## User\n\n";
    text += words(dice_) + "\n";
  }

 private:
  std::size_t line_start() {
    std::size_t at = dice_.below(static_cast<std::uint32_t>(text.size() + 1));
    while (at > 0 && at < text.size() && text[at - 1] != '\n') --at;
    return at;
  }
  std::size_t lines_behind(std::size_t at, std::uint32_t count) {
    for (; count > 0 && at < text.size(); --count) {
      const std::size_t end = text.find('\n', at);
      at = end == std::string::npos ? text.size() : end + 1;
    }
    return at;
  }
  void edit_once() {
    const std::size_t at = line_start();
    const std::size_t end = lines_behind(at, dice_.between(1, 6));
    switch (dice_.below(9)) {
      case 0:
        text.insert(at, lines(dice_));
        return;
      case 1:
        text.erase(at, end - at);
        return;
      case 2: {
        const std::string moved = text.substr(at, end - at);
        text.erase(at, end - at);
        text.insert(line_start(), moved);
        return;
      }
      case 3:
        text.insert(dice_.below(static_cast<std::uint32_t>(text.size() + 1)), words(dice_));
        return;
      case 4:
        text.insert(at, pick(dice_, {"## User\n\n", "## Assistant\n\n", "\n## User\n\nx\n\n"}));
        return;
      case 5:
        text.insert(at, pick(dice_, {"```\n", "\n", "~~~\n", "<div>\n"}));
        return;
      case 6:
        white_space();
        return;
      default:
        if (has_private_notes_) text.insert(at, note_to_self(dice_) + "\n");
    }
  }
  void white_space() { text = with_other_white_space(dice_, text); }

  simulation::Dice& dice_;
  bool has_private_notes_;
};

}  // namespace agent_doc::test
