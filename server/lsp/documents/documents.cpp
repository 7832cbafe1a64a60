#include "server/lsp/documents/documents.hpp"
#include "protocol/fields.hpp"
#include "server/lsp/uri.hpp"
#include "server/session/document_problems.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::lsp {

namespace {

std::vector<sync::ContentChange> content_changes(
    std::vector<protocol::TextDocumentContentChangeEvent> events) {
  std::vector<sync::ContentChange> changes;
  changes.reserve(events.size());
  for (auto& event : events) {
    if (event.range) {
      changes.emplace_back(sync::ReplaceRange{*event.range, std::move(event.text)});
    } else {
      changes.emplace_back(sync::ReplaceAll{std::move(event.text)});
    }
  }
  return changes;
}

/// Returns true when the document is closed, its agent has ended, and everything that the turn
/// wrote has its place, so that it can be dropped.
bool can_be_dropped(const Document& document) {
  if (document.is_shown() || document.session().turn_running() || document.is_writing_to_file())
    return false;
  return document.session().agent_gone() && !document.session().engine().wants_to_write() &&
         !document.session().can_continue_reply();
}

}  // namespace

Documents::Documents(Client& client, Environment& environment, Messages& messages,
                     const Workspace& workspace)
    : client_(client),
      environment_(environment),
      messages_(messages),
      workspace_(workspace),
      agent_files_(environment, messages, [this] {
        std::vector<Document*> all;
        for (const auto& [key, document] : documents_) all.push_back(document.get());
        return all;
      }) {}

void Documents::bind(protocol::Endpoint& endpoint) {
  endpoint.on_notification("textDocument/didOpen", [this](const boost::json::value& params) {
    open(protocol::decode_did_open(params));
  });
  endpoint.on_notification("textDocument/didChange",
                           [this](const boost::json::value& params) { change(params); });
  endpoint.on_notification("textDocument/didSave", [this](const boost::json::value& params) {
    Document* document = find(protocol::decode_text_document_uri(params));
    if (document != nullptr && document->is_shown())
      document->with_session([](session::Conversation& session) { session.did_save(); });
  });
  endpoint.on_notification("workspace/didRenameFiles", [this](const boost::json::value& params) {
    for (const protocol::FileRename& file : protocol::decode_did_rename_files(params)) rename(file);
  });
  endpoint.on_notification("textDocument/didClose", [this](const boost::json::value& params) {
    close(protocol::decode_text_document_uri(params));
  });
}

std::string Documents::key_of(std::string_view uri) const {
  std::string key = document_key(uri);
  const auto renamed = renamed_.find(key);
  return renamed == renamed_.end() || documents_.contains(key) ? key : renamed->second;
}

const Document* Documents::find(std::string_view uri) const {
  const auto found = documents_.find(key_of(uri));
  return found == documents_.end() ? nullptr : found->second.get();
}

Document* Documents::find(std::string_view uri) {
  const auto found = documents_.find(key_of(uri));
  return found == documents_.end() ? nullptr : found->second.get();
}

Document* Documents::find_file(std::string_view uri) {
  if (Document* document = find(uri)) return document;
  const auto path = path_of(uri);
  if (!path) return nullptr;
  const std::string file = environment_.real_path(*path);
  Document* found = nullptr;
  for (const auto& [key, document] : documents_) {
    if (!document->place().has_file || document->place().file != file) continue;
    const bool is_better = found == nullptr || document->session().turn_running() ||
                           (document->is_shown() && !found->session().turn_running());
    if (is_better) found = document.get();
  }
  return found;
}

const Document* Documents::twin_of(const Document& document, Twin what) const {
  if (!document.place().has_file) return nullptr;
  const auto found = std::find_if(documents_.begin(), documents_.end(), [&](const auto& entry) {
    const Document& other = *entry.second;
    const bool is_twin = &other != &document && other.place().has_file &&
                         other.place().file == document.place().file;
    return is_twin && (what == Twin::IsShown ? other.is_shown() : other.session().turn_running());
  });
  return found == documents_.end() ? nullptr : found->second.get();
}

Document* Documents::find_turn(std::string_view turn) {
  for (const auto& [key, document] : documents_) {
    const auto view = document->session().turn_view();
    if (view && view->turn == turn) return document.get();
  }
  return nullptr;
}

std::vector<const Document*> Documents::all() const {
  std::vector<const Document*> result;
  for (const auto& [key, document] : documents_) result.push_back(document.get());
  return result;
}

