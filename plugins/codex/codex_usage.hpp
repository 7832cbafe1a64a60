// What it is: the tokens that codex tells of, as Usage. Its input counts what came from the cache
// too; ours does not.
// What it is not: codex tells no costs.
// Thread rule: not thread-safe; one per agent process.
#pragma once

#include "plugins/agent.hpp"

#include <boost/json/fwd.hpp>

#include <optional>

namespace agent_doc::plugins {

/// Of `codex exec`: {input_tokens, cached_input_tokens, …}.
Usage codex_exec_usage(const boost::json::object& tokens);

/// app-server tells the sums of the whole thread, repeats them, and tells those of earlier turns
/// when a thread is resumed.
class CodexUsage {
 public:
  enum class Of { ThisTurn, Earlier };
  /// `params` of thread/tokenUsage/updated.
  void update(const boost::json::object& params, Of turn, Actions& actions);

 private:
  std::optional<Usage> told_;  ///< of the thread, up to the last update
};

}  // namespace agent_doc::plugins
