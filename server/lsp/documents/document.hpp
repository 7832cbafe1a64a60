// What it is: one document of the client: its session, and the client's side of everything that the
// session wants done.
// What it is not: policy; the session decides, and which documents there are is documents.hpp.
// Thread rule: the server's thread only.
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

/// What is told about a document. No call may change a session or destroy a document.
struct DocumentListener {
  std::function<void(const Document&)>
      changed;  ///< the session may be in another state; after every call into it
  std::function<void(const Document&)>
      turn_milestone;  ///< its turn began, ended, asks, or is answered; from inside the session
  std::function<void(const std::string&)> name_gone;  ///< it has another URI than this one now
};

class Document final : public session::DocumentClient {
 public:
  Document(Client& client, Environment& environment, Messages& messages, const Workspace& workspace,
           AgentFiles& files, DocumentPlace place, DocumentListener listener);

  const DocumentPlace& place() const { return place_; }
  const session::Conversation& session() const { return session_; }
  /// True while the client has it open.
  bool is_shown() const { return shown_; }

  /// The document has another name. The client may go on to call it by the old one until it opens
  /// or closes it.
  void moved(DocumentPlace place);
  void did_open(sync::Version version, std::string text);
  ChangeOrder& change_order() { return change_order_; }
  void did_close();

  /// True while something may still be written for a turn.
  bool has_unfinished_reply() const;

  /// True when a turn ended after the document was closed, and the end of its reply is not in the
  /// text.
  bool owes_its_file() const;
  /// Brings the end of the reply into the file.
  void write_to_file();
  /// Does not, and says so: the client has the file open as `other`.
  void leave_file_to(const Document& other);
  /// True while write_to_file() is at it.
  bool is_writing_to_file() const { return closed_client_ != nullptr; }

  /// The one way into the session. Afterwards the session's clock is looked at.
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
  /// The file is not the document's client any more.
  void leave_file();
  void tell_unwritten(const std::string& problem);
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
  session::Conversation session_;  ///< behind all that it may still use while it is destroyed
  std::unique_ptr<ClosedClient> closed_client_;
};

}  // namespace agent_doc::lsp
