// The client of a document that no editor shows any more: it writes the last edits of a finished
// turn into the document's file. It does not watch the file.
#pragma once

#include "server/lsp/documents/closed_file.hpp"
#include "server/lsp/environment.hpp"
#include "server/session/conversation.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace agent_doc::lsp {

/// Interval and number of retries while another program writes the file.
inline constexpr std::chrono::milliseconds kClosedFileRetry{100};
inline constexpr int kMaxClosedFileRetries = 50;

class ClosedClient {
 public:
  /// Calls the function with the session, as Document::with_session does.
  using Visit = std::function<void(const std::function<void(session::Conversation&)>&)>;
  /// Called when everything is written (`problem` is empty) or cannot be. May destroy this object.
  using Done = std::function<void(const std::string& problem)>;

  ClosedClient(Environment& environment, const session::Conversation& session,
               std::unique_ptr<ClosedFile> file, Visit visit, Done done);

  /// Opens the document in the session.
  void start();
  /// Takes an edit; the answer comes later.
  void send(const sync::OutgoingEdit& edit);
  /// Must be called after every call into the session: finishes when nothing is left to write.
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
