// The messages between a server and the guards of one agent over their socket: the request, then
// signals one way and the agent's fate the other. Both ends are the same version of the program; a
// request from another version is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_doc::process {

/// More than any kernel accepts as arguments and environment of a program.
inline constexpr std::size_t kMaxGuardRequestBytes = 64 * 1024 * 1024;

/// The agent to start.
struct GuardRequest {
  std::string program;  ///< absolute path
  std::string cwd;      ///< empty: the guard's own
  std::string prompt_file;
  std::vector<std::string> args;  ///< without argv[0]
  std::vector<std::string> env;   ///< the complete environment, as NAME=VALUE
};

/// Encodes `request`, preceded by its length.
std::string encode(const GuardRequest& request);
/// Decodes a request, without its length. Returns nullopt for one from another version.
std::optional<GuardRequest> decode_guard_request(std::string_view body);

/// An order from the server, one byte each.
enum class GuardOrder : char {
  Interrupt = 'i',
  Terminate = 't',
  Kill = 'k',  ///< the agent and everything it started
};

/// A message to the server, sent as the bytes in memory.
struct GuardMessage {
  enum class Kind : std::int32_t {
    Started,  ///< `agent` and `inner` are process ids
    Failed,   ///< the agent could not be started: `value` is errno
    /// The agent has ended and everything it started is gone: `value` is the status from
    /// waitpid(2).
    Ended,
  };
  Kind kind = Kind::Failed;
  std::int32_t value = 0;
  std::int32_t agent = 0;
  std::int32_t inner = 0;
};

}  // namespace agent_doc::process
