// What it is: one document and its conversation: the engine that writes into its text, the turn that runs, the agent behind it. Everything that
// happens to a document comes in here; everything it wants done goes out through DocumentHost and the ports of the agent.
// What it is not: it does no I/O, has no timer and no JSON: the host calls wake() at next_wakeup(). Requests and notifications are server/lsp.
// Thread rule: not thread-safe; the server's thread only. A host must not call back into the session from inside a port call.
#pragma once

#include "plugins/registry.hpp"
#include "server/markdown/front_matter.hpp"
#include "server/process/child.hpp"
#include "server/session/edit_pacer.hpp"
#include "server/session/reply_in_document.hpp"
#include "server/session/run_plan.hpp"
#include "server/session/session_lease.hpp"
#include "server/session/turn_view.hpp"
#include "server/store/journal.hpp"
#include "server/sync/sync_engine.hpp"
#include "server/turn/turn.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_doc::session {

/// Who shows the text that is opened.
enum class OpenedBy {
  Client,
  File,  ///< nobody: the document was closed, and its file takes what a turn still has to write
};

/// Where a document is.
struct DocumentName {
  std::string uri;   ///< as the client spells it
  std::string path;  ///< of its file, as the person knows it; of a document without one, where it would be, or only its name
  std::string file;  ///< the file itself, all links followed: so the leases and the store call the document. Empty without a file
};

/// A folder of the disk, or why it cannot be used, as the end of a sentence about it.
struct FolderPlace {
  enum class Advice { NameAnother, MakeIt };

  std::string path;  ///< empty when there is a problem
  std::string problem;
  Advice advice = Advice::NameAnother;
};

/// The folder that an agent works in, unless the document names one inside it.
struct WorkFolder {
  std::string path;      ///< absolute; empty when there is none
  std::string sentence;  ///< for a person: why there is none, or why it is another one than the document's. Empty when all is well
};

enum class MessageKind { Info, Warning, Error };

/// What the session needs of the world. One per document.
class DocumentHost {
 public:
  virtual ~DocumentHost() = default;
  /// Exactly one answer comes back through DocumentSession::edit_answered().
  virtual void send_edit(const sync::OutgoingEdit& edit) = 0;
  virtual void turn_changed(const TurnView& view) = 0;
  /// The reply's own text, for clients that show it elsewhere too (a terminal): it is now its first `offset` bytes and `text`.
  virtual void reply_changed(const std::string& turn, std::size_t offset, std::string_view text) = 0;
  virtual void ask_permission(const std::string& turn, const turn::Permission& permission) = 0;
  /// The question is answered or void: take it from the screen.
  virtual void withdraw_permission(const std::string& turn, const std::string& permission) = 0;
  /// For the agent, which works in `folder`. What is read or written is the open document where there is one.
  virtual plugins::FileAnswer read_file(const plugins::FileRead& request, const std::string& folder) = 0;
  virtual plugins::FileAnswer write_file(const plugins::FileWrite& request, const std::string& folder) = 0;
  /// Asked when a turn begins.
  virtual WorkFolder work_folder() = 0;
  /// Where the folder `path` really is, all links followed, when that is `workspace` or inside of it.
  virtual FolderPlace folder_inside(const std::string& workspace, const std::string& path) = 0;
  virtual void show_message(MessageKind kind, std::string_view message) = 0;
  virtual void log(std::string_view line) = 0;
  /// An agent's line or end came and next_wakeup() may have changed: ask again. Not called for calls that the host makes itself.
  virtual void wakeup_changed() = 0;

  virtual boost::system::result<std::unique_ptr<process::Child>> launch(const plugins::Launch& launch,
                                                                        process::ChildObserver& observer) = 0;
  /// Where what agents say is kept.
  virtual store::Journal& journal() = 0;
  /// `agent`'s session, for a turn of this document.
  virtual LeaseOutcome lease_session(const std::string& agent, const std::string& session_id) = 0;
  /// A new random UUID.
  virtual std::string make_uuid() = 0;
  virtual TimePoint now() const = 0;
};

