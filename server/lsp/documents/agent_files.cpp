#include "server/lsp/documents/agent_files.hpp"

#include "server/lsp/documents/document.hpp"
#include "server/lsp/uri.hpp"
#include "server/turn/sanitiser.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_doc::lsp {

namespace {

/// Longer paths are cut in messages.
constexpr std::size_t kMaxPathShown = 500;

plugins::FileAnswer refused(std::string why) {
  return {false, std::move(why)};
}

std::string shown(const std::string& path) {
  return turn::one_line(path, kMaxPathShown);
}

plugins::FileAnswer could_not(std::string_view what, const std::string& path,
                              const boost::system::error_code& error) {
  plugins::FileAnswer answer =
      refused(shown(path) + " could not be " + std::string(what) + ": " + error.message());
  answer.not_found = error == boost::system::errc::no_such_file_or_directory;
  return answer;
}

}  // namespace

AgentFiles::AgentFiles(Environment& environment, Messages& messages,
                       std::function<std::vector<Document*>()> documents)
    : environment_(environment), messages_(messages), documents_(std::move(documents)) {}

plugins::FileAnswer AgentFiles::read(const Document& asker, const plugins::FileRead& request,
                                     const std::string& folder) {
  const FilePlace place = environment_.file_inside(folder, request.path);
  const std::string& path = place.path;
  if (path.empty()) return refused(place.problem);
  if (const Document* document = open_document_at(asker, path, folder)) {
    const std::string& text = document->session().engine().shadow().text();
    remember(asker, path, text);
    return {true, std::string(some_lines(text, request.line, request.limit))};
  }
  const auto text = environment_.read_text_file(path);
  if (!text) return could_not("read", path, text.error());
  return {true, std::string(some_lines(*text, request.line, request.limit))};
}

plugins::FileAnswer AgentFiles::write(const Document& asker, const plugins::FileWrite& request,
                                      const std::string& folder) {
  const FilePlace place = environment_.file_inside(folder, request.path);
  const std::string& path = place.path;
  if (path.empty()) return refused(place.problem);
  if (Document* document = open_document_at(asker, path, folder))
    return write_open(asker, *document, path, request.text);
  if (const auto error = environment_.replace_file(path, request.text))
    return could_not("written", path, error);
  return {true, {}};
}

plugins::FileAnswer AgentFiles::write_open(const Document& asker, Document& document,
                                           const std::string& path, const std::string& text) {
  const bool is_own_file = asker.place().has_file && document.place().file == asker.place().file;
  if (&document == &asker || is_own_file) {
    return refused(shown(path) +
                   " is the document in which you answer: your reply is put into it as it comes. "
                   "Say in it what should be changed.");
  }
  const std::string* base = read_before(asker, path);
  std::string known = base != nullptr ? *base : document.session().engine().shadow().text();
  const auto outcome = document.with_session(
      [&](session::Conversation& session) { return session.write_text(std::move(known), text); });
  if (const auto* refusal = std::get_if<session::Refusal>(&outcome))
    return refused(refusal->message);
  remember(asker, path, text);
  messages_.show(session::MessageKind::Info,
                 "The agent of " + name_of_document(asker.place().uri) + " changed " +
                     name_of_document(document.place().uri) +
                     ", which is open: the change is there, and not saved yet.");
  return {true, {}};
}

Document* AgentFiles::open_document_at(const Document& asker, const std::string& path,
                                       const std::string& folder) const {
  Document* found = nullptr;
  for (Document* document : documents_()) {
    if (!document->is_shown() || !document->place().has_file ||
        !document->session().engine().is_open())
      continue;
    // The client may have opened it under another name, through a link.
    const bool is_there = document->place().path == path ||
                          environment_.file_inside(folder, document->place().path).path == path;
    if (!is_there) continue;
    if (document == &asker) return document;
    if (found == nullptr || document->session().turn_running()) found = document;
  }
  return found;
}

void AgentFiles::remember(const Document& asker, const std::string& path, std::string text) {
  std::erase_if(reads_, [&](const Read& read) {
    return read.asker == asker.place().uri && read.path == path;
  });
  if (reads_.size() >= kMaxRememberedReads) reads_.pop_front();
  reads_.push_back({asker.place().uri, path, std::move(text)});
}

const std::string* AgentFiles::read_before(const Document& asker, const std::string& path) const {
  const auto found = std::find_if(reads_.begin(), reads_.end(), [&](const Read& read) {
    return read.asker == asker.place().uri && read.path == path;
  });
  return found == reads_.end() ? nullptr : &found->text;
}

std::string_view some_lines(std::string_view text, std::optional<std::uint32_t> line,
                            std::optional<std::uint32_t> limit) {
  for (std::uint32_t before = line.value_or(1); before > 1; --before) {
    const std::size_t newline = text.find('\n');
    if (newline == std::string_view::npos) return {};
    text.remove_prefix(newline + 1);
  }
  if (!limit) return text;
  std::size_t end = 0;
  for (std::uint32_t taken = 0; taken < *limit && end < text.size(); ++taken) {
    const std::size_t newline = text.find('\n', end);
    end = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return text.substr(0, end);
}

}  // namespace agent_doc::lsp
