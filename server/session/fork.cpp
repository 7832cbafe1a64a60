#include "server/session/fork.hpp"

#include "server/markdown/front_matter.hpp"

#include <optional>

namespace agent_doc::session {

namespace fork_internal {

void apply_to(std::string& text, const std::optional<text::Edit>& edit) {
  if (edit) text.replace(edit->begin, edit->end - edit->begin, edit->replacement);
}

/// A double-quoted YAML scalar.
std::string quoted(std::string_view value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace fork_internal

std::string fork_document(std::string_view document, const ForkLink& link, std::string_view uuid) {
  using fork_internal::apply_to;
  using fork_internal::quoted;
  std::string text(document);
  apply_to(text, markdown::remove_key(text, "resume"));
  apply_to(text, markdown::remove_key(text, "forked_from"));
  apply_to(text, markdown::set_value(text, "agent_doc_session", uuid));
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const bool crlf = text.find("\r\n") != std::string::npos && text.find("\r\n") < text.find('\n');
  std::string line = "forked_from: {file: " + quoted(link.file) + ", session: " + quoted(link.session) + ", turn: " + std::to_string(link.turns) + "}";
  line += crlf ? "\r\n" : "\n";
  text.insert(front_matter.close_begin, line);
  return text;
}

std::string relative_name(std::string_view to, std::string_view from) {
  const std::size_t slash = to.rfind('/');
  if (slash == std::string_view::npos || from.rfind('/') != slash || to.substr(0, slash) != from.substr(0, slash)) return std::string(to);
  return std::string(to.substr(slash + 1));
}

}  // namespace agent_doc::session
