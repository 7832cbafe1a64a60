#include "server/session/fork.hpp"

#include "server/markdown/turns.hpp"

#include <optional>

namespace agent_doc::session {

namespace {

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

}  // namespace

std::string fork_document(std::string_view document, const ForkLink& link, std::string_view uuid) {
  std::string text(document);
  apply_to(text, markdown::remove_key(text, "resume"));
  apply_to(text, markdown::remove_key(text, "forked_from"));
  apply_to(text, markdown::set_value(text, "agent_doc_session", uuid));
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const bool crlf = text.find("\r\n") != std::string::npos && text.find("\r\n") < text.find('\n');
  const std::string session = link.session.empty() ? "" : ", session: " + quoted(link.session);
  std::string line = "forked_from: {file: " + quoted(link.file) + session +
                     ", turn: " + std::to_string(link.turn) + "}";
  line += crlf ? "\r\n" : "\n";
  text.insert(front_matter.close_begin, line);
  return text;
}

std::vector<std::size_t> ends_of_replies(std::string_view document,
                                         const markdown::FrontMatter& front_matter) {
  std::vector<std::size_t> ends;
  bool of_new_question = true;
  for (const markdown::InlineTurn& turn :
       markdown::find_turns(document, front_matter.body_begin).turns) {
    if (turn.speaker == markdown::Speaker::User) {
      of_new_question = true;
      continue;
    }
    const std::size_t end = document.find_last_not_of(" \t\r\n", turn.body_end - 1) + 1;
    if (!of_new_question) ends.pop_back();
    ends.push_back(end);
    of_new_question = false;
  }
  return ends;
}

std::string text_up_to(std::string_view document, std::size_t end, std::string_view line_end) {
  std::string text(document.substr(0, end));
  for (const std::string_view piece :
       {line_end, line_end, std::string_view("## User"), line_end, line_end})
    text += piece;
  const std::size_t body = markdown::read_front_matter(document).body_begin;
  const markdown::Components components = markdown::find_components(document, body);
  const markdown::Component* around = components.around(end);
  return around == nullptr ? text : text.append(document.substr(around->closing_begin));
}

std::string relative_name(std::string_view to, std::string_view from) {
  const std::size_t slash = to.rfind('/');
  if (slash == std::string_view::npos || from.rfind('/') != slash ||
      to.substr(0, slash) != from.substr(0, slash))
    return std::string(to);
  return std::string(to.substr(slash + 1));
}

}  // namespace agent_doc::session
