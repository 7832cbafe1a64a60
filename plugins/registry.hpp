// What it is: the list of the agents that agent-doc knows, and how a name of the configuration
// becomes an AgentProtocol.
// What it is not: it does not look for programs (server/process) nor read the configuration
// (server/app).
// Thread rule: pure functions.
#pragma once

#include "plugins/agent.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::plugins {

/// What the configuration says of an agent of the dialect `generic`; the other dialects know it of
/// theirs.
struct GenericAgent {
  enum class Format {
    Ndjson,  ///< a JSON object per line
    Text,    ///< all that it prints is the reply
  };
  enum class TextMode {
    Auto,       ///< told from the names and the growth of the texts
    Deltas,     ///< each text is what is new
    Snapshots,  ///< each text is the whole message so far
    Messages,   ///< each text is a message
  };
  Format format = Format::Ndjson;
  TextMode text_mode = TextMode::Auto;
  std::vector<std::string> resume_args = {};  ///< behind AgentSpec::args
  std::vector<std::string> fork_args = {};
  std::string session_id_field = {};  ///< "session.id"; empty: the usual names
  std::string text_field = {};
};

/// One agent as the person may name it: a built-in one, or `[agents.NAME]` of the configuration.
struct AgentSpec {
  std::string name;
  std::string dialect;            ///< which AgentProtocol speaks with it
  std::string command;            ///< a name for PATH or a path
  std::vector<std::string> args;  ///< put before the dialect's own
  std::map<std::string, std::string> env;
  PermissionPolicy permissions = PermissionPolicy::Ask;
  GenericAgent generic = {};
  /// Of ACP agents: the mode to work in, and the way to log in (an id of `authMethods`), both as
  /// the agent names them. Empty: it is chosen.
  std::string mode = {};
  std::string auth_method = {};
  std::set<std::string, std::less<>> inherited_variables =
      {};  ///< names of what the agent gets beside `env`: those that are set, and not empty
};

struct Dialect {
  std::string_view name;
  std::string_view command;  ///< the program that is meant when nothing is configured; empty: only
                             ///< the configuration tells
  std::string_view how_to_get;  ///< one sentence for a person who does not have it
  std::string_view
      how_to_log_in;  ///< "Start `claude` …", without full stop; empty: the general words
  std::unique_ptr<AgentProtocol> (*make)(const AgentSpec& spec);
};

/// All dialects, in the order of preference for a default agent. `tour` is last and always there.
const std::vector<Dialect>& dialects();
const Dialect* find_dialect(std::string_view name);
/// Of the Agent Client Protocol, by whatever name.
bool is_acp(const Dialect& dialect);

/// The agents without any configuration: one per dialect that has a program, of the same name.
/// `self` is the path of the running agent-doc, for `tour`.
std::vector<AgentSpec> built_in_agents(const std::string& self);

/// Nothing when the dialect of `spec` is unknown.
std::unique_ptr<AgentProtocol> make_protocol(const AgentSpec& spec);

/// Of the protocol of `spec`.
SessionSupport session_support(const AgentSpec& spec);

}  // namespace agent_doc::plugins
