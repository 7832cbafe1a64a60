#include "server/lsp/features/document_symbols.hpp"

#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/places.hpp"
#include "server/markdown/outline.hpp"
#include "server/session/document_problems.hpp"

#include <boost/json/array.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

constexpr std::string_view kNoText = "(empty)";

protocol::DocumentSymbol symbol_of(const Client& client, const Document& document,
                                   const markdown::OutlineEntry& turn) {
  protocol::DocumentSymbol symbol;
  const bool is_reply = turn.speaker == markdown::Speaker::Assistant;
  symbol.name = turn.title.empty() ? std::string(kNoText) : turn.title;
  symbol.detail = is_reply ? "Assistant" : "User";
  const auto kind_of_prompt =
      client.can.eventSymbols ? protocol::SymbolKind::Event : protocol::SymbolKind::Namespace;
  symbol.kind = is_reply ? protocol::SymbolKind::String : kind_of_prompt;
  symbol.range = range_of(client, document, turn.heading_begin, turn.text_end);
  symbol.selectionRange = range_of(client, document, turn.heading_begin, turn.heading_end);
  return symbol;
}

std::vector<protocol::DocumentSymbol> symbols_of(const Client& client, const Document& document) {
  const std::string& text = document.session().engine().shadow().text();
  std::vector<protocol::DocumentSymbol> prompts;
  for (const auto& turn : markdown::outline(text, markdown::read_front_matter(text))) {
    auto symbol = symbol_of(client, document, turn);
    if (turn.speaker == markdown::Speaker::User || prompts.empty()) {
      prompts.push_back(std::move(symbol));
    } else {
      prompts.back().range.end = symbol.range.end;
      prompts.back().children.push_back(std::move(symbol));
    }
  }
  return prompts;
}

json::array encode_symbols(const std::vector<protocol::DocumentSymbol>& prompts,
                           const Client& client, const std::string& uri) {
  json::array list;
  for (const protocol::DocumentSymbol& prompt : prompts) {
    if (client.can.hierarchicalSymbols) {
      list.push_back(protocol::encode(prompt));
      continue;
    }
    list.push_back(protocol::encode_symbol_information(prompt, uri));
    for (const auto& reply : prompt.children)
      list.push_back(protocol::encode_symbol_information(reply, uri));
  }
  return list;
}

/// Adds a fold, unless it would cover less than two lines.
void add_fold(const text::TextBuffer& text, std::size_t begin, std::size_t end,
              json::array& folds) {
  const auto first = static_cast<std::uint32_t>(text.line_of(begin));
  const auto last = static_cast<std::uint32_t>(text.line_of(end));
  if (first < last) folds.push_back(protocol::encode(protocol::FoldingRange{first, last}));
}

json::array folds_of(const Document& document) {
  const text::TextBuffer& text = document.session().engine().shadow();
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text.text());
  json::array folds;
  if (front_matter.present) add_fold(text, front_matter.begin, front_matter.close_begin, folds);
  for (const auto& turn : markdown::outline(text.text(), front_matter))
    add_fold(text, turn.heading_begin, turn.text_end, folds);
  return folds;
}

}  // namespace

void bind_document_symbols(protocol::Endpoint& endpoint, const Client& client,
                           const Documents& documents) {
  endpoint.on_request(
      "textDocument/documentSymbol",
      [&client, &documents](const json::value& params, protocol::Replier reply) {
        const Document* document = documents.find(protocol::decode_text_document_uri(params));
        if (document == nullptr || !session::is_session_document(document->session()))
          return reply.result(json::array());
        const auto symbols = symbols_of(client, *document);
        reply.result(encode_symbols(symbols, client, document->place().uri));
      });
}

void bind_folding_ranges(protocol::Endpoint& endpoint, const Documents& documents) {
  endpoint.on_request("textDocument/foldingRange", [&documents](const json::value& params,
                                                                protocol::Replier reply) {
    const Document* document = documents.find(protocol::decode_text_document_uri(params));
    if (document == nullptr || !session::is_session_document(document->session()))
      return reply.result(json::array());
    reply.result(folds_of(*document));
  });
}

}  // namespace agent_doc::lsp
