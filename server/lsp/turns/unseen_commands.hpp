// The commands agentDoc.showPrompt, which shows what a run would send as a read-only file, and
// agentDoc.leaveOut, which lets changes count as seen by the agent.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

namespace agent_doc::protocol {

class Fields;
class Replier;

}  // namespace agent_doc::protocol

namespace agent_doc::lsp {

struct Client;
class Commands;
class Document;
class Documents;
class Environment;
class ShownFile;

/// So many of the files that were shown last are kept until the server ends.
inline constexpr std::size_t kMaxShownPrompts = 8;

class UnseenCommands {
 public:
  /// `on_counted`: what the agent of a document has seen has changed.
  UnseenCommands(const Client& client, Environment& environment, Documents& documents,
                 std::function<void(const Document&)> on_counted);
  ~UnseenCommands();

  void add_to(Commands& commands);

 private:
  void show_prompt(const protocol::Fields& argument, protocol::Replier reply);
  void leave_out(const protocol::Fields& argument, protocol::Replier reply);

  const Client& client_;
  Environment& environment_;
  Documents& documents_;
  std::function<void(const Document&)> on_counted_;
  std::deque<std::unique_ptr<ShownFile>> shown_;
};

}  // namespace agent_doc::lsp
