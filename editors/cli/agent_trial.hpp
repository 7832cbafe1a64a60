// Tests agents by starting their programs: their version, whether they begin a session, and whether
// a small turn works. Nothing that an agent says here reaches a document, and its questions are
// answered with no. Each function runs its own io_context on the calling thread.
#pragma once

#include "editors/cli/line_explainer.hpp"
#include "plugins/registry.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::cli {

/// The time limit for `--version`.
inline constexpr std::chrono::milliseconds kVersionLimit{5'000};
/// The time limit for beginning a session. Most agents take seconds; a first start takes up to a
/// minute, because they unpack themselves and look for updates.
inline constexpr std::chrono::milliseconds kSessionLimit{60'000};
inline constexpr std::chrono::milliseconds kTurnLimit{90'000};
/// After this time, a message says what we wait for.
inline constexpr std::chrono::milliseconds kTrialPatience{3'000};
inline constexpr std::size_t kMaxVersionBytes = 100;

struct FoundAgent {
  plugins::AgentSpec spec;
  std::string program;  ///< absolute path; empty: not found
  std::string version;  ///< the first line of `--version`; empty if there is none
  bool is_built_in = false;
};

/// Searches all agents and asks for their versions, concurrently. `self` is the path of the running
/// agent-doc.
std::vector<FoundAgent> find_agents(const std::vector<plugins::AgentSpec>& specs,
                                    const std::string& self);

enum class Trial {
  Session,  ///< begins a session and stops it at once
  Turn,     ///< sends a prompt and waits for the answer
};
struct TrialResult {
  std::string trouble;  ///< what went wrong, for the person; empty if all went well
  plugins::FailureKind kind = plugins::FailureKind::Unknown;  ///< of the trouble
  std::string model;                                          ///< as the agent reports it
  std::chrono::milliseconds took{0};  ///< until the session began, or until the turn ended
};
/// Tries an agent. `explainer` may be null. Calls `waits` with a sentence for the person if it
/// takes longer than kTrialPatience.
TrialResult try_agent(const plugins::AgentSpec& spec, Trial trial, LineExplainer* explainer,
                      const std::function<void(const std::string&)>& waits);

/// Returns whether a process of the agent lives for a session or for one turn. The latter can be
/// tried only with a prompt.
plugins::ProcessLifetime lifetime_of(const plugins::AgentSpec& spec);

/// Returns the name and version: "claude 2.1.0", "tour (built in)".
std::string describe(const FoundAgent& agent);

}  // namespace agent_doc::cli
