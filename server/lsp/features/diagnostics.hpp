// `textDocument/publishDiagnostics`: problems of the documents and questions to the user. Published
// once the text has been unchanged for a while, and at once when a turn reaches a new state;
// nothing is computed while a reply streams. session/document_problems.hpp defines the problems.
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

/// How long the text must be unchanged.
inline constexpr std::chrono::milliseconds kDiagnosticsQuiet{300};
inline constexpr std::size_t kMaxDiagnosticBytes = 2000;

class Diagnostics {
 public:
  /// Starts listening to `documents`.
  Diagnostics(Client& client, Environment& environment, Documents& documents);

 private:
  struct Watched {
    sync::Version version = 0;
    bool looked = false;  ///< at any version
    session::TimePoint due;
    PendingHandle timer;
    boost::json::value published;  ///< null: nothing was published
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