void Documents::open(const protocol::DidOpenTextDocumentParams& params) {
  const std::string key = document_key(params.uri);
  std::erase_if(renamed_,
                [&](const auto& entry) { return entry.first == key || entry.second == key; });
  // A document whose language was changed during a turn is still the one that the turn writes into.
  if (ending_ || (!is_markdown(params.uri, params.languageId) && !documents_.contains(key))) return;
  if (Document* same =
          documents_.contains(key) ? nullptr : find_closed_match(params.uri, params.text))
    move(*same, params.uri);
  auto& document = documents_[key];
  if (document && document->place().uri != params.uri)
    document->moved(place_of(params.uri));  // a different spelling
  if (!document) {
    if (documents_.size() > kMaxDocuments) {
      documents_.erase(key);
      return messages_.show(session::MessageKind::Error,
                            "agent-doc has " + std::to_string(kMaxDocuments) +
                                " documents open, which is its limit: " + params.uri +
                                " is left alone. Close some documents and open it again.");
    }
    DocumentListener listener{[this](const Document& one) { on_changed(one); },
                              [this](const Document& one) {
                                for (const Heard& heard : on_turn_milestone_) heard(one);
                              },
                              [this](const std::string& uri) {
                                for (const auto& heard : on_name_gone_) heard(uri);
                              }};
    document = std::make_unique<Document>(client_, environment_, messages_, workspace_,
                                          agent_files_, place_of(params.uri), std::move(listener));
  }
  document->did_open(params.version, params.text);
  if (client_.can.applyEdit || warned_of_no_edits_ ||
      !session::is_session_document(document->session()))
    return;
  warned_of_no_edits_ = true;
  messages_.show(session::MessageKind::Warning, missing_apply_edit_message(client_));
}

void Documents::change(const boost::json::value& params) {
  const std::string uri = protocol::decode_text_document_uri(params);
  Document* document = find(uri);
  if (document == nullptr || !document->is_shown()) {
    return environment_.log(LogLevel::Debug,
                            "didChange for a document that is not open here: " + uri);
  }
  try {
    for (auto& change : document->change_order().take(protocol::decode_did_change(params))) {
      auto changes = content_changes(std::move(change.contentChanges));
      document->with_session(
          [&](session::Conversation& session) { session.did_change(change.version, changes); });
    }
  } catch (const protocol::InvalidField&) {
    // A change that cannot be decoded is a missed change; a version that goes back tells the engine
    // so.
    document->with_session([](session::Conversation& session) {
      session.did_change(session.engine().version() - 1, {});
    });
    throw;
  }
}

void Documents::close(const std::string& uri) {
  Document* document = find(uri);
  std::erase_if(renamed_, [&](const auto& entry) { return entry.first == document_key(uri); });
  if (document == nullptr || !document->is_shown()) return;
  document->did_close();
  if (const Document* same = find_open_match(*document)) take_over(*document, *same);
}

DocumentPlace Documents::place_of(const std::string& uri) const {
  DocumentPlace place;
  place.uri = uri;
  if (auto path = path_of(uri)) {
    place.workspace = workspace_.folder_for(*path);
    place.path = std::move(*path);
    place.file = environment_.real_path(place.path);
    place.has_file = true;
  } else {
    place.workspace = workspace_.first_folder().value_or("");
    place.path = (place.workspace.empty() ? "" : place.workspace + "/") + name_of_document(uri);
  }
  return place;
}

void Documents::on_changed(const Document& document) {
  for (const Heard& heard : on_change_) heard(document);
  if (can_be_dropped(document) || document.has_unsaved_reply() || ending_) sweep_soon();
}

void Documents::sweep_soon() {
  if (!sweep_) sweep_ = environment_.schedule(environment_.now(), [this] { sweep(); });
}

void Documents::sweep() {
  sweep_.reset();
  for (const auto& [key, document] : documents_) {
    if (ending_ || !document->has_unsaved_reply()) continue;
    if (const Document* twin = twin_of(*document, Twin::IsShown)) {
      document->yield_file_to(*twin);
    } else {
      document->write_to_file();
    }
  }
  std::erase_if(documents_, [](const auto& entry) { return can_be_dropped(*entry.second); });
  if (!agents_gone_) return;
  const bool all_gone = std::all_of(documents_.begin(), documents_.end(), [](const auto& entry) {
    return entry.second->session().agent_gone();
  });
  if (all_gone) std::exchange(agents_gone_, nullptr)();
}

void Documents::shut_down(std::function<void()> agents_gone) {
  ending_ = true;
  agents_gone_ = std::move(agents_gone);
  for (const auto& [key, document] : documents_)
    document->with_session([](session::Conversation& session) { session.shut_down(); });
  sweep_soon();
}

void Documents::clear() {
  documents_.clear();
}

}  // namespace agent_doc::lsp