/// Which agents there are; from the registry and the person's configuration.
class AgentDirectory {
 public:
  virtual ~AgentDirectory() = default;
  virtual std::optional<plugins::AgentSpec> find(std::string_view name) const = 0;
  virtual std::string default_agent() const = 0;
  /// All of them, in the order in which a person should read them.
  virtual std::vector<std::string> names() const = 0;
  /// False for an agent whose program is not there.
  virtual bool is_installed(std::string_view name) const = 0;
  /// One sentence on how to get or configure `name`, for a person.
  virtual std::string how_to_get(std::string_view name) const = 0;
};

/// Who would reply to a run, and where.
struct AgentPlace {
  std::string agent;   ///< may be one that is not known
  std::string folder;  ///< that it works in
};

struct ForkedDocument {
  std::string text;  ///< of the new document, with `forked_from`
};

class DocumentSession {
 public:
  DocumentSession(DocumentName name, text::PositionEncoding encoding, Pace pace, const AgentDirectory& agents, DocumentHost& host);
  ~DocumentSession();

  // --- the client's text (see SyncEngine) ---
  void did_open(sync::Version version, std::string text, OpenedBy by = OpenedBy::Client);
  void did_change(sync::Version version, const std::vector<sync::ContentChange>& changes);
  /// The text that the client has now is in its file.
  void did_save();
  void did_close();
  void edit_answered(sync::Answer answer);

  // --- commands (DESIGN 8) ---
  /// The id of the turn that began.
  Outcome<std::string> run(const RunRequest& request);
  /// Runs the prompt above the last reply again; the new reply takes its place as soon as it has text. Refused when a person changed the reply. A turn
  /// without a reply is simply run.
  Outcome<std::string> retry();
  /// False when nothing runs.
  bool stop();
  /// Takes `resume` out: the next run begins a new session.
  Outcome<std::string> new_session();
  /// `turn`: the fork begins behind the reply of this question, counted from 1, in a session of its own that is given the document to read; without it, at
  /// the end, and by the agent's own fork.
  Outcome<ForkedDocument> fork(std::string_view path_of_fork, std::optional<std::size_t> turn = std::nullopt) const;
  /// False when `permission` is not asked (any more). An empty option cancels it.
  bool answer(std::string_view turn, std::string_view permission, std::string_view option);
  /// After "paused" or "detached": what continuation() says. Never writes what stands in the document.
  Outcome<std::string> continue_reply();
  /// Inserts what is missing of the last reply, which was written by a server that is gone or was never saved.
  Outcome<std::string> recover_reply();
  /// Another document's agent wants this one to be `text`, having read `base`: an edit like any other, in which what the person changed since stays.
  Outcome<std::string> write_text(std::string base, std::string text);

  // --- time ---
  /// When wake() must be called, if at all. Ask after every call into the session.
  std::optional<TimePoint> next_wakeup() const;
  void wake();

  /// The server ends: the running turn is interrupted, the agent stopped.
  void shut_down();
  /// True when no agent process is left.
  bool agent_gone() const;

  /// The document has another name now. Its agent goes on in the folder in which it was started.
  void moved(DocumentName name);

  const std::string& uri() const;
  const sync::SyncEngine& engine() const;
  /// The running or the last turn; nothing before the first one.
  std::optional<TurnView> turn_view() const;
  /// The turn of this server whose reply begins in [begin, end] of the text: what hovers and lenses tell.
  std::optional<TurnView> turn_at(std::size_t begin, std::size_t end) const;
  bool has_turn() const;
  bool turn_running() const;
  /// Where the reply of the running or last turn stands in the text; nothing while it does not.
  std::optional<sync::RegionExtent> reply_extent() const;
  /// The reply is paused or detached: continue_reply() has something to do.
  bool can_continue_reply() const;
  /// Whether `text` is the document as it is known, or a beginning of the reply of the running or last turn stands in it.
  bool stands_in(std::string_view text) const;
  /// Costs a look through the whole document when the reply's place is lost.
  Continuation continuation() const;
  /// recover_reply() has something to do.
  bool can_recover_reply() const;
  /// For a run with `agent`, or without one when that is empty.
  Outcome<AgentPlace> agent_place(const std::string& agent) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace agent_doc::session
