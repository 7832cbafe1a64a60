// What it is: the documents that the client has open, and those that it closed while their turn
// still runs; didOpen, didChange, didSave, didClose.
// What it is not: one document's conversation (document.hpp).
// Thread rule: the server's thread only.
#pragma once

#include "protocol/endpoint.hpp"
#include "server/lsp/client.hpp"
#include "server/lsp/documents/agent_files.hpp"
#include "server/lsp/documents/document.hpp"
#include "server/lsp/environment.hpp"
#include "server/lsp/messages.hpp"
#include "server/lsp/workspace.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_doc::lsp {

inline constexpr std::size_t kMaxDocuments = 10'000;

class Documents {
 public:
  Documents(Client& client, Environment& environment, Messages& messages,
            const Workspace& workspace);

  void bind(protocol::Endpoint& endpoint);

  using Heard = std::function<void(const Document&)>;
  /// As DocumentListener says, of every document. Before the first one is opened.
  void on_change(Heard heard) { on_change_.push_back(std::move(heard)); }
  /// No document has the name `uri` any more: the client was told of something under it, maybe.
  void on_name_gone(std::function<void(const std::string& uri)> heard) {
    on_name_gone_.push_back(std::move(heard));
  }
  void on_turn_milestone(Heard heard) { on_turn_milestone_.push_back(std::move(heard)); }

  /// Null when there is no such document, or it is no markdown. What a client tells of a text is
  /// about this very name: it may have the same file open by another one, too.
  Document* find(std::string_view uri);
  const Document* find(std::string_view uri) const;
  /// The same for a command, which means a file: also by a name that leads to it through links.
  Document* find_file(std::string_view uri);
  /// Another document that is the same file, by another name, and has `what`; or null.
  enum class Twin { IsShown, RunsTurn };
  const Document* twin_of(const Document& document, Twin what) const;
  /// The document whose running or last turn is `turn`.
  Document* find_turn(std::string_view turn);
  std::vector<const Document*> all() const;

  /// Stops everything; `agents_gone` is called once, when no agent process is left.
  void shut_down(std::function<void()> agents_gone);
  /// Kills whatever is left at once.
  void clear();

 private:
  void open(const protocol::DidOpenTextDocumentParams& params);
  void change(const boost::json::value& params);
  void close(const std::string& uri);
  std::string key_of(std::string_view uri) const;
  void rename(const protocol::FileRename& file);
  void rename_one(const std::string& old_key, const std::string& new_uri);
  /// The document that was closed and is the same as the one at `uri`, under another name: that
  /// file, or the one with the agent_doc_session of `text`, whose reply is not finished.
  Document* closed_one_like(std::string_view uri, std::string_view text);
  /// The open document that is the same as `closed`.
  Document* open_one_like(const Document& closed);
  bool is_same(const Document& closed, std::string_view text) const;
  /// `document` goes on as the one at `uri`; what was known of that is forgotten.
  void move(Document& document, const std::string& uri);
  /// The same with the text that the client shows there.
  void take_over(Document& document, const Document& shown);

  DocumentPlace place_of(const std::string& uri) const;
  void on_changed(const Document& document);
  /// Outside of any call of a session: sees to closed documents, and forgets those that nothing can
  /// come of any more.
  void sweep_soon();
  void sweep();

  Client& client_;
  Environment& environment_;
  Messages& messages_;
  const Workspace& workspace_;
  std::map<std::string, std::unique_ptr<Document>> documents_;  ///< by document_key()
  std::map<std::string, std::string>
      renamed_;  ///< old key -> new key, while the client may still use the old name
  std::vector<Heard> on_change_;
  std::vector<Heard> on_turn_milestone_;
  std::vector<std::function<void(const std::string&)>> on_name_gone_;
  AgentFiles agent_files_;
  bool told_of_no_edits_ = false;  ///< said once: some clients apply no edits, and their person
                                   ///< should know it before the first run
  bool ending_ = false;
  std::function<void()> agents_gone_;
  PendingHandle sweep_;
};

}  // namespace agent_doc::lsp
