#include "tests/fakes/editor_model.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace agent_doc::fakes {
namespace editor_model_internal {

namespace json = boost::json;

bool starts_code_point(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
}

std::size_t next_code_point(std::string_view text, std::size_t at) {
  do ++at;
  while (!starts_code_point(text, at));
  return at;
}

std::size_t units_between(std::string_view text, std::size_t begin, std::size_t end,
                          ColumnUnit unit) {
  std::size_t units = 0;
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = next_code_point(text, at);
    units += unit == ColumnUnit::Utf8 ? next - at : (next - at == 4 ? 2 : 1);
    at = next;
  }
  return units;
}

std::size_t line_end(std::string_view text, std::size_t from) {
  return std::min(text.size(), text.find_first_of("\r\n", from));
}

/// Where the line after the one that holds `from` begins, if there is one.
std::optional<std::size_t> next_line(std::string_view text, std::size_t from) {
  const std::size_t end = line_end(text, from);
  if (end == text.size()) return std::nullopt;
  return text.substr(end, 2) == "\r\n" ? end + 2 : end + 1;
}

/// Where a caret goes when the bytes [begin, end) are replaced by `size` bytes.
std::size_t pushed(std::size_t caret, std::size_t begin, std::size_t end, std::size_t size) {
  if (caret < begin || (caret == begin && end > begin)) return caret;
  if (caret < end) return begin + size;
  return caret - (end - begin) + size;
}

bool is_place(std::string_view text, std::size_t at) {
  const bool inside_line_end =
      at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n';
  return at <= text.size() && starts_code_point(text, at) && !inside_line_end;
}

void require_places(std::string_view text, std::size_t begin, std::size_t end) {
  if (begin <= end && is_place(text, begin) && is_place(text, end)) return;
  throw std::out_of_range("no person can edit bytes " + std::to_string(begin) + " to " +
                          std::to_string(end) + " of this text of " + std::to_string(text.size()) +
                          " bytes");
}

}  // namespace editor_model_internal

// --- EditorModel ---

EditorModel::EditorModel(protocol::Endpoint& endpoint, std::string uri, std::string text,
                         std::int64_t version, ColumnUnit unit)
    : endpoint_(endpoint),
      uri_(std::move(uri)),
      text_(std::move(text)),
      version_(version),
      unit_(unit) {
  boost::json::object document{
      {"uri", uri_}, {"languageId", "markdown"}, {"version", version_}, {"text", text_}};
  endpoint_.notify("textDocument/didOpen",
                   boost::json::object{{"textDocument", std::move(document)}});
}

void EditorModel::replace(std::size_t begin, std::size_t end, std::string_view text) {
  editor_model_internal::require_places(text_, begin, end);
  send_did_change(boost::json::array{change(begin, end, text)});
}

void EditorModel::replace_all(std::string text) {
  change(0, text_.size(), text);
  send_did_change(boost::json::array{boost::json::object{{"text", text_}}});
}

void EditorModel::save() {
  endpoint_.notify("textDocument/didSave",
                   boost::json::object{{"textDocument", boost::json::object{{"uri", uri_}}}});
}

void EditorModel::close() {
  endpoint_.notify("textDocument/didClose",
                   boost::json::object{{"textDocument", boost::json::object{{"uri", uri_}}}});
}

Caret EditorModel::add_caret(std::size_t offset) {
  editor_model_internal::require_places(text_, offset, offset);
  carets_.push_back(offset);
  return static_cast<Caret>(carets_.size() - 1);
}

void EditorModel::backspace(Caret caret) {
  const std::size_t end = offset_of(caret);
  if (end == 0) return;
  std::size_t begin = end - 1;
  while (!editor_model_internal::is_place(text_, begin)) --begin;
  erase(begin, end);
}

boost::json::value EditorModel::apply_edit(const protocol::Fields& text_document_edit,
                                           const std::function<void(std::string)>& violation) {
  if (before_check) before_check();
  const auto version = text_document_edit.object("textDocument").optional_integer("version");
  if (!version) violation("an edit without a version");
  if (version && *version > version_)
    violation("an edit for version " + std::to_string(*version) + ", which does not exist yet");
  if (version != version_) return refuse();

  const auto edits = place(text_document_edit.objects("edits"), violation);
  if (!edits) return refuse();
  boost::json::array changes;
  for (const PlacedEdit& edit : *edits) changes.push_back(change(edit.begin, edit.end, edit.text));
  send_did_change(std::move(changes));
  ++applied_;
  if (before_answer) before_answer();
  return boost::json::object{{"applied", true}};
}

boost::json::value EditorModel::refuse() {
  ++refused_;
  if (before_answer) before_answer();
  return boost::json::object{{"applied", false}};
}

