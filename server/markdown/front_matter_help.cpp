#include "server/markdown/front_matter_help.hpp"

#include <algorithm>

namespace agent_doc::markdown {

namespace front_matter_help_internal {

constexpr std::string_view kSpaces = " \t";
constexpr std::string_view kModelSuffix = "_model";

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

const KeyHelp* find_exact(std::string_view key) {
  const auto found = std::find_if(key_help().begin(), key_help().end(), [key](const KeyHelp& help) { return help.key == key; });
  return found == key_help().end() ? nullptr : &*found;
}

/// What a key is another name of.
std::string_view canonical(std::string_view key) {
  if (key == "session") return "agent_doc_session";
  if (key == "mode" || key == "response_mode") return "agent_doc_mode";
  if (key.size() > kModelSuffix.size() && key.ends_with(kModelSuffix)) return "model";
  return key;
}

/// The end of a value on its line: before a comment and spaces.
std::size_t value_end(std::string_view document, std::size_t begin, std::size_t line_end) {
  const std::string_view rest = document.substr(begin, line_end - begin);
  const std::size_t comment = rest.starts_with('#') ? 0 : rest.find(" #");
  const std::string_view value = rest.substr(0, comment);
  const std::size_t last = value.find_last_not_of(kSpaces);
  return begin + (last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace front_matter_help_internal

const std::vector<KeyHelp>& key_help() {
  static const std::vector<KeyHelp> kHelp = {
      {"agent", "Which agent replies in this document.", ValueSource::Agents, {}},
      {"model", "Which of the agent's models is used. `NAME_model` is for the agent NAME only.", ValueSource::Models, {}},
      {"rounds",
       "`last`: only the text after the agent's last tool call stays in the document. `all`: the text between its tool calls, too.",
       ValueSource::Fixed,
       {"last", "all"}},
      {"thinking",
       "`none`: the agent's thinking is not written. `fold`: it is written into a folded `<details>` block.",
       ValueSource::Fixed,
       {"none", "fold"}},
      {"agent_doc_format",
       "`inline`: replies go below `## Assistant` headings. `template`: they go into components, `<!-- agent:NAME -->`.",
       ValueSource::Fixed,
       {"inline", "template"}},
      {"agent_doc_cwd", "The folder that the agent works in, from the workspace on. It must lie inside of it.", ValueSource::Anything, {}},
      {"resume",
       "The agent's session that the next run goes on with; agent-doc writes it. Without it the next run begins a new session.",
       ValueSource::Anything,
       {}},
      {"forked_from", "The document and the session that this document was forked from; agent-doc writes it.", ValueSource::Anything, {}},
      {"agent_doc_session", "Names this document for agent-doc, which writes it; it survives renames.", ValueSource::Anything, {}},
      {"agent_doc_mode", "Of older documents; it is read, never written.", ValueSource::Fixed, {"append", "template", "stream"}},
  };
  return kHelp;
}

const KeyHelp* find_key_help(std::string_view key) {
  return front_matter_help_internal::find_exact(front_matter_help_internal::canonical(key));
}

std::optional<CompletionPlace> completion_place(std::string_view document, const FrontMatter& front_matter, std::size_t at) {
  if (!front_matter.present || at <= front_matter.begin || at > front_matter.close_begin) return std::nullopt;
  const std::size_t before = document.substr(0, at).find_last_of("\r\n");
  const std::size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  if (line_begin <= front_matter.begin || line_begin >= front_matter.close_begin) return std::nullopt;
  const std::size_t line_end = std::min(document.find_first_of("\r\n", at), document.size());

  std::size_t key_end = line_begin;
  while (key_end < line_end && front_matter_help_internal::is_key_character(document[key_end])) ++key_end;
  CompletionPlace place;
  if (at <= key_end) {
    place.begin = line_begin;
    place.end = key_end;
    place.lacks_colon = key_end == line_end || document[key_end] != ':';
    return place;
  }
  if (key_end == line_begin || document[key_end] != ':') return std::nullopt;
  place.key = std::string(document.substr(line_begin, key_end - line_begin));
  place.begin = std::min(document.find_first_not_of(front_matter_help_internal::kSpaces, key_end + 1), line_end);
  if (place.begin > at) place.begin = at;
  place.end = front_matter_help_internal::value_end(document, place.begin, line_end);
  if (at > std::max(place.end, place.begin)) return std::nullopt;
  place.lacks_space = place.begin == key_end + 1;
  return place;
}

}  // namespace agent_doc::markdown
