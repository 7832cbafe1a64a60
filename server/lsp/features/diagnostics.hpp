// `textDocument/publishDiagnostics`: problems of the documents, questions to the user, and what an
// agent has not seen yet. Published once the text has been unchanged for a while, and at once when
// a turn reaches a new state; nothing is computed while a reply streams.
// session/document_problems.hpp defines the problems. What has not been seen is looked for here, at
// the same rest of the keyboard, for code lenses and code actions, too.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace agent_doc::session {

struct DocumentParts;

}  // namespace agent_doc::session

namespace agent_doc::lsp {

class Document;
class Documents;

/// How long the text must be unchanged.
inline constexpr std::chrono::milliseconds kDiagnosticsQuiet{300};
inline constexpr std::size_t kMaxDiagnosticBytes = 2000;

class Diagnostics {
 public:
  /// Starts listening to `documents`.
  Diagnostics(Client& client, Environment& environment, Documents& documents);

  /// Looks at a document again now: what its agent has seen has changed, and not its text.
  void look_again(const Document& document);

 private:
  struct Watched {
    sync::Version version = 0;
    bool looked = false;  ///< at any version
    session::TimePoint due;
    bool is_urgent =
        false;  ///< it is looked at at the next timer, though the text goes on changing
    PendingHandle timer;
    boost::json::value published;  ///< null: nothing was published
    std::size_t not_seen = 0;      ///< how many changes the client knows to be not seen yet
  };

  /// Returns true when the client shows what is looked for here.
  bool shows_anything() const {
    return client_.can.publishDiagnostics || client_.can.codeLensRefresh;
  }
  void changed(const Document& document);
  void closed(const std::string& uri);
  void look_at(const std::string& uri, session::TimePoint when);
  void on_timer(const std::string& uri);
  /// Looks for what the agent of `document` has not seen.
  void look_for_unseen(Document& document, const session::DocumentParts& parts);
  void refresh_lenses(const Document& document, Watched& watched);
  void publish(const Document& document, const session::DocumentParts& parts, Watched& watched);

  Client& client_;
  Environment& environment_;
  Documents& documents_;
  std::map<std::string, Watched> watched_;  ///< by the URI of the document's place
};

}  // namespace agent_doc::lsp
