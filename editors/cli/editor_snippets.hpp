// What it is: for each editor the few lines of configuration that make it start agent-doc, and
// where they belong.
// What it is not: what works there; editors/*.md say that.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

enum class SnippetLanguage { Toml, Json, Lisp, Lua, Kakoune, Vim, Ini };

struct EditorSnippet {
  std::string_view editor;
  SnippetLanguage language;
  std::string_view place;  ///< which file, and what else there is to do: a sentence or two
  std::string_view text;   ///< with @PROGRAM@ inside of a string
};

/// In the order of the alphabet.
const std::vector<EditorSnippet>& editor_snippets();

/// `snippet` for the program `program`: a name for PATH, or a path.
std::string text_of(const EditorSnippet& snippet, std::string_view program);

}  // namespace agent_doc::cli
