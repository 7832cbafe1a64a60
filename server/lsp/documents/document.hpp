// One document of the client: its session, and the client's side of everything that the session
// asks for. Decisions are the session's; documents.hpp has the set of documents.
#pragma once

#include "server/lsp/client.hpp"
#include "server/lsp/documents/agent_files.hpp"
#include "server/lsp/documents/apply_edit.hpp"
#include "server/lsp/documents/change_order.hpp"
#include "server/lsp/documents/closed_client.hpp"
#include "server/lsp/documents/document_place.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/turns/permissions.hpp"
#include "server/lsp/turns/turn_updates.hpp"
#include "server/lsp/workspace.hpp"
#include "server/session/conversation.hpp"

#include <cassert>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_doc::lsp {

class Document;

/// Callbacks of a document. They must not change a session or destroy a document.
struct DocumentListener {
  /// After every call into the session, whose state may have changed.
  std::function<void(const Document&)> changed;
  /// The turn began, ended, asks or was answered. Called from inside the session.
  std::function<void(const Document&)> turn_milestone;
  /// The document no longer has this URI.
  std::function<void(const std::string&)> name_gone;
};

class Document final : public session::DocumentClient {
 public:
  Document(Client& client, Environment& environment, Messages& messages, const Workspace& workspace,
           AgentFiles& files, DocumentPlace place, DocumentListener listener);

  const DocumentPlace& place() const { return place_; }
  const session::Conversation& session() const { return session_; }
  /// Returns true while the client has the document open.
  bool is_shown() const { return shown_; }

  /// Gives the document another name. The client may keep using the old one until it opens or
  /// closes the document.
  void moved(DocumentPlace place);
  void did_open(sync::Version version, std::string text);
  ChangeOrder& change_order() { return change_order_; }
  void did_close();

  /// Returns true while a turn may still have something to write.
  bool has_unfinished_reply() const;

  /// Returns true when a turn ended after the document was closed and the end of its reply is not
  /// in the text.
  bool has_unsaved_reply() const;
  /// Writes the end of the reply into the file.
  void write_to_file();
  /// Does not write to the file and reports why: the client has it open as `other`.
  void yield_file_to(const Document& other);
  /// Returns true while write_to_file() is in progress.
  bool is_writing_to_file() const { return closed_client_ != nullptr; }

  /// Calls `call` with the session, then updates the timer to the session's wishes. Every call into
  /// the session goes through here.
  template <class Call>
  auto with_session(Call call) {
    const Visit visit(*this);
    return call(session_);
  }

  // --- DocumentClient ---
  void send_edit(const sync::OutgoingEdit& edit) override;
  void turn_changed(const session::TurnView& view) override;
  void reply_changed(const std::string& turn, std::size_t offset, std::string_view text) override;
  void ask_permission(const std::string& turn, const turn::Permission& permission) override;
  void withdraw_permission(const std::string& turn, const std::string& permission) override;
  plugins::FileAnswer read_file(const plugins::FileRead& request,
                                const std::string& folder) override;
  plugins::FileAnswer write_file(const plugins::FileWrite& request,
                                 const std::string& folder) override;
  session::WorkFolder work_folder() override;
  void show_message(session::MessageKind kind, std::string_view message) override;
  void log(std::string_view line) override;
  void wakeup_changed() override;

 private:
  class Visit {
   public:
    explicit Visit(Document& document) : document_(document) {
      assert(!document_.visited_);
      document_.visited_ = true;
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
      document_.visited_ = false;
      document_.after_visit();
    }

   private:
    Document& document_;
  };

  void take_new_uri();
  void after_visit();
  /// Stops using the file as the document's client.
  void leave_file();
  void report_unwritten(const std::string& problem);
  void set_alarm();
  void on_alarm();

  Environment& environment_;
  Messages& messages_;
  const Workspace& workspace_;
  AgentFiles& files_;
  DocumentPlace place_;
  std::string new_uri_;  ///< after a rename, until the client uses it
  DocumentListener listener_;
  ChangeOrder change_order_;
  ApplyEdit apply_edit_;
  TurnUpdates updates_;
  Permissions permissions_;
  bool shown_ = false;
  bool closed_in_turn_ = false;
  bool visited_ = false;
  PendingHandle alarm_;
  session::TimePoint alarm_at_;
  session::Conversation session_;  ///< declared after everything that its destructor may use
  std::unique_ptr<ClosedClient> closed_client_;
};

}  // namespace agent_doc::lsp
