#include "server/lsp/features/hover.hpp"

#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/places.hpp"
#include "server/lsp/turns/turn_words.hpp"
#include "server/markdown/front_matter_keys.hpp"
#include "server/markdown/outline.hpp"
#include "server/session/document_problems.hpp"

#include <optional>
#include <string>
#include <utility>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

std::optional<protocol::Hover> hover_of_key(const Client& client, const Document& document,
                                            const markdown::FrontMatter& front_matter,
                                            std::size_t at) {
  for (const markdown::FrontMatterEntry& entry : front_matter.entries) {
    const std::size_t key_end = entry.line_begin + entry.key.size();
    if (at < entry.line_begin || at > key_end) continue;
    const markdown::FrontMatterKey* help = markdown::find_front_matter_key(entry.key);
    if (help == nullptr) return std::nullopt;
    return protocol::Hover{client.can.hover, std::string(help->text),
                           range_of(client, document, entry.line_begin, key_end)};
  }
  return std::nullopt;
}

std::string place_words(const markdown::OutlineEntry& turn, std::size_t number, std::size_t count) {
  const bool is_reply = turn.speaker == markdown::Speaker::Assistant;
  return std::string(is_reply ? "Reply" : "Prompt") + " " + std::to_string(number) + " of " +
         std::to_string(count);
}

std::string reply_words(const Document& document, const markdown::OutlineEntry& reply) {
  const auto view = document.session().turn_at(reply.body_begin, reply.end);
  if (!view) return "\n\nIt was not written since agent-doc started, so no more is known of it.";
  std::string words = "\n\n" + turn_words(*view);
  if (!view->session_id.empty()) words += "\n\nsession " + view->session_id;
  if (!view->failure.empty()) words += "\n\n" + view->failure;
  return words;
}

std::optional<protocol::Hover> hover_of_turn(const Client& client, const Document& document,
                                             const markdown::FrontMatter& front_matter,
                                             std::size_t at) {
  const auto turns = markdown::outline(document.session().engine().shadow().text(), front_matter);
  std::size_t prompts = 0;
  std::size_t replies = 0;
  std::size_t number = 0;
  const markdown::OutlineEntry* found = nullptr;
  for (const markdown::OutlineEntry& turn : turns) {
    const std::size_t counted =
        turn.speaker == markdown::Speaker::Assistant ? ++replies : ++prompts;
    const bool has_heading = turn.heading_begin < turn.body_begin;
    if (!has_heading || at < turn.heading_begin || at > turn.heading_end) continue;
    found = &turn;
    number = counted;
  }
  if (found == nullptr) return std::nullopt;
  const bool is_reply = found->speaker == markdown::Speaker::Assistant;
  std::string words = place_words(*found, number, is_reply ? replies : prompts);
  if (is_reply) words += reply_words(document, *found);
  return protocol::Hover{client.can.hover, std::move(words),
                         range_of(client, document, found->heading_begin, found->heading_end)};
}

std::optional<protocol::Hover> hover_at(const Client& client, const Document& document,
                                        std::size_t at) {
  const markdown::FrontMatter front_matter =
      markdown::read_front_matter(document.session().engine().shadow().text());
  return at < front_matter.body_begin ? hover_of_key(client, document, front_matter, at)
                                      : hover_of_turn(client, document, front_matter, at);
}

}  // namespace

void bind_hover(protocol::Endpoint& endpoint, const Client& client, const Documents& documents) {
  endpoint.on_request("textDocument/hover", [&client, &documents](const json::value& params,
                                                                  protocol::Replier reply) {
    const auto request = protocol::decode_text_document_position(params);
    const Document* document = documents.find(request.uri);
    if (document == nullptr || !session::is_session_document(document->session()))
      return reply.result(nullptr);
    const auto hover = hover_at(client, *document, offset_of(client, *document, request.position));
    reply.result(hover ? protocol::encode(*hover) : json::value(nullptr));
  });
}

}  // namespace agent_doc::lsp
