// The tokens that codex reports, as Usage. Codex counts cached tokens as input; Usage does not.
// Codex reports no costs.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <optional>

namespace agent_doc::plugins {

/// Returns the usage of `codex exec`: {input_tokens, cached_input_tokens, …}.
Usage codex_exec_usage(const boost::json::object& tokens);

/// Computes the usage of app-server, which reports sums of the whole thread, repeats them, and
/// reports those of earlier turns when a thread is resumed. Use one for each agent process.
class CodexUsage {
 public:
  enum class Of { ThisTurn, Earlier };
  /// Handles `params` of thread/tokenUsage/updated.
  void update(const boost::json::object& params, Of turn, Actions& actions);

 private:
  std::optional<Usage> last_sum_;  ///< of the thread, up to the last update
};

}  // namespace agent_doc::plugins
