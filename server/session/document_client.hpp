// What it is: what a conversation needs of the client that shows its document: edits, views,
// questions, messages, and the files that the client has open.
// What it is not: what it needs of the world (world.hpp).
// Thread rule: the server's thread only. No call back into the conversation from inside a call.
#pragma once

#include "plugins/agent.hpp"
#include "server/session/turn_view.hpp"
#include "server/sync/sync_engine.hpp"
#include "server/turn/turn.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_doc::session {

/// The folder that an agent works in, unless the document names one inside it.
struct WorkFolder {
  std::string path;      ///< absolute; empty when there is none
  std::string sentence;  ///< for a person: why there is none, or another one; else empty
};

enum class MessageKind { Info, Warning, Error };

class DocumentClient {
 public:
  virtual ~DocumentClient() = default;
  /// Exactly one answer comes back through Conversation::edit_answered().
  virtual void send_edit(const sync::OutgoingEdit& edit) = 0;
  virtual void turn_changed(const TurnView& view) = 0;
  /// The reply's own text, for a terminal: it is now its first `offset` bytes and `text`.
  virtual void reply_changed(const std::string& turn, std::size_t offset,
                             std::string_view text) = 0;
  virtual void ask_permission(const std::string& turn, const turn::Permission& permission) = 0;
  /// The question is answered or void: take it from the screen.
  virtual void withdraw_permission(const std::string& turn, const std::string& permission) = 0;
  /// For the agent, which works in `folder`: the open document where there is one, else the file.
  virtual plugins::FileAnswer read_file(const plugins::FileRead& request,
                                        const std::string& folder) = 0;
  virtual plugins::FileAnswer write_file(const plugins::FileWrite& request,
                                         const std::string& folder) = 0;
  /// Asked when a turn begins.
  virtual WorkFolder work_folder() = 0;
  virtual void show_message(MessageKind kind, std::string_view message) = 0;
  virtual void log(std::string_view line) = 0;
  /// An agent's line or end came: ask next_wakeup() again.
  virtual void wakeup_changed() = 0;
};

}  // namespace agent_doc::session
