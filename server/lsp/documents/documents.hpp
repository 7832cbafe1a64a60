// The documents that the client has open, and those that it closed while their turn still runs:
// didOpen, didChange, didSave, didClose and renames.
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
  /// Add listeners for all documents (see DocumentListener). Call them before the first document is
  /// opened.
  void on_change(Heard heard) { on_change_.push_back(std::move(heard)); }
  /// Adds a listener for URIs that no document has any more, under which the client may have
  /// received something.
  void on_name_gone(std::function<void(const std::string& uri)> heard) {
    on_name_gone_.push_back(std::move(heard));
  }
  void on_turn_milestone(Heard heard) { on_turn_milestone_.push_back(std::move(heard)); }

  /// Returns the document that the client calls `uri`, or null when there is none or it is no
  /// markdown. The name counts, not the file: a client may have one file open under two names.
  Document* find(std::string_view uri);
  const Document* find(std::string_view uri) const;
  /// Returns the document for a command, which means a file: any name that leads to it through
  /// links is accepted.
  Document* find_file(std::string_view uri);
  /// Returns another document that is the same file under another name and is in the given state,
  /// or null.
  enum class Twin { IsShown, RunsTurn };
  const Document* twin_of(const Document& document, Twin what) const;
  /// Returns the document whose running or last turn is `turn`, or null.
  Document* find_turn(std::string_view turn);
  std::vector<const Document*> all() const;

  /// Stops everything; calls `agents_gone` once, when no agent process is left.
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
  /// Returns the closed document with an unfinished reply that is the same as the one at `uri`, or
  /// null: it has the same file under another name, or the agent_doc_session of `text`.
  Document* find_closed_match(std::string_view uri, std::string_view text);
  /// Returns the open document that is the same as `closed`, or null.
  Document* find_open_match(const Document& closed);
  bool is_same(const Document& closed, std::string_view text) const;
  /// Moves `document` to `uri`; another document there is dropped.
  void move(Document& document, const std::string& uri);
  /// Moves `document` to the place of `shown`, with the text that the client shows there.
  void take_over(Document& document, const Document& shown);

  DocumentPlace place_of(const std::string& uri) const;
  void on_changed(const Document& document);
  /// Handles closed documents and drops those that are finished, outside any call of a session.
  void sweep_soon();
  void sweep();

  Client& client_;
  Environment& environment_;
  Messages& messages_;
  const Workspace& workspace_;
  std::map<std::string, std::unique_ptr<Document>> documents_;  ///< by document_key()
  /// Old key -> new key, while the client may still use the old name.
  std::map<std::string, std::string> renamed_;
  std::vector<Heard> on_change_;
  std::vector<Heard> on_turn_milestone_;
  std::vector<std::function<void(const std::string&)>> on_name_gone_;
  AgentFiles agent_files_;
  /// The user was warned, once, that the client applies no edits.
  bool warned_of_no_edits_ = false;
  bool ending_ = false;
  std::function<void()> agents_gone_;
  PendingHandle sweep_;
};

}  // namespace agent_doc::lsp
