// The agents that agent-doc knows, and the way from a configured name to an AgentProtocol. Looking
// for programs is in server/process, reading the configuration in server/app.
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

/// The configuration of an agent of the dialect `generic`; other dialects know these facts of their
/// agents.
struct GenericAgent {
  enum class Format {
    Ndjson,  ///< one JSON object per line
    Text,    ///< everything printed is the reply
  };
  enum class TextMode {
    Auto,       ///< guessed from names and from how the texts grow
    Deltas,     ///< each text is an addition
    Snapshots,  ///< each text is the whole message so far
    Messages,   ///< each text is a message of its own
  };
  Format format = Format::Ndjson;
  TextMode text_mode = TextMode::Auto;
  std::vector<std::string> resume_args = {};  ///< appended to AgentSpec::args
  std::vector<std::string> fork_args = {};
  std::string session_id_field = {};  ///< "session.id"; empty: the usual names
  std::string text_field = {};
};

/// An agent as the user can name it: a built-in one, or `[agents.NAME]` of the configuration.
struct AgentSpec {
  std::string name;
  std::string dialect;            ///< selects the AgentProtocol
  std::string command;            ///< a name for PATH or a path
  std::vector<std::string> args;  ///< put before the dialect's own
  std::map<std::string, std::string> env;
  PermissionPolicy permissions = PermissionPolicy::Ask;
  GenericAgent generic = {};
  /// For ACP agents: the mode to work in, and the way to log in (an id in `authMethods`), both in
  /// the agent's words. Empty: chosen automatically.
  std::string mode = {};
  std::string auth_method = {};
  /// Names of the variables that the agent gets besides `env`: those that are set and not empty.
  std::set<std::string, std::less<>> inherited_variables = {};
};

struct Dialect {
  std::string_view name;
  /// The program used without configuration; empty when it must be configured.
  std::string_view command;
  /// One sentence for users who do not have it.
  std::string_view how_to_get;
  /// "Start `claude` …", without a full stop; empty: a general text.
  std::string_view how_to_log_in;
  std::unique_ptr<AgentProtocol> (*make)(const AgentSpec& spec);
};

/// Returns all dialects, in the order of preference for the default agent. `tour` is the last and
/// always available.
const std::vector<Dialect>& dialects();
const Dialect* find_dialect(std::string_view name);
/// Returns true for dialects that use the Agent Client Protocol.
bool is_acp(const Dialect& dialect);

/// Returns the agents available without configuration: one for each dialect that has a program, of
/// the same name. `self` is the path of the running agent-doc, for `tour`.
std::vector<AgentSpec> built_in_agents(const std::string& self);

/// Returns null when the dialect of `spec` is unknown.
std::unique_ptr<AgentProtocol> make_protocol(const AgentSpec& spec);

/// Returns AgentProtocol::session_support() of the protocol of `spec`.
SessionSupport session_support(const AgentSpec& spec);

}  // namespace agent_doc::plugins