std::optional<std::vector<EditorModel::PlacedEdit>> EditorModel::place(
    const std::vector<protocol::Fields>& edits,
    const std::function<void(std::string)>& violation) const {
  std::vector<PlacedEdit> placed;
  for (const protocol::Fields& edit : edits) {
    const protocol::Fields range = edit.object("range");
    const auto begin = offset_at(range.object("start"));
    const auto end = offset_at(range.object("end"));
    if (!begin || !end || *begin > *end) {
      violation(range.path() + ": no such place in the document");
      return std::nullopt;
    }
    placed.push_back({*begin, *end, edit.string("newText")});
    if (text_.compare(*begin, *end - *begin, placed.back().text) == 0) {
      violation(edit.path() + ": changes nothing");
      return std::nullopt;
    }
  }
  // From the last to the first, so that each is at its place although the ones after it were
  // applied; equal places keep their order in the text.
  std::reverse(placed.begin(), placed.end());
  std::stable_sort(placed.begin(), placed.end(),
                   [](const PlacedEdit& a, const PlacedEdit& b) { return a.begin > b.begin; });
  for (std::size_t i = 1; i < placed.size(); ++i) {
    if (placed[i].end <= placed[i - 1].begin) continue;
    violation("two edits overlap");
    return std::nullopt;
  }
  if (placed.empty()) {
    violation("an edit of nothing");
    return std::nullopt;
  }
  return placed;
}

boost::json::object EditorModel::change(std::size_t begin, std::size_t end, std::string_view text) {
  boost::json::object range{{"start", position_at(begin)}, {"end", position_at(end)}};
  text_.replace(begin, end - begin, text);
  for (std::size_t& caret : carets_)
    caret = editor_model_internal::pushed(caret, begin, end, text.size());
  return boost::json::object{{"range", std::move(range)}, {"text", text}};
}

void EditorModel::send_did_change(boost::json::array changes) {
  ++version_;
  boost::json::object params{
      {"textDocument", boost::json::object{{"uri", uri_}, {"version", version_}}}};
  params["contentChanges"] = std::move(changes);
  endpoint_.notify("textDocument/didChange", params);
}

std::optional<std::size_t> EditorModel::offset_at(const protocol::Fields& position) const {
  namespace internal = editor_model_internal;
  const auto line = static_cast<std::size_t>(position.integer("line", protocol::kUnsignedRange));
  const auto column =
      static_cast<std::size_t>(position.integer("character", protocol::kUnsignedRange));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line; ++i) {
    const auto next = internal::next_line(text_, begin);
    if (!next) return std::nullopt;
    begin = *next;
  }
  const std::size_t end = internal::line_end(text_, begin);
  std::size_t units = 0;
  std::size_t at = begin;
  while (units < column && at < end) {
    const std::size_t next = internal::next_code_point(text_, at);
    units += internal::units_between(text_, at, next, unit_);
    at = next;
  }
  if (units != column) return std::nullopt;
  return at;
}

boost::json::object EditorModel::position_at(std::size_t offset) const {
  namespace internal = editor_model_internal;
  std::size_t line = 0;
  std::size_t begin = 0;
  for (auto next = internal::next_line(text_, begin); next && *next <= offset;
       next = internal::next_line(text_, begin)) {
    begin = *next;
    ++line;
  }
  return boost::json::object{{"line", line},
                             {"character", internal::units_between(text_, begin, offset, unit_)}};
}

// --- Editor ---

Editor::Editor(protocol::Endpoint& endpoint, ColumnUnit unit) : endpoint_(endpoint), unit_(unit) {
  endpoint_.on_request("workspace/applyEdit",
                       [this](const boost::json::value& params, protocol::Replier reply) {
                         reply.result(apply_edit(params));
                       });
}

EditorModel& Editor::open(std::string uri, std::string text, std::int64_t version) {
  const std::string key = uri;
  return *documents_
              .insert_or_assign(key, std::make_unique<EditorModel>(endpoint_, std::move(uri),
                                                                   std::move(text), version, unit_))
              .first->second;
}

void Editor::close(const std::string& uri) {
  document(uri).close();
  documents_.erase(uri);
}

boost::json::value Editor::apply_edit(const boost::json::value& params) {
  const auto violation = [this](std::string what) { violations_.push_back(std::move(what)); };
  const auto refuse = [&](std::string what) {
    violation(std::move(what));
    return boost::json::object{{"applied", false}};
  };
  try {
    const protocol::Fields request(params, "params");
    if (request.has("label")) violation("an edit with a label");
    const protocol::Fields edit = request.object("edit");
    if (edit.has("changes")) return refuse("an edit without versions (edit.changes)");
    const auto documents = edit.objects("documentChanges");
    if (documents.size() != 1)
      return refuse("an edit of " + std::to_string(documents.size()) + " documents");
    const auto found = documents[0].has("textDocument")
                           ? documents_.find(documents[0].object("textDocument").string("uri"))
                           : documents_.end();
    if (found == documents_.end()) return refuse("an edit of a document that is not open");
    return found->second->apply_edit(documents[0], violation);
  } catch (const protocol::InvalidField& problem) {
    violation(problem.message());
    throw;
  }
}

}  // namespace agent_doc::fakes
