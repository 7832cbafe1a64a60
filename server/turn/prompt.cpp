#include "server/turn/prompt.hpp"

#include <utility>

namespace agent_doc::turn {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kNone = std::string_view::npos;
constexpr std::string_view kDocument =
    "This is the markdown document that we write together, up to now:\n\n<document>\n";
constexpr std::string_view kDocumentEnd = "\n</document>\n\n";
constexpr std::string_view kComponents =
    "Its parts between <!-- agent:NAME --> and <!-- /agent:NAME --> are components. To write into "
    "one, put <!-- patch:NAME --> and <!-- /patch:NAME --> on lines of their own in your reply, "
    "with the text between them; what is outside of these is said.\n\n";
constexpr std::string_view kComponentEnd = "<!-- /agent:";
constexpr std::string_view kChanged =
    "The markdown document that we write together was changed since you last saw it. ";
constexpr std::string_view kChanges =
    "This unified diff tells how; what it takes out is gone:\n\n<changes>\n";
constexpr std::string_view kChangesEnd = "</changes>\n\n";
constexpr std::string_view kAllOfIt = "This is all of it now:\n\n<document>\n";
constexpr std::string_view kAnswerOnlyThis = "This is the open prompt in it. Answer only this:\n\n";
constexpr std::string_view kAnswerThis =
    "This is the open prompt in it. Answer it, and what was noted in the changes:\n\n";
constexpr std::string_view kAnswerChanges =
    "There is no open prompt in it. Answer what was changed or noted.";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == kNone) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::string_view without_blank_lines_around(std::string_view text) {
  const std::string_view core = trimmed(text);
  if (core.empty()) return {};
  const auto begin = static_cast<std::size_t>(core.data() - text.data());
  const std::size_t line = text.substr(0, begin).find_last_of("\r\n");
  return text.substr(line == kNone ? 0 : line + 1,
                     begin + core.size() - (line == kNone ? 0 : line + 1));
}

/// `text` without a heading at its end that has nothing under it.
std::string_view without_dangling_heading(std::string_view text) {
  const std::size_t line = text.find_last_of("\r\n");
  const std::string_view last = line == kNone ? text : text.substr(line + 1);
  if (!last.starts_with("## ")) return text;
  return line == kNone ? std::string_view() : without_blank_lines_around(text.substr(0, line));
}

}  // namespace

std::string asked_in(std::string_view prompt) {
  const std::string text = without_comments(prompt);
  return std::string(without_blank_lines_around(text));
}

namespace {

/// The document around [begin, end), which is what is asked.
std::string document_around(std::string_view body, std::size_t begin, std::size_t end) {
  std::string earlier = without_comments(body.substr(0, begin));
  const std::string later = without_comments(body.substr(end));
  if (!trimmed(later).empty()) earlier.append("\n").append(later);
  return std::string(without_dangling_heading(without_blank_lines_around(earlier)));
}

/// What a session reads that knows nothing.
std::string with_document(std::string_view body, std::size_t begin, std::size_t end,
                          const std::string& asked) {
  const std::string document = document_around(body, begin, end);
  if (document.empty()) return asked;
  return std::string(kDocument)
      .append(document)
      .append(kDocumentEnd)
      .append(document.find(kComponentEnd) == kNone ? std::string_view() : kComponents)
      .append(kAnswerOnlyThis)
      .append(asked);
}

}  // namespace

std::string build_prompt(std::string_view body, std::size_t prompt_begin, std::size_t prompt_end,
                         SessionKnows knows) {
  std::string asked = asked_in(body.substr(prompt_begin, prompt_end - prompt_begin));
  if (asked.empty() || knows == SessionKnows::EarlierTurns) return asked;
  return with_document(body, prompt_begin, prompt_end, asked);
}

PromptSource::PromptSource(std::string body, PromptPlace place)
    : body_(std::move(body)),
      place_(place),
      asked_(asked_in(std::string_view(body_).substr(place.begin, place.end - place.begin))) {}

std::string PromptSource::text(SessionKnows knows) const {
  if (asked_.empty() || knows == SessionKnows::EarlierTurns) return asked_;
  return with_document(body_, place_.begin, place_.end, asked_);
}

std::string PromptSource::text_with_changes(std::string_view changes) const {
  std::string text(kDocument);
  text.append(document_around(body_, place_.begin, place_.end)).append(kDocumentEnd);
  text.append("This was changed in it last, as a unified diff:\n\n<changes>\n")
      .append(changes)
      .append(kChangesEnd);
  return text.append(kAnswerChanges);
}

SeenDocument PromptSource::seen() const {
  const std::string_view body = body_;
  const std::string above = as_seen(body.substr(0, place_.heading));
  SeenDocument seen{as_seen(body.substr(0, place_.end)), 0, {}};
  // Both have the same lines there, unless something above is open to the end of the text, as a
  // comment. Then all is told anew.
  if (seen.text.starts_with(above)) seen.above = above.size();
  return seen;
}

PromptMessage message_about(const SeenDocument& now, std::string_view earlier,
                            std::string_view asked) {
  const std::string_view above = std::string_view(now.text).substr(0, now.above);
  PromptMessage message;
  message.changes = text::unified_diff(earlier, above);
  if (message.changes.text.empty()) {
    message.shape = asked.empty() ? Shape::Nothing : Shape::Prompt;
    message.text = asked;
    return message;
  }
  message.shape = message.changes.text.size() > above.size() ? Shape::Document : Shape::Changes;
  message.text = kChanged;
  if (message.shape == Shape::Changes) {
    message.text.append(kChanges).append(message.changes.text).append(kChangesEnd);
  } else {
    message.text.append(kAllOfIt).append(above).append(kDocumentEnd.substr(1));
  }
  message.text.append(asked.empty() ? kAnswerChanges : kAnswerThis).append(asked);
  return message;
}

}  // namespace agent_doc::turn
