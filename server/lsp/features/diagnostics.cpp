#include "server/lsp/features/diagnostics.hpp"

#include "protocol/lsp.hpp"
#include "server/lsp/documents/documents.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/places.hpp"
#include "server/session/document_parts.hpp"
#include "server/session/document_problems.hpp"
#include "server/session/unseen_by_agent.hpp"
#include "server/text/shortened.hpp"

#include <utility>
#include <vector>

namespace agent_doc::lsp {

namespace {

protocol::DiagnosticSeverity severity_of(session::ProblemKind kind) {
  switch (kind) {
    case session::ProblemKind::UnknownAgent:
    case session::ProblemKind::AgentNotInstalled:
    case session::ProblemKind::SessionLost:
      return protocol::DiagnosticSeverity::Error;
    case session::ProblemKind::NotFromDocuments:
      return protocol::DiagnosticSeverity::Information;
    case session::ProblemKind::NotSeen:
      return protocol::DiagnosticSeverity::Hint;
    case session::ProblemKind::FrontMatter:
    case session::ProblemKind::Value:
    case session::ProblemKind::OpenBlock:
    case session::ProblemKind::PermissionWaiting:
      break;
  }
  return protocol::DiagnosticSeverity::Warning;
}

}  // namespace

Diagnostics::Diagnostics(Client& client, Environment& environment, Documents& documents)
    : client_(client), environment_(environment), documents_(documents) {
  documents_.on_change([this](const Document& document) { changed(document); });
  documents_.on_name_gone([this](const std::string& uri) { closed(uri); });
  documents_.on_turn_milestone([this](const Document& document) {
    if (document.is_shown()) look_again(document);
  });
}

void Diagnostics::look_again(const Document& document) {
  if (!shows_anything()) return;
  watched_[document.place().uri].is_urgent = true;
  look_at(document.place().uri, environment_.now());
}

void Diagnostics::changed(const Document& document) {
  if (!shows_anything()) return;
  if (!document.is_shown()) return closed(document.place().uri);
  Watched& watched = watched_[document.place().uri];
  const sync::Version version = document.session().engine().version();
  if (watched.looked && watched.version == version) return;
  watched.looked = true;
  watched.version = version;
  look_at(document.place().uri, environment_.now() + kDiagnosticsQuiet);
}

void Diagnostics::closed(const std::string& uri) {
  const auto found = watched_.find(uri);
  if (found == watched_.end()) return;
  if (!found->second.published.is_null()) {
    client_.endpoint->notify("textDocument/publishDiagnostics",
                             protocol::encode_publish_diagnostics(uri, {}));
  }
  watched_.erase(found);
}

/// A timer that is already set stays: when it fires, it checks whether it is too early.
void Diagnostics::look_at(const std::string& uri, session::TimePoint when) {
  Watched& watched = watched_[uri];
  const bool sooner = when < watched.due;
  watched.due = when;
  if (!watched.timer || sooner)
    watched.timer = environment_.schedule(when, [this, uri] { on_timer(uri); });
}

void Diagnostics::on_timer(const std::string& uri) {
  const auto found = watched_.find(uri);
  Document* document = documents_.find(uri);
  if (found == watched_.end() || document == nullptr) return;
  found->second.timer.reset();
  const bool is_urgent = std::exchange(found->second.is_urgent, false);
  const bool rests = environment_.now() >= found->second.due;
  if (!rests) look_at(uri, found->second.due);
  if (!rests && !is_urgent) return;
  const session::DocumentParts parts =
      session::parts_of(document->session().engine().shadow().text());
  look_for_unseen(*document, parts);
  const auto watched = watched_.find(uri);  // the look is a call into the session
  if (watched == watched_.end()) return;
  refresh_lenses(*document, watched->second);
  if (client_.can.publishDiagnostics) publish(*document, parts, watched->second);
}

void Diagnostics::look_for_unseen(Document& document, const session::DocumentParts& parts) {
  if (!session::is_session_document(document.session(), parts.front_matter)) return;
  document.with_session([&](session::Conversation& session) { session.look_for_unseen(parts); });
}

void Diagnostics::refresh_lenses(const Document& document, Watched& watched) {
  const std::size_t not_seen = document.session().unseen().count();
  if (std::exchange(watched.not_seen, not_seen) == not_seen || !client_.can.codeLensRefresh) return;
  client_.endpoint->request("workspace/codeLens/refresh", nullptr, [](const protocol::Result&) {});
}

void Diagnostics::publish(const Document& document, const session::DocumentParts& parts,
                          Watched& watched) {
  std::vector<protocol::Diagnostic> diagnostics;
  for (const session::DocumentProblem& problem :
       session::find_problems(document.session(), environment_.agents(), parts)) {
    diagnostics.push_back({range_of(client_, document, problem.begin, problem.end),
                           severity_of(problem.kind), std::string(session::name_of(problem.kind)),
                           text::shortened(problem.message, kMaxDiagnosticBytes)});
  }
  auto params = protocol::encode_publish_diagnostics(document.place().uri, diagnostics);
  const bool nothing_new =
      diagnostics.empty() ? watched.published.is_null() : watched.published == params;
  if (nothing_new) return;
  watched.published = diagnostics.empty() ? boost::json::value() : params;
  client_.endpoint->notify("textDocument/publishDiagnostics", params);
}

}  // namespace agent_doc::lsp
