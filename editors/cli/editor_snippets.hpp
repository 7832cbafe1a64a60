// The configuration that makes each editor start agent-doc, and the place for it. editors/*.md
// describe what works there. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::cli {

enum class SnippetLanguage { Toml, Json, Lisp, Lua, Kakoune, Vim, Ini };

struct EditorSnippet {
  std::string_view editor;
  SnippetLanguage language;
  std::string_view place;  ///< one or two sentences: the file, and further steps
  std::string_view text;   ///< has @PROGRAM@ inside a string
};

/// In alphabetical order.
const std::vector<EditorSnippet>& editor_snippets();

/// Returns the text of `snippet` for `program`, a name in PATH or a path.
std::string text_of(const EditorSnippet& snippet, std::string_view program);

}  // namespace agent_doc::cli
