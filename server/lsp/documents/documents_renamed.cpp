// The part of Documents that follows a document to another name, either reported by the client or
// recognised by its `agent_doc_session`.

#include "server/lsp/documents/documents.hpp"
#include "server/lsp/uri.hpp"
#include "server/markdown/front_matter.hpp"

#include <algorithm>
#include <utility>

namespace agent_doc::lsp {

namespace {

std::string id_in(std::string_view text) {
  return markdown::read_front_matter(text).value_of("agent_doc_session");
}

std::string id_of(const Document& document) {
  return id_in(document.session().engine().shadow().text());
}

/// Returns true for two names of the same file.
bool is_same_file(const DocumentPlace& one, const DocumentPlace& other) {
  return one.has_file && other.has_file && one.file == other.file;
}

bool is_gone(const Environment& environment, const DocumentPlace& place) {
  if (!place.has_file) return false;
  const auto text = environment.read_text_file(place.path);
  return !text && text.error() == boost::system::errc::no_such_file_or_directory;
}

}  // namespace

/// Renames a file, or a folder with everything in it.
void Documents::rename(const protocol::FileRename& file) {
  const std::string old_key = document_key(file.oldUri);
  std::vector<std::pair<std::string, std::string>> renames;
  for (const auto& [key, document] : documents_) {
    const bool is_inside =
        key.size() > old_key.size() && key.starts_with(old_key) && key[old_key.size()] == '/';
    if (key != old_key && !is_inside) continue;
    const auto old_path = path_of(file.oldUri);
    const auto new_path = path_of(file.newUri);
    if (key == old_key) renames.emplace_back(key, file.newUri);
    if (!is_inside || !old_path || !new_path || !document->place().has_file) continue;
    renames.emplace_back(key, uri_of(*new_path + document->place().path.substr(old_path->size())));
  }
  for (const auto& [key, uri] : renames) rename_one(key, uri);
}

void Documents::rename_one(const std::string& old_key, const std::string& new_uri) {
  const std::string new_key = document_key(new_uri);
  const auto old = documents_.find(old_key);
  if (old == documents_.end() || new_key == old_key) return;
  Document& document = *old->second;
  const auto there = documents_.find(new_key);
  if (there == documents_.end()) {
    const bool is_shown = document.is_shown();
    move(document, new_uri);
    for (auto& [name, key] : renamed_) {
      if (key == old_key) key = new_key;
    }
    if (is_shown && renamed_.size() < kMaxDocuments) renamed_[old_key] = new_key;
  } else if (there->second->is_shown() && !there->second->session().has_turn()) {
    take_over(document, *there->second);
  } else {
    environment_.log(LogLevel::Warning, new_uri + " has a turn of its own: what runs in " +
                                            document.place().uri + " stays there");
  }
}

Document* Documents::find_closed_match(std::string_view uri, std::string_view text) {
  const DocumentPlace place = place_of(std::string(uri));
  const auto found = std::find_if(documents_.begin(), documents_.end(), [&](const auto& entry) {
    const Document& closed = *entry.second;
    if (closed.is_shown() || !closed.has_unfinished_reply()) return false;
    return is_same_file(closed.place(), place) || is_same(closed, text);
  });
  return found == documents_.end() ? nullptr : found->second.get();
}

Document* Documents::find_open_match(const Document& closed) {
  if (!closed.has_unfinished_reply()) return nullptr;
  const auto found = std::find_if(documents_.begin(), documents_.end(), [&](const auto& entry) {
    const Document& other = *entry.second;
    if (!other.is_shown() || other.session().has_turn()) return false;
    return is_same_file(closed.place(), other.place()) ||
           is_same(closed, other.session().engine().shadow().text());
  });
  return found == documents_.end() ? nullptr : found->second.get();
}

/// Returns false for a copy made earlier: it has the same id, but the original file still exists
/// and the reply is not in the copy.
bool Documents::is_same(const Document& closed, std::string_view text) const {
  const std::string id = id_in(text);
  if (id.empty() || id != id_of(closed)) return false;
  return is_gone(environment_, closed.place()) || closed.session().stands_in(text);
}

void Documents::move(Document& document, const std::string& uri) {
  const auto old = std::find_if(documents_.begin(), documents_.end(),
                                [&](const auto& entry) { return entry.second.get() == &document; });
  std::unique_ptr<Document> moving = std::move(old->second);
  documents_.erase(old);
  documents_[document_key(uri)] = std::move(moving);
  document.moved(place_of(uri));
}

void Documents::take_over(Document& document, const Document& shown) {
  const std::string uri = shown.place().uri;
  const sync::Version version = shown.session().engine().version();
  std::string text = shown.session().engine().shadow().text();
  move(document, uri);
  document.did_open(version, std::move(text));
}

}  // namespace agent_doc::lsp
