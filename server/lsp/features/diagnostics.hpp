// What it is: `textDocument/publishDiagnostics`: what is wrong with the documents, or waits for the
// person, some time after the text came to rest, and at once when a turn comes to a new state.
// What it is not: what counts as a problem (session/document_problems.hpp). While a reply streams
// nothing is looked at: every edit puts it off.
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/environment.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <map>
#include <string>

namespace agent_doc::lsp {

class Document;
class Documents;

/// Without a change of the text.
inline constexpr std::chrono::milliseconds kDiagnosticsQuiet{300};
inline constexpr std::size_t kMaxDiagnosticBytes = 2000;

class Diagnostics {
 public:
  /// Listens to `documents` from now on.
  Diagnostics(Client& client, Environment& environment, Documents& documents);

 private:
  struct Watched {
    sync::Version version = 0;
    bool looked = false;  ///< at any version
    session::TimePoint due;
    PendingHandle timer;
    boost::json::value published;  ///< null: nothing
  };

  void changed(const Document& document);
  void closed(const std::string& uri);
  void look_at(const std::string& uri, session::TimePoint when);
  void on_timer(const std::string& uri);
  void publish(const Document& document, Watched& watched);

  Client& client_;
  Environment& environment_;
  Documents& documents_;
  std::map<std::string, Watched> watched_;  ///< by the URI of the document's place
};

}  // namespace agent_doc::lsp
