// What it is: what a person, a pipe or a program sees of a run: text, or events as JSON.
// What it is not: the run (run_session.hpp). The rendering of text is terminal.hpp.
// Thread rule: one thread. Writes block.
#pragma once

#include "editors/cli/commands.hpp"
#include "protocol/agent_doc.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace agent_doc::cli {

enum class Weight { Info, Warning, Error };

class RunOutput {
 public:
  virtual ~RunOutput() = default;
  virtual void turn(const protocol::TurnParams& turn) = 0;
  /// The reply is now its first `offset` bytes and `text`.
  virtual void reply(const protocol::ReplyParams& reply) = 0;
  virtual void message(Weight weight, std::string_view text) = 0;
  /// Somebody else is about to write on the person's terminal.
  virtual void make_room() = 0;
  /// Called a few times a second, for what moves while nothing happens.
  virtual void tick() = 0;
  /// The reply is complete; messages may follow.
  virtual void reply_ended() = 0;
  /// A text that could not be kept anywhere else.
  virtual void last_resort(std::string_view text) = 0;
  virtual void end(int exit_code) = 0;
};

std::unique_ptr<RunOutput> make_run_output(const RunOptions& options);

}  // namespace agent_doc::cli
