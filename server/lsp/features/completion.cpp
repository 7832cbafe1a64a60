#include "server/lsp/features/completion.hpp"

#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/places.hpp"
#include "server/markdown/front_matter_help.hpp"
#include "server/markdown/front_matter_keys.hpp"
#include "server/session/document_problems.hpp"

#include <boost/json/array.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::lsp {

namespace json = boost::json;

namespace {

struct Choice {
  std::string value;
  std::string detail;
};

std::vector<Choice> agent_choices(const session::AgentDirectory& agents) {
  const std::string preferred = agents.default_agent();
  std::vector<Choice> choices;
  for (std::string& name : agents.names()) {
    const std::string detail = !agents.is_installed(name) ? "not installed"
                               : name == preferred        ? "the default"
                                                          : "";
    choices.push_back({std::move(name), detail});
  }
  return choices;
}

/// Returns the models that turns of this server have used; agents are not asked for a list.
std::vector<Choice> model_choices(const Documents& documents) {
  std::vector<Choice> choices;
  std::set<std::string> seen;
  for (const Document* document : documents.all()) {
    const auto view = document->session().turn_view();
    if (view && !view->model.empty() && seen.insert(view->model).second)
      choices.push_back({view->model, view->agent});
  }
  return choices;
}

std::vector<Choice> choices_of(std::string_view key, const Documents& documents,
                               const session::AgentDirectory& agents) {
  std::vector<Choice> choices;
  const markdown::FrontMatterKey* help = markdown::find_front_matter_key(key);
  if (help == nullptr) return choices;
  switch (help->source) {
    case markdown::ValueSource::Agents:
      return agent_choices(agents);
    case markdown::ValueSource::Models:
      return model_choices(documents);
    case markdown::ValueSource::Fixed:
      for (const std::string_view value : help->values) choices.push_back({std::string(value), ""});
      break;
    case markdown::ValueSource::Anything:
      break;
  }
  return choices;
}

json::array keys(const markdown::FrontMatter& front_matter, const markdown::CompletionPlace& place,
                 const text::Range& range, std::string_view typed) {
  json::array items;
  for (const markdown::FrontMatterKey& help : markdown::front_matter_keys()) {
    if (front_matter.find(help.key) != nullptr && help.key != typed) continue;
    const std::string key(help.key);
    const std::string text = place.lacks_colon ? key + ": " : key;
    items.push_back(protocol::encode(
        protocol::CompletionItem{key, protocol::CompletionItemKind::Property, "agent-doc",
                                 std::string(help.text), range, text}));
  }
  return items;
}

json::array values(const std::vector<Choice>& choices, const markdown::CompletionPlace& place,
                   const text::Range& range) {
  json::array items;
  for (const Choice& choice : choices) {
    const std::string text = (place.lacks_space ? " " : "") + choice.value;
    items.push_back(protocol::encode(protocol::CompletionItem{
        choice.value, protocol::CompletionItemKind::Value, choice.detail, "", range, text}));
  }
  return items;
}

json::array complete(const Client& client, const Document& document, const Documents& documents,
                     const session::AgentDirectory& agents, text::Position position) {
  const std::string& text = document.session().engine().shadow().text();
  const markdown::FrontMatter front_matter = markdown::read_front_matter(text);
  const auto place =
      markdown::completion_place(text, front_matter, offset_of(client, document, position));
  if (!place) return {};
  const text::Range range = range_of(client, document, place->begin, place->end);
  if (place->key) return values(choices_of(*place->key, documents, agents), *place, range);
  return keys(front_matter, *place, range,
              std::string_view(text).substr(place->begin, place->end - place->begin));
}

}  // namespace

void bind_completion(protocol::Endpoint& endpoint, const Client& client, const Documents& documents,
                     const session::AgentDirectory& agents) {
  endpoint.on_request(
      "textDocument/completion", [&](const json::value& params, protocol::Replier reply) {
        const auto request = protocol::decode_text_document_position(params);
        const Document* document = documents.find(request.uri);
        if (document == nullptr || !session::is_session_document(document->session()))
          return reply.result(json::array());
        reply.result(complete(client, *document, documents, agents, request.position));
      });
}

}  // namespace agent_doc::lsp
