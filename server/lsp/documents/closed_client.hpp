// What it is: the client of a document that nobody shows any more: it takes the edits of a turn
// that has ended into the document's file.
// What it is not: a file watcher; it lives for the few edits that are left of one turn.
// Thread rule: the server's thread only.
#pragma once

#include "server/lsp/documents/closed_file.hpp"
#include "server/lsp/environment.hpp"
#include "server/session/conversation.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace agent_doc::lsp {

/// While another program writes the file.
inline constexpr std::chrono::milliseconds kClosedFileRetry{100};
inline constexpr int kMaxClosedFileRetries = 50;

class ClosedClient {
 public:
  /// How it calls the session: as Document::with_session does.
  using Visit = std::function<void(const std::function<void(session::Conversation&)>&)>;
  /// An empty problem: all is written. It may destroy this object.
  using Done = std::function<void(const std::string& problem)>;

  ClosedClient(Environment& environment, const session::Conversation& session,
               std::unique_ptr<ClosedFile> file, Visit visit, Done done);

  /// Opens the document in the session.
  void start();
  /// Answers later.
  void send(const sync::OutgoingEdit& edit);
  /// After every call into the session: is there anything left to write?
  void look();

 private:
  void write();
  void save();
  void finish(const std::string& problem);

  Environment& environment_;
  const session::Conversation& session_;
  std::unique_ptr<ClosedFile> file_;
  Visit visit_;
  Done done_;
  sync::Version version_ = 1;
  text::Edit edit_;
  int retries_ = 0;
  PendingHandle next_;
};

}  // namespace agent_doc::lsp
