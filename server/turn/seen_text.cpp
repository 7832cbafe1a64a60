#include "server/turn/seen_text.hpp"

#include "server/turn/comments.hpp"
#include "server/turn/patched_document.hpp"
#include "server/turn/tidier.hpp"

namespace agent_doc::turn {
namespace {

/// What as_seen() makes of a text without comments.
std::string tidied(std::string_view text) {
  std::string tidy;
  tidy.reserve(text.size() + 1);
  Tidier().add(text, tidy);
  return tidy;
}

/// The document with the reply, not tidied.
std::string with_reply(const SeenDocument& seen) {
  const PatchedDocument patched = patched_document(seen.text, 0, seen.text.size(), seen.reply);
  // The text is not looked through for comments again: what is left of it might look like one now.
  return patched.text + "\n## Assistant\n\n" + without_comments(patched.said, CommentGaps::Closed);
}

}  // namespace

std::string as_seen(std::string_view body) {
  return tidied(without_comments(body, CommentGaps::Closed));
}

std::string earlier_text(const SeenDocument& seen) {
  if (seen.reply.empty()) return seen.text.substr(0, seen.above);
  return tidied(with_reply(seen));
}

SeenDocument with_next_prompt(const SeenDocument& seen, std::string_view prompt) {
  const std::string body = with_reply(seen);
  const std::string above = tidied(body);
  SeenDocument next{tidied(body + "\n\n## User\n\n" + std::string(prompt)), 0, {}};
  // A fence that the reply has left open is the reply's: as with an open comment, all is told anew.
  if (next.text.starts_with(above)) next.above = above.size();
  return next;
}

}  // namespace agent_doc::turn
