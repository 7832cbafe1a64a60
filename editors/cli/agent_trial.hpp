// What it is: finds out about agents by really starting their programs: which version they are,
// whether they begin a session, and whether a small turn goes through.
// What it is not: a session. Nothing that an agent says here reaches a document, and its questions
// are answered with no.
// Thread rule: each function runs an io_context of its own on the calling thread.
#pragma once

#include "editors/cli/line_explainer.hpp"
#include "plugins/registry.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace agent_doc::cli {

/// An agent that does not know `--version` gets no more.
inline constexpr std::chrono::milliseconds kVersionLimit{5'000};
/// Most agents take seconds to begin, and a first start up to a minute: they unpack themselves and
/// look for news.
inline constexpr std::chrono::milliseconds kSessionLimit{60'000};
inline constexpr std::chrono::milliseconds kTurnLimit{90'000};
/// After so long a person is told what is waited for.
inline constexpr std::chrono::milliseconds kTrialPatience{3'000};
inline constexpr std::size_t kMaxVersionBytes = 100;

struct FoundAgent {
  plugins::AgentSpec spec;
  std::string program;  ///< absolute path; empty: not found
  std::string version;  ///< the first line of `--version`; empty when it has none to say
  bool is_built_in = false;
};

/// Looks all of them up and asks for their versions, at the same time. `self` is the path of the
/// running agent-doc.
std::vector<FoundAgent> find_agents(const std::vector<plugins::AgentSpec>& specs,
                                    const std::string& self);

enum class Trial {
  Session,  ///< a session is begun, and stopped at once
  Turn,     ///< a prompt is sent, and answered
};
struct TrialResult {
  std::string trouble;  ///< nothing when all went well, else what went wrong, for a person
  plugins::FailureKind kind = plugins::FailureKind::Unknown;  ///< of the trouble
  std::string model;                                          ///< as the agent told it
  std::chrono::milliseconds took{0};  ///< to the session, or to the end of the turn
};
/// `explainer` may be null. `waits` gets one sentence, for a person, when it takes longer than
/// kTrialPatience.
TrialResult try_agent(const plugins::AgentSpec& spec, Trial trial, LineExplainer* explainer,
                      const std::function<void(const std::string&)>& waits);

/// Whether a process lives for a session or for one turn: without a prompt, the latter cannot be
/// tried.
plugins::ProcessLifetime lifetime_of(const plugins::AgentSpec& spec);

/// `name`, and what is known of it: "claude 2.1.0", "tour (built in)".
std::string describe(const FoundAgent& agent);

}  // namespace agent_doc::cli
